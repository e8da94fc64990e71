package memtree_test

import (
	"bytes"
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/harness"
	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/tree"
)

func passes(_ context.Context, _ harness.Test) (harness.TestResult, error) {
	return harness.TestResult{Judgment: tree.Raw(`{"verdict":"pass"}`)}, nil
}

// Wait waits for the runs that Wrap holds, and so does Evolve. A later query includes them.
func TestWaitKnowsWhatWrapHolds(t *testing.T) {
	m := open(t, t.TempDir(), nil)
	slow := make(chan struct{})
	judge := func(context.Context, harness.Test, harness.TestResult) (harness.JudgeVerdict, error) {
		<-slow
		return harness.JudgeVerdict{Reason: "It did not look at the postcode."}, nil
	}
	run := memtree.Wrap(m, passes, &harness.WrapOptions{Judge: judge})
	for _, id := range []string{"CASE_1", "CASE_2"} {
		_, err := run(t.Context(), harness.Test{ID: id, Prompt: ask.Prompt + " of " + id, Scene: ask.Scene})
		require.NoError(t, err)
	}
	soon, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	require.ErrorIs(t, m.Wait(soon), context.DeadlineExceeded, "they are being judged")
	close(slow)
	require.NoError(t, m.Wait(t.Context()))
	s, err := m.Tree().Info(t.Context())
	require.NoError(t, err)
	require.Equal(t, 2, s.Evaluations)
	require.Zero(t, s.Outbox)
	require.NotEmpty(t, nodes(t, m))
}

// Close waits for a run that is being judged, and records it with the judge's verdict.
func TestCloseWaitsForTheJudge(t *testing.T) {
	dir := t.TempDir()
	m := open(t, dir, nil)
	began := make(chan struct{})
	judge := func(ctx context.Context, _ harness.Test, _ harness.TestResult) (harness.JudgeVerdict, error) {
		close(began)
		select {
		case <-time.After(50 * time.Millisecond):
		case <-ctx.Done():
			return harness.JudgeVerdict{}, ctx.Err()
		}
		return harness.JudgeVerdict{Correct: true}, nil
	}
	_, err := memtree.Wrap(m, passes, &harness.WrapOptions{Judge: judge})(t.Context(), harness.Test{ID: "x", Prompt: "p"})
	require.NoError(t, err)
	<-began
	require.NoError(t, m.Close())
	m = open(t, dir, nil)
	require.NoError(t, m.Wait(t.Context()))
	require.NoError(t, m.Close())
	for _, e := range entries(t, reopen(t, dir)) {
		if e.Verdict != nil {
			require.True(t, e.Verdict.Labelled, "its judge was heard")
			return
		}
	}
	t.Fatal("the run was not recorded")
}

// After Close a wrapped function still runs, as if without memory. The log says that its runs
// are not recorded.
func TestWrapAfterClose(t *testing.T) {
	dir := t.TempDir()
	var log bytes.Buffer
	m := open(t, dir, &memtree.Options{Logger: slog.New(slog.NewTextHandler(&log, nil))})
	require.NoError(t, m.Record(t.Context(), missed(1)))
	require.NoError(t, m.Wait(t.Context()))
	run := memtree.Wrap(m, func(_ context.Context, c harness.Test) (harness.TestResult, error) {
		require.Equal(t, ask.Prompt, c.Prompt)
		return harness.TestResult{Judgment: tree.Raw(`"pass"`)}, nil
	}, nil)
	require.NoError(t, m.Close())
	for range 20 {
		r, err := run(t.Context(), harness.Test{ID: "late", Prompt: ask.Prompt, Scene: ask.Scene})
		require.NoError(t, err)
		require.Empty(t, r.Trial)
		require.Nil(t, r.Risk)
	}
	require.Equal(t, 20, bytes.Count(log.Bytes(), []byte("a run was not recorded: memory is closed")))
	require.ErrorIs(t, m.Wait(t.Context()), store.ErrClosed)
	require.ErrorIs(t, m.Record(t.Context(), missed(2)), store.ErrClosed)
	_, err := m.Explain(t.Context(), ask)
	require.ErrorIs(t, err, store.ErrClosed)
	_, err = m.Risk(t.Context(), missed(3))
	require.ErrorIs(t, err, store.ErrClosed)
	_, err = m.Evolve(t.Context(), nil)
	require.ErrorIs(t, err, store.ErrClosed)

	m = open(t, dir, nil)
	s, err := m.Tree().Info(t.Context())
	require.NoError(t, err)
	require.Equal(t, 1, s.Evaluations)
}
