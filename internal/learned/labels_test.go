package learned

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/ledger"
)

// TestLabels: of a run there is the latest label of a person, unless it was taken back or the run was recorded with a
// truth.
func TestLabels(t *testing.T) {
	f := NewLabels(true)
	verdict := func(by string, labelled, correct bool) {
		f.Add(&ledger.Entry{Verdict: &ledger.Verdict{Evaluation: "r", By: by, Labelled: labelled, Correct: correct}})
	}
	by := func() string {
		v, _ := f.Of("r")
		return v.By
	}
	verdict("", false, false)
	require.Empty(t, by())
	verdict("ann", true, true)
	require.Equal(t, "ann", by())
	verdict("bob", true, false)
	require.Equal(t, "bob", by())
	verdict("", false, false)
	require.Equal(t, "bob", by(), "a verdict without a truth")
	verdict("bob", false, false)
	_, ok := f.Of("r")
	require.False(t, ok, "undone")
	verdict("ann", true, true)
	verdict("", true, true)
	_, ok = f.Of("r")
	require.False(t, ok, "recorded since")

	f = NewLabels(true)
	f.Add(&ledger.Entry{Act: &ledger.Action{Verdicts: []ledger.Verdict{{Evaluation: "r", Labelled: true}}}})
	verdict("ann", true, true)
	_, ok = f.Of("r")
	require.False(t, ok, "recorded before")
}
