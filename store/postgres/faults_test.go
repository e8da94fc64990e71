//go:build unix

package postgres_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/store/postgres"
	"github.com/memtree/memtree/store/postgres/pgtest"
	"github.com/memtree/memtree/tree"
)

// faultsFor is how long the faults last; MEMTREE_FAULTS is another duration, and makes other tests do more too.
func faultsFor() time.Duration {
	if d, err := time.ParseDuration(os.Getenv("MEMTREE_FAULTS")); err == nil {
		return d
	}
	return 6 * time.Second
}

func long() bool { return os.Getenv("MEMTREE_FAULTS") != "" }

// TestKilled kills the server again and again during commits and intake, and pauses it once. What clients wrote down as
// acknowledged is there, once, and the history of each tree is linearizable.
func TestKilled(t *testing.T) {
	server := pgtest.Start(t, "wal_sync_method=fdatasync", "max_wal_size=1GB")
	h := newHistory(t, 3, func() postgres.Address { return address(t, server) })
	ctx, cancel := context.WithTimeout(t.Context(), faultsFor())
	defer cancel()
	var clients sync.WaitGroup
	for i := range 6 {
		clients.Go(func() { h.writes(ctx, i) })
		clients.Go(func() { h.records(ctx, i) })
	}
	clients.Go(func() { h.reads(ctx) })
	kills := 0
	for ctx.Err() == nil {
		time.Sleep(900 * time.Millisecond)
		if kills++; kills%4 == 3 {
			server.Pause()
			time.Sleep(300 * time.Millisecond)
			server.Resume()
			continue
		}
		server.Kill()
		require.NoError(t, server.Run())
	}
	clients.Wait()
	h.check(kills)
}

// TestCluster hurts three nodes under Patroni, which cluster/cluster.sh starts: the primary is killed and paused in
// turn. Commits are linearizable. Reads are not asked for: a primary that was paused answers as before for a moment,
// until Patroni has made it a standby. MEMTREE_CLUSTER is the URL of the nodes; make cluster runs this.
func TestCluster(t *testing.T) {
	url := os.Getenv("MEMTREE_CLUSTER")
	if url == "" {
		t.Skip("make cluster runs this: it needs root, etcd and Patroni")
	}
	n := 0
	h := newHistory(t, 3, func() postgres.Address {
		n++
		a, err := postgres.Parse(fmt.Sprintf("%s&tree=c%d-%d", url, n, time.Now().Unix()))
		require.NoError(t, err)
		return a
	})
	ctx, cancel := context.WithTimeout(t.Context(), faultsFor())
	defer cancel()
	var clients sync.WaitGroup
	for i := range 6 {
		clients.Go(func() { h.writes(ctx, i) })
		clients.Go(func() { h.records(ctx, i) })
	}
	faults := 0
	for ctx.Err() == nil {
		time.Sleep(10 * time.Second)
		what := []string{"kill", "kill", "pause"}[faults%3]
		out, err := exec.CommandContext(t.Context(), "cluster/cluster.sh", what).CombinedOutput() //nolint:gosec // ours
		require.NoError(t, err, "%s", out)
		begun := time.Now()
		for ctx.Err() == nil && !h.commits() {
			require.Less(t, time.Since(begun), 2*time.Minute, "no commit after %s", out)
		}
		t.Logf("%s: commits again after %s", bytes.TrimSpace(out), time.Since(begun).Round(100*time.Millisecond))
		faults++
	}
	clients.Wait()
	require.Eventually(t, func() bool { // the last fault may still be on
		_, err := h.stores[0].Info(t.Context())
		return err == nil
	}, 2*time.Minute, time.Second)
	h.check(faults)
}

// commits waits a moment, and reports whether any client had a commit acknowledged meanwhile.
func (h *history) commits() bool {
	count := func() (n int) {
		h.mu.Lock()
		defer h.mu.Unlock()
		for i := range h.ops {
			for j := range h.ops[i] {
				if op := &h.ops[i][j]; op.Input.(string) != "" && op.Output.(uint64) > 0 {
					n++
				}
			}
		}
		return n
	}
	before := count()
	time.Sleep(100 * time.Millisecond)
	return count() > before
}

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
}

func newHistory(t *testing.T, n int, next func() postgres.Address) *history {
	t.Helper()
	h := &history{t: t, begun: time.Now(), ops: make([][]porcupine.Operation, n)}
	for range n {
		a := next()
		for _, list := range []*[]*postgres.Store{&h.stores, &h.others} {
			s, err := postgres.Open(t.Context(), a, postgres.Options{Patience: 20 * time.Second})
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
	if client%2 == 0 {
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
		within := context.WithoutCancel(ctx)
		if id%5 == 0 {
			short, cancel := context.WithTimeout(within, time.Millisecond)
			within = short
			defer cancel()
		}
		v, err := s.Commit(within, b)
		first, unknown := errors.AsType[*tree.UnknownError](err)
		if unknown && id%2 == 0 {
			b.Op = first.Op
			v, err = s.Commit(context.WithoutCancel(ctx), b) // if that fails, the first one is as unknown as before
		}
		h.mu.Lock()
		op := porcupine.Operation{ClientId: client, Input: fmt.Sprint("v", id), Call: int64(call),
			Output: v, Return: int64(time.Since(h.begun))}
		switch _, now := errors.AsType[*tree.UnknownError](err); {
		case err == nil:
			h.ops[n] = append(h.ops[n], op)
		case unknown, now:
			h.unknown[n][op.Input.(string)] = len(h.ops[n])
			h.ops[n] = append(h.ops[n], op)
		case !errors.Is(err, tree.ErrAway) && !errors.Is(err, context.DeadlineExceeded):
			h.t.Errorf("commit: %v", err)
		}
		h.mu.Unlock()
	}
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
		h.ops[n] = append(h.ops[n], porcupine.Operation{ClientId: 100, Input: "", Call: int64(call),
			Output: info.Version, Return: int64(time.Since(h.begun))})
		h.mu.Unlock()
		time.Sleep(time.Millisecond)
	}
}

// records accepts evaluations, each again until it is acknowledged.
func (h *history) records(ctx context.Context, client int) {
	n, s := h.store(client)
	for ctx.Err() == nil {
		e := run(h.number())
		for {
			r, err := s.Accept(context.WithoutCancel(ctx), []tree.Evaluation{e})
			if err != nil {
				if ctx.Err() != nil {
					return
				}
				time.Sleep(20 * time.Millisecond)
				continue
			}
			if r[0].Status == tree.Contradiction {
				h.t.Errorf("%s is %s", r[0].Key, r[0].Status)
			}
			h.mu.Lock()
			h.accepted[n][e.ID] = true
			h.mu.Unlock()
			break
		}
	}
}

// check compares what clients wrote down with what is there.
func (h *history) check(faults int) {
	h.t.Helper()
	all, accepted := 0, 0
	for n, s := range h.stores {
		at := map[string]uint64{}
		for e, err := range s.Ledger(h.t.Context(), 0) {
			require.NoError(h.t, err)
			require.NotContains(h.t, at, e.Verdict.Evaluation, "an entry is there twice")
			at[e.Verdict.Evaluation] = e.Seq
		}
		var ops []porcupine.Operation
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
		require.Empty(h.t, at, "their commits were reported as not made")
		require.True(h.t, porcupine.CheckOperations(versions, ops), "tree %d is not linearizable", n)
		all += len(ops)
		waiting := map[string]int{}
		for e, err := range s.Outbox(h.t.Context()) {
			require.NoError(h.t, err)
			waiting[e.ID]++
		}
		for id := range h.accepted[n] {
			require.Equal(h.t, 1, waiting[id], "%s was acknowledged", id)
		}
		accepted += len(h.accepted[n])
		_, err := s.Verify(h.t.Context(), func(problem error) { h.t.Error(problem) })
		require.NoError(h.t, err)
	}
	require.Greater(h.t, all, 100)
	require.Greater(h.t, accepted, 100)
	h.t.Log(strconv.Itoa(faults) + " faults; " + strconv.Itoa(all) + " operations linearizable, " +
		strconv.Itoa(accepted) + " evaluations acknowledged, 0 lost, 0 twice")
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
