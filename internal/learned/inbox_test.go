package learned

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/tree"
)

var noon = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)

func unlabelled(n int) *tree.Evaluation {
	return &tree.Evaluation{ID: fmt.Sprintf("ev-%05d", n), Prompt: "Check the cart", Judgment: tree.Raw(`"pass"`),
		At: noon.Add(time.Duration(n) * time.Minute)}
}

func ids(b *InboxBox) (out []string) {
	for _, e := range b.Waiting(nil) {
		out = append(out, e.ID)
	}
	return out
}

// saved returns an inbox that has read the output of Save.
func saved(t *testing.T, b *InboxBox) *InboxBox {
	t.Helper()
	var file bytes.Buffer
	require.NoError(t, b.Save(&file))
	again := NewInbox()
	require.NoError(t, again.Load(&file))
	return again
}

func TestInbox(t *testing.T) {
	b := NewInbox()
	for _, n := range []int{2, 1, 3, 1} {
		b.Put(unlabelled(n))
	}
	require.Equal(t, []string{"ev-00003", "ev-00002", "ev-00001"}, ids(b))
	require.Len(t, b.Waiting(func(e *tree.Evaluation) bool { return e.ID == "ev-00002" }), 1)
	require.True(t, b.Skip("ev-00001", true))
	require.False(t, b.Skip("ev-00009", true))
	told := func(labelled bool, at time.Time) {
		b.Tell(&ledger.Verdict{Evaluation: "ev-00002", Labelled: labelled}, at)
	}
	told(true, time.Now())
	before := b.Changes()

	again := saved(t, b)
	require.Equal(t, before, b.Changes(), "saving changes nothing")
	require.Equal(t, []string{"ev-00003", "ev-00001"}, ids(again))
	require.True(t, again.Waiting(nil)[1].Skipped)
	require.False(t, again.Skip("ev-00002", true), "it waits no more")
	e, ok := again.Get("ev-00002")
	require.True(t, ok, "for a person who takes it back")
	require.Equal(t, *unlabelled(2), e)
	b = again
	told(false, noon)
	require.Len(t, ids(b), 3)
	told(true, time.Now().Add(-toldFor-time.Hour))
	_, ok = saved(t, b).Get("ev-00002")
	require.False(t, ok, "not for ever")

	b.Purge(&store.Purge{Evaluations: []string{"ev-00001"}})
	require.Equal(t, []string{"ev-00003"}, ids(saved(t, b)))
}

func TestInboxIsBounded(t *testing.T) {
	b := NewInbox()
	long := unlabelled(0)
	long.Observation = strings.Repeat("x", mostRun)
	b.Put(long)
	require.Empty(t, ids(b))
	for n := range mostRuns {
		b.Put(unlabelled(n))
	}
	b.Tell(&ledger.Verdict{Evaluation: unlabelled(mostRuns - 1).ID, Labelled: true}, noon)
	b.Put(unlabelled(mostRuns))
	all := ids(b)
	require.Len(t, all, mostRuns*9/10)
	require.Equal(t, unlabelled(mostRuns).ID, all[0])
	_, ok := b.Get(unlabelled(mostRuns - 1).ID)
	require.False(t, ok, "what is told goes first")
}

// FuzzInbox: loaded content can be saved, and loads equal again.
func FuzzInbox(f *testing.F) {
	f.Add(`{"evaluation":{"id":"a","prompt":"p","judgment":"pass"}}` + "\n" +
		`{"told":"2026-01-01T00:00:00Z","evaluation":{}}`)
	f.Add(`{"evaluation":{"id":"a","prompt":"p","judgment":1e999}}`)
	f.Add("{}\n[")
	f.Fuzz(func(t *testing.T, s string) {
		b := NewInbox()
		_ = b.Load(strings.NewReader(s))
		for _, k := range b.runs {
			require.NoError(t, k.Evaluation.Check())
		}
		require.Equal(t, ids(b), ids(saved(t, b)))
	})
}
