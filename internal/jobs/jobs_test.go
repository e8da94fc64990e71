package jobs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/llm"
	"github.com/memtree/memtree/llm/llmtest"
	"github.com/memtree/memtree/tree"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// ended waits until a job has ended.
func ended(t *testing.T, q Queue, id string) Job {
	t.Helper()
	for {
		j, err := q.Get(t.Context(), id)
		require.NoError(t, err)
		if j.Over() {
			return j
		}
		q.Wait(t.Context(), &j)
	}
}

// TestHere: a job runs at once, one of a kind at a time, and the last ones are remembered.
func TestHere(t *testing.T) {
	q := Here(func() time.Time { return noon })
	release := make(chan struct{})
	q.Work(func(_ context.Context, j *Job, tell func(Progress)) (AttemptResult, JobSpent) {
		tell(Progress{Of: 7})
		<-release
		if j.By == "bad" {
			return AttemptResult{Problem: json.RawMessage(`{}`), Again: true}, JobSpent{}
		}
		return AttemptResult{Result: json.RawMessage(`{}`)}, JobSpent{Calls: 2}
	})
	_, err := q.Get(t.Context(), "j1")
	require.ErrorIs(t, err, tree.ErrNotFound)
	j, err := q.Add(t.Context(), Order{Kind: Evolve, By: "ann"})
	require.NoError(t, err)
	require.Equal(t, Running, j.State)
	_, err = q.Add(t.Context(), Order{Kind: Evolve})
	busy, ok := errors.AsType[*BusyError](err)
	require.True(t, ok)
	require.Equal(t, "j1", busy.ID)
	_, err = q.Add(t.Context(), Order{Kind: Brief})
	require.NoError(t, err)
	close(release)
	j = ended(t, q, "j1")
	require.Equal(t, Done, j.State)
	require.Equal(t, 7, j.Progress.Of)
	require.Equal(t, JobSpent{Calls: 2}, j.Spent)
	require.Equal(t, noon, j.Ended)
	for range keptHere + 1 {
		j, err = q.Add(t.Context(), Order{Kind: Evolve, By: "bad"})
		require.NoError(t, err)
		require.Equal(t, Failed, ended(t, q, j.ID).State)
	}
	list, err := q.List(t.Context(), 99)
	require.NoError(t, err)
	require.Len(t, list, keptHere+1, "and the one of another kind")
	require.Equal(t, j.ID, list[0].ID)
	_, err = q.Get(t.Context(), "j1")
	require.ErrorIs(t, err, tree.ErrNotFound)
	q.Close()
}

// TestHereCloses: the end of the queue ends its jobs; that of the one who added them does not.
func TestHereCloses(t *testing.T) {
	q := Here(time.Now)
	began := make(chan struct{})
	q.Work(func(ctx context.Context, _ *Job, _ func(Progress)) (AttemptResult, JobSpent) {
		close(began)
		<-ctx.Done()
		return AttemptResult{Problem: json.RawMessage(`{}`)}, JobSpent{}
	})
	ctx, cancel := context.WithCancel(t.Context())
	j, err := q.Add(ctx, Order{Kind: Evolve})
	require.NoError(t, err)
	<-began
	cancel()
	now, err := q.Get(t.Context(), j.ID)
	require.NoError(t, err)
	require.False(t, now.Over())
	q.Close()
	require.Equal(t, Failed, ended(t, q, j.ID).State)
}

// kept is a Ledger in memory.
type kept struct {
	replies map[Key]Reply
	begun   int
	refuses bool
}

func (k *kept) Known(_ context.Context, key Key) (Reply, bool, error) {
	r, ok := k.replies[key]
	return r, ok, nil
}

func (k *kept) Begin(context.Context, ModelCall) error {
	if k.refuses {
		return &llm.Error{Kind: llm.KindBound, Unsent: true, Err: errors.New("spent")}
	}
	k.begun++
	return nil
}

func (k *kept) End(_ context.Context, c ModelCall, how Ended) error {
	if how.Reply != nil {
		b, err := json.Marshal(how.Reply) // as a store does
		if err != nil {
			return err
		}
		var r Reply
		if err := json.Unmarshal(b, &r); err != nil {
			return err
		}
		k.replies[c.Key] = r
	}
	return nil
}

// TestPaid: a request that was answered is not made again, whatever the answer was; one that was not, or any other, is.
func TestPaid(t *testing.T) {
	text := func(s string) llmtest.ScriptStep {
		return llmtest.ScriptStep{Text: s, Usage: llm.Usage{InputTokens: 5}}
	}
	script := llmtest.NewScript(text(`{"a":1}`), text(`no JSON`), text(`{"a":2}`),
		llmtest.ScriptStep{Err: &llm.Error{Kind: llm.KindUnavailable}}, text(`{"a":3}`), text(`{"a":4}`))
	g := Paid(script)
	book := &kept{replies: map[Key]Reply{}}
	ctx := WithLedger(t.Context(), book)
	ask := func(ctx context.Context, prompt string) string {
		a, err := llm.Ask(ctx, g, llm.Request{Name: "x@1", Prompt: prompt}, nil)
		if err != nil {
			return string(llm.KindOf(err))
		}
		return fmt.Sprint(string(a.JSON), a.Usage.InputTokens)
	}
	for range 3 {
		require.Equal(t, `{"a":1}5`, ask(ctx, "one"))
		require.Equal(t, `{"a":2}10`, ask(ctx, "mended"), "its first answer was none, and was repaired")
	}
	require.Len(t, script.Requests(), 3)
	require.Equal(t, "unavailable", ask(ctx, "late"))
	require.Equal(t, `{"a":3}5`, ask(ctx, "late"))
	require.Equal(t, `{"a":4}5`, ask(t.Context(), "one"), "without a job nothing is kept")
	require.Equal(t, 5, book.begun)
	book.refuses = true
	require.Equal(t, "over the bound", ask(ctx, "more"))
	require.Equal(t, `{"a":1}5`, ask(ctx, "one"))
	require.Len(t, script.Requests(), 6)
}
