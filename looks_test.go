package memtree_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/curation"
	"github.com/memtree/memtree/llm"
	"github.com/memtree/memtree/look"
	"github.com/memtree/memtree/tree"
)

// sceptic contradicts every verdict whose evidence shows the message of a rate limit, and quotes it.
type sceptic struct{}

func (sceptic) Generate(_ context.Context, r llm.Request) (llm.Answer, error) {
	const limit = "You cannot post more. Wait a while"
	holds, shown, quote, against := "yes", "yes", "Your post was published at noon", ""
	if strings.Contains(r.Prompt, limit) {
		holds, shown, quote, against = "no", "no", limit, limit
	}
	b, err := json.Marshal(map[string]any{
		"points":  []map[string]string{{"point": "posted", "shown": shown, "quote": quote}},
		"against": against, "by": "agent", "holds": holds, "why": "",
	})
	return llm.Answer{JSON: b, Model: "sceptic"}, err
}

// TestLooksAreEvidence: after some labels a second look moves the risk, and its code stays with the label in the
// ledger, so that a model learned anew from the ledger is the same.
func TestLooksAreEvidence(t *testing.T) {
	ctx := t.Context()
	m, err := memtree.Open(ctx, "", &memtree.Options{Deadline: time.Minute, InMemory: true, Generator: sceptic{}})
	require.NoError(t, err)
	defer func() { require.NoError(t, m.Close()) }()
	run := func(i int, wrong bool) memtree.Evaluation {
		seen := "Your post was published at noon."
		if wrong {
			seen = "You cannot post more. Wait a while before trying again."
		}
		// Clocks out of order change nothing: risk follows the ledger.
		return memtree.Evaluation{ID: fmt.Sprint("r", i), Prompt: "Post the notice",
			Observation: fmt.Sprint("Attempt ", i, ". ", seen), At: time.Date(2026, 1, 1, 0, -i, 0, 0, time.UTC),
			Judgment: tree.Raw(`{"verdict":"pass"}`)}
	}
	for i := range 80 {
		e := run(i, i%4 == 0)
		require.NoError(t, m.Record(ctx, e))
		require.NoError(t, m.Wait(ctx))
		_, err := m.Inbox().Looks().Read(ctx, []memtree.Evaluation{e}, look.Options{})
		require.NoError(t, err)
		_, err = m.Curation().Label(ctx, []string{e.ID}, curation.Truth{Correct: new(i%4 != 0)}, curation.Options{By: "ann"})
		require.NoError(t, err)
	}
	require.NoError(t, m.Wait(ctx))
	bad, good := run(100, true), run(101, false)
	before, err := m.Risk(ctx, bad)
	require.NoError(t, err)
	_, err = m.Inbox().Looks().Read(ctx, []memtree.Evaluation{bad, good}, look.Options{})
	require.NoError(t, err)
	after, err := m.Risk(ctx, bad)
	require.NoError(t, err)
	require.Greater(t, after.Order, before.Order)
	fine, err := m.Risk(ctx, good)
	require.NoError(t, err)
	require.Less(t, fine.Order, after.Order)
	require.True(t, after.Enough)
	require.Contains(t, fmt.Sprint(after.Because), "look")
	l, ok := m.Inbox().Looks().Of(bad)
	require.True(t, ok)
	require.Equal(t, look.Refuted, l.Code())

	other := good // another run that has the id of a run that was looked at
	other.ID = bad.ID
	_, ok = m.Inbox().Looks().Of(other)
	require.False(t, ok)
	r, err := m.Risk(ctx, other)
	require.NoError(t, err)
	require.NotContains(t, fmt.Sprint(r.Because), "look", "the look at the other run is none of this one")
}
