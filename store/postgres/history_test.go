//go:build unix

package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/store/postgres"
	"github.com/memtree/memtree/tree"
)

// history is what clients did to trees and what they were answered.
type history struct {
	t      *testing.T
	begun  time.Time
	stores []*postgres.Store // one process; stores[i] is of tree i
	others []*postgres.Store // another process

	mu       sync.Mutex
	next     int
	ops      [][]porcupine.Operation // of each tree
	unknown  []map[string]int        // entry → index of its operation
	accepted []map[string]bool       // acknowledged evaluations of each tree
	last     []time.Duration         // the last acknowledged commit of each tree
	without  []time.Duration         // the longest time without one, of each tree
	commits  int                     // acknowledged
}

func newHistory(t *testing.T, n int, next func() postgres.Address) *history {
	t.Helper()
	h := &history{t: t, begun: time.Now(), ops: make([][]porcupine.Operation, n), last: make([]time.Duration, n),
		without: make([]time.Duration, n)}
	for range n {
		a := next()
		for _, list := range []*[]*postgres.Store{&h.stores, &h.others} {
			s, err := postgres.Open(t.Context(), a, postgres.Options{})
			require.NoError(t, err)
			t.Cleanup(func() { _ = s.Close() })
			*list = append(*list, s)
		}
		h.unknown, h.accepted = append(h.unknown, map[string]int{}), append(h.accepted, map[string]bool{})
	}
	return h
}

func (h *history) number() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.next++
	return h.next
}

// store returns the tree of a client and the process through which it works.
func (h *history) store(client int) (n int, s *postgres.Store) {
	n = client % len(h.stores)
	if client/len(h.stores)%2 == 0 {
		return n, h.stores[n]
	}
	return n, h.others[n]
}

// writes commits entries. Every fifth has little time, and is then committed again under its op or left unknown.
func (h *history) writes(ctx context.Context, client int) {
	n, s := h.store(client)
	for ctx.Err() == nil {
		id := h.number()
		b := entries("", id)
		call := time.Since(h.begun)
		within, cancel := context.WithCancel(context.WithoutCancel(ctx))
		if id%5 == 0 {
			within, cancel = context.WithTimeout(within, time.Millisecond)
		}
		v, err := s.Commit(within, b)
		cancel()
		first, unknown := errors.AsType[*store.UnknownError](err)
		if unknown && id%2 == 0 {
			b.Op = first.Op
			v, err = s.Commit(context.WithoutCancel(ctx), b) // if that fails, the first one is as unknown as before
		}
		h.wrote(n, porcupine.Operation{ClientId: client, Input: fmt.Sprint("v", id), Call: int64(call), Output: v,
			Return: int64(time.Since(h.begun))}, unknown, err)
		if err != nil {
			time.Sleep(10 * time.Millisecond)
		}
	}
}

// wrote writes down what a commit was answered.
func (h *history) wrote(n int, op porcupine.Operation, unknown bool, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch _, now := errors.AsType[*store.UnknownError](err); {
	case err == nil:
		h.ops[n] = append(h.ops[n], op)
		now := time.Duration(op.Return)
		h.without[n], h.last[n] = max(h.without[n], now-h.last[n]), now
		h.commits++
	case unknown, now:
		h.unknown[n][op.Input.(string)] = len(h.ops[n])
		h.ops[n] = append(h.ops[n], op)
	case !errors.Is(err, store.ErrAway) && !errors.Is(err, store.ErrFull) && !errors.Is(err, context.DeadlineExceeded):
		h.t.Errorf("commit: %v", err)
	}
}

// count returns how many commits were acknowledged.
func (h *history) count() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.commits
}

// enough reports whether there is something to check.
func (h *history) enough() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	runs := 0
	for _, accepted := range h.accepted {
		runs += len(accepted)
	}
	return h.commits > 200 && runs > 200
}

// until returns when so many commits were acknowledged, at the latest after a while.
func (h *history) until(commits int, most time.Duration) {
	for begun := time.Now(); h.count() < commits && time.Since(begun) < most; {
		time.Sleep(10 * time.Millisecond)
	}
}

// all reports whether every tree had a commit acknowledged after a moment.
func (h *history) all(after time.Duration) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, last := range h.last {
		if last <= after {
			return false
		}
	}
	return true
}

// stood returns the longest time in which a tree had no commit acknowledged, since the last call.
func (h *history) stood() (longest time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for n := range h.without {
		longest = max(longest, h.without[n])
		h.without[n] = 0
	}
	return longest
}

// reads reads the versions of all trees.
func (h *history) reads(ctx context.Context) {
	for i := 0; ctx.Err() == nil; i++ {
		n, s := h.store(i)
		call := time.Since(h.begun)
		info, err := s.Info(ctx)
		if err != nil {
			time.Sleep(10 * time.Millisecond)
			continue
		}
		h.mu.Lock()
		h.ops[n] = append(h.ops[n], porcupine.Operation{ClientId: 1000, Input: "", Call: int64(call),
			Output: info.Version, Return: int64(time.Since(h.begun))})
		h.mu.Unlock()
		time.Sleep(time.Millisecond)
	}
}

// records accepts evaluations, some in a call, one call each pace; each again until it is acknowledged.
func (h *history) records(ctx context.Context, client, each int, pace time.Duration) {
	n, s := h.store(client)
	for ctx.Err() == nil {
		es := make([]tree.Evaluation, each)
		for i := range es {
			es[i] = run(h.number())
		}
		begun := time.Now()
		r, err := s.Accept(context.WithoutCancel(ctx), es)
		for err != nil {
			if ctx.Err() != nil {
				return
			}
			time.Sleep(20 * time.Millisecond)
			r, err = s.Accept(context.WithoutCancel(ctx), es)
		}
		h.mu.Lock()
		for i := range r {
			if r[i].Status == store.Contradiction {
				h.t.Errorf("%s is %s", r[i].Key, r[i].Status)
			}
			h.accepted[n][es[i].ID] = true
		}
		h.mu.Unlock()
		time.Sleep(pace - time.Since(begun))
	}
}

// found is what a history was compared with.
type found struct{ operations, unknown, runs int }

// check compares what clients wrote down with what is there.
func (h *history) check() (f found) {
	h.t.Helper()
	for n, s := range h.stores {
		at := map[string]uint64{}
		for e, err := range s.Ledger(h.t.Context(), 0) {
			require.NoError(h.t, err)
			require.NotContains(h.t, at, e.Verdict.Evaluation, "an entry is there twice")
			at[e.Verdict.Evaluation] = e.Seq
		}
		ops := h.resolved(n, at)
		require.Empty(h.t, at, "their commits were reported as not made")
		require.Equal(h.t, porcupine.Ok, porcupine.CheckOperationsTimeout(versions, ops, 3*time.Minute),
			"tree %d is not linearizable", n)
		f.operations += len(ops)
		f.unknown += len(h.unknown[n])
		waiting := map[string]int{}
		for e, err := range s.Outbox(h.t.Context()) {
			require.NoError(h.t, err)
			waiting[e.ID]++
		}
		for id := range h.accepted[n] {
			require.Equal(h.t, 1, waiting[id], "%s was acknowledged", id)
		}
		f.runs += len(h.accepted[n])
		_, err := s.Verify(h.t.Context(), func(problem error) { h.t.Error(problem) })
		require.NoError(h.t, err)
	}
	require.Greater(h.t, f.operations, 100)
	require.Greater(h.t, f.runs, 100)
	return f
}

// resolved returns the operations of a tree with what became of those of which it was not known. It takes from at,
// which has the number of each entry, those that it finds.
func (h *history) resolved(n int, at map[string]uint64) (ops []porcupine.Operation) {
	h.t.Helper()
	for i, op := range h.ops[n] {
		id := op.Input.(string)
		if j, ok := h.unknown[n][id]; ok && i == j {
			if op.Return = int64(time.Since(h.begun)); at[id] == 0 {
				continue // it was not made
			}
			op.Output = at[id] // each commit has one entry, so numbers of entries are versions
		} else if id != "" {
			require.Equal(h.t, op.Output, at[id], "%s was acknowledged", id)
		}
		ops = append(ops, op)
		delete(at, id)
	}
	return ops
}

// versions is a tree as a counter: a write adds one and returns the sum, a read returns it.
var versions = porcupine.Model{
	Init: func() any { return uint64(0) },
	Step: func(state, input, output any) (bool, any) {
		now := state.(uint64)
		if input.(string) != "" {
			now++
		}
		return output.(uint64) == now, now
	},
}
