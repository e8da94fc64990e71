package memtree_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/evolution"
	"github.com/memtree/memtree/fixtures"
	"github.com/memtree/memtree/ingest"
	"github.com/memtree/memtree/llm"
	"github.com/memtree/memtree/llm/llmtest"
	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/tree"
)

// learning opens a memory with the shipped runs of tool agents.
func learning(t *testing.T, dir string, gen llm.Generator) *memtree.Memory {
	t.Helper()
	m, err := memtree.Open(t.Context(), dir, &memtree.Options{
		Deadline: 10 * time.Second, Generator: gen, Now: func() time.Time {
			return time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
		},
	})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, m.Close()) })
	if gen == nil {
		_, err = m.RecordAll(t.Context(), runsOf(t))
		require.NoError(t, err)
		require.NoError(t, m.Wait(t.Context()))
	}
	return m
}

func runsOf(t *testing.T) (all []tree.Evaluation) {
	t.Helper()
	f, err := fixtures.Files.Open("tau.jsonl")
	require.NoError(t, err)
	defer func() { require.NoError(t, f.Close()) }()
	for e, err := range ingest.Read("tau.jsonl", f) {
		require.NoError(t, err)
		all = append(all, e)
	}
	return all
}

func dump(t *testing.T, m *memtree.Memory) string {
	t.Helper()
	var all []tree.Node
	for n, err := range m.Tree().Scan(t.Context(), store.Filter{}) {
		require.NoError(t, err)
		all = append(all, n)
	}
	b, err := json.Marshal(all)
	require.NoError(t, err)
	return string(b)
}

func changes(v evolution.Evolved) int {
	n := 0
	for _, p := range v.Plans {
		n += len(p.Changes)
	}
	return n
}

func TestEvolve(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "store")
	m := learning(t, dir, nil)
	before := dump(t, m)
	dry, err := m.Evolve(t.Context(), &memtree.EvolveOptions{DryRun: true})
	require.NoError(t, err)
	require.Equal(t, before, dump(t, m), "a dry run writes nothing")

	var told []evolution.PlanProgress
	v, err := m.Evolve(t.Context(), &memtree.EvolveOptions{Progress: func(s evolution.PlanProgress) {
		told = append(told, s)
	}})
	require.NoError(t, err)
	require.Equal(t, dry.Plans, v.Plans, "a dry run says what will be done")
	require.Equal(t, len(v.Plans), told[len(told)-1].Done)
	require.Positive(t, changes(v))
	s, err := tree.Count(m.Tree().Scan(t.Context(), store.Filter{}))
	require.NoError(t, err)
	require.Positive(t, s.Levels["experience"])
	_, err = m.Verify(t.Context(), func(problem error) { require.NoError(t, problem) })
	require.NoError(t, err)

	learned := dump(t, m)
	again, err := m.Evolve(t.Context(), nil)
	require.NoError(t, err)
	require.Zero(t, changes(again))
	require.Equal(t, learned, dump(t, m))
	rejected, err := m.Review().Rejected(t.Context())
	require.NoError(t, err)
	for _, r := range rejected {
		require.NotEmpty(t, r.Reasons)
	}

	require.NoError(t, m.Close())
	m, err = memtree.Open(t.Context(), dir, nil)
	require.NoError(t, err)
	defer func() { require.NoError(t, m.Close()) }()
	again, err = m.Evolve(t.Context(), nil)
	require.NoError(t, err)
	require.Zero(t, changes(again), "nor after opening again")
}

// interrupting is a model that ends the context at its at-th call.
type interrupting struct {
	mu        sync.Mutex // cases are read side by side
	calls, at int
	stop      context.CancelFunc
}

func (g *interrupting) Generate(ctx context.Context, r llm.Request) (llm.Answer, error) {
	g.mu.Lock()
	if g.calls++; g.calls == g.at && g.stop != nil {
		g.stop()
	}
	g.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return llm.Answer{}, &llm.Error{Kind: llm.KindCancelled, Err: err}
	}
	return llmtest.Echo{}.Generate(ctx, r)
}

// An interrupted Evolve retains the answers it has. The next one requests only the rest.
func TestEvolveGoesOn(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "store")
	require.NoError(t, learning(t, dir, nil).Close())
	ctx, cancel := context.WithCancel(t.Context())
	whole := &interrupting{at: 2}
	m := learning(t, dir, whole)
	dry, err := m.Evolve(t.Context(), &memtree.EvolveOptions{DryRun: true})
	require.NoError(t, err)
	require.Zero(t, whole.calls, "a dry run asks no model")
	require.Positive(t, dry.Waiting)
	whole.stop = cancel
	_, err = m.Evolve(ctx, nil)
	require.ErrorIs(t, err, context.Canceled)
	require.NoError(t, m.Close())

	rest := &interrupting{}
	m = learning(t, dir, rest)
	v, err := m.Evolve(t.Context(), nil)
	require.NoError(t, err)
	require.Positive(t, rest.calls)
	require.Equal(t, rest.calls, v.Calls)
	v, err = m.Evolve(t.Context(), nil)
	require.NoError(t, err)
	require.Zero(t, v.Calls, "what was refused is not asked for again")
	require.Zero(t, changes(v))
}

// Wherever Evolve is interrupted, the tree is the same in the end. So whether a lesson is good
// enough does not depend on the lessons that were learned before it.
func TestEvolveEndsTheSame(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "store")
	require.NoError(t, learning(t, dir, nil).Close())
	evolved := func(at int) (string, int) {
		mine := filepath.Join(t.TempDir(), "store")
		require.NoError(t, os.CopyFS(mine, os.DirFS(dir)))
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		g := &interrupting{at: at, stop: cancel}
		m := learning(t, mine, g)
		if _, err := m.Evolve(ctx, nil); at > 0 {
			require.ErrorIs(t, err, context.Canceled)
		}
		g.at = 0
		_, err := m.Evolve(t.Context(), nil)
		require.NoError(t, err)
		defer func() { require.NoError(t, m.Close()) }()
		return dump(t, m), g.calls
	}
	want, calls := evolved(0)
	require.Greater(t, calls, 1, "many groups a call, and again what was refused")
	for at := 1; at <= calls; at++ {
		got, _ := evolved(at)
		require.Equal(t, want, got, "interrupted at call %d of %d", at, calls)
	}
}

func TestEvolveReadOnly(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "store")
	require.NoError(t, learning(t, dir, nil).Close())
	m, err := memtree.Open(t.Context(), dir, &memtree.Options{ReadOnly: true})
	require.NoError(t, err)
	defer func() { require.NoError(t, m.Close()) }()
	_, err = m.Evolve(t.Context(), nil)
	require.ErrorIs(t, err, store.ErrReadOnly)
	v, err := m.Evolve(t.Context(), &memtree.EvolveOptions{DryRun: true})
	require.NoError(t, err)
	require.Positive(t, changes(v))
	require.True(t, slices.IsSortedFunc(v.Plans, func(a, b evolution.Plan) int {
		if a.ErrorType < b.ErrorType || a.ErrorType == b.ErrorType && a.Direction <= b.Direction {
			return -1
		}
		return 1
	}))
}

// hanging is a model that holds back its second answer about lessons until the test lets it go. Its
// first one is the first call of all, which goes alone.
type hanging struct {
	asked, free chan struct{}
	lessons     atomic.Int32 // requested
}

func (h *hanging) Generate(ctx context.Context, r llm.Request) (llm.Answer, error) {
	if strings.HasPrefix(r.Name, "evolve") {
		if h.lessons.Add(1) == 2 {
			close(h.asked)
			select {
			case <-h.free:
			case <-ctx.Done():
			}
		}
	}
	return llm.Answer{}, &llm.Error{Kind: llm.KindMalformed, Err: errors.New("not an answer")}
}

// While a model is called, guidance is given and runs are recorded. These change nodes that the plan was made on, so
// the plan is stale and is made again.
func TestNothingWaitsForTheModel(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "store")
	require.NoError(t, learning(t, dir, nil).Close())
	h := &hanging{asked: make(chan struct{}), free: make(chan struct{})}
	m := learning(t, dir, h)
	done := make(chan error, 1)
	go func() {
		_, err := m.Evolve(t.Context(), nil)
		done <- err
	}()
	<-h.asked
	all := runsOf(t)
	again := 0
	for i := range all {
		if all[i].Correct != nil && *all[i].Correct {
			continue
		}
		again++
		all[i].ID += "-again" // one more occurrence of every case that is being planned on
		all[i].RunID += "-again"
		require.NoError(t, m.Record(t.Context(), all[i]))
	}
	require.Positive(t, again)
	require.NoError(t, m.Wait(t.Context()))
	_, err := m.Guide(t.Context(), memtree.Query{Prompt: all[0].Prompt})
	require.NoError(t, err)
	close(h.free)
	require.NoError(t, <-done)
	s, err := tree.Count(m.Tree().Scan(t.Context(), store.Filter{}))
	require.NoError(t, err)
	require.Positive(t, s.Levels["experience"])
	v, err := m.Evolve(t.Context(), nil)
	require.NoError(t, err)
	require.Zero(t, v.Calls)
	require.Zero(t, changes(v))
}
