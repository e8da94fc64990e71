package memtree_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/curation"
	"github.com/memtree/memtree/effect"
	"github.com/memtree/memtree/ledger"
)

// TestTakeBack: a correction gives its grounds, the ledger has no words of the run, and a person
// takes it back for good.
func TestTakeBack(t *testing.T) {
	dir := t.TempDir()
	m := learned(t, dir)
	r, err := memtree.Wrap(m, judgeHastily, taking(ledger.Other))(t.Context(), hastyTest(1, ""))
	require.NoError(t, err)
	require.True(t, r.Correction.Changed)
	require.NotEmpty(t, r.Correction.Grounds)
	require.Len(t, r.Correction.Grounds, len(r.Correction.Signals))
	id := r.Correction.Evaluation

	back, err := m.Curation().TakeBack(t.Context(), id, curation.Options{By: "ann"})
	require.NoError(t, err)
	require.Equal(t, r.Correction.First, back.Now)
	_, err = m.Curation().TakeBack(t.Context(), id, curation.Options{By: "ann"})
	require.ErrorIs(t, err, curation.ErrTakenBack)
	again, err := memtree.Wrap(m, judgeHastily, taking(ledger.Other))(t.Context(), hastyTest(1, ""))
	require.NoError(t, err)
	require.False(t, again.Correction.Changed, "what a person took back stays so")
	require.Equal(t, ledger.WhyTakenBack, again.Correction.Why)
	require.JSONEq(t, string(unjudged().Judgment), string(again.Judgment))
	_, err = m.Curation().TakeBack(t.Context(), "no such run", curation.Options{By: "ann"})
	require.ErrorIs(t, err, curation.ErrNotCorrected)

	kept := effect.NewCorrections(ledger.CorrectAbove)
	for _, e := range ledgerOf(t, m, dir) {
		kept.Note(&e)
		if e.Correction != nil {
			require.Empty(t, e.Correction.Grounds)
		}
	}
	for _, x := range kept.Remedied() {
		if x.Remedy == ledger.Other {
			require.Equal(t, []int{1, 1, 1}, []int{x.N, x.Changed, x.Back})
		}
	}
}
