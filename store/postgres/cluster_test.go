//go:build unix

package postgres_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree"
	jsonstore "github.com/memtree/memtree/store/json"
	"github.com/memtree/memtree/store/postgres"
	"github.com/memtree/memtree/tree"
)

// faults are what cluster/cluster.sh does to the primary of three nodes.
var faults = []string{"kill", "pause", "peers", "clients", "answers", "alone", "full", "slow", "crash", "handover"}

// The sizes of TestCluster: trees, each with two writers in two processes; how often a fault is done at least; and the
// pace of calls of 100 evaluations.
const (
	clusterTrees  = 16
	clusterRounds = 3
	batchEvery    = 40 * time.Millisecond
)

// TestCluster hurts three nodes under Patroni, which cluster/cluster.sh starts, by one kind of fault after the other,
// each until clients have MEMTREE_OPERATIONS commits acknowledged (100,000), and three times at least. Nothing that was
// acknowledged is lost or there twice; the commits of each tree are linearizable; a service answers all along. Reads of
// the database are not asked for: a primary that was paused answers as before for a moment, until Patroni has made it a
// standby. MEMTREE_CLUSTER is the URL of the nodes, MEMTREE_KINDS another list of faults; make cluster runs this.
func TestCluster(t *testing.T) {
	url := os.Getenv("MEMTREE_CLUSTER")
	if url == "" {
		t.Skip("make cluster runs this: it needs root, etcd and Patroni")
	}
	operations, err := strconv.Atoi(os.Getenv("MEMTREE_OPERATIONS"))
	if err != nil {
		operations = 100_000
	}
	kinds := faults
	if some := os.Getenv("MEMTREE_KINDS"); some != "" {
		kinds = strings.Fields(some)
	}
	var all found
	var away []time.Duration
	for _, kind := range kinds {
		t.Run(kind, func(t *testing.T) {
			f, without := hurt(t, url, kind, operations)
			all.operations, all.runs, all.unknown = all.operations+f.operations, all.runs+f.runs, all.unknown+f.unknown
			away = append(away, without...)
		})
	}
	slices.Sort(away)
	t.Logf("%d faults of %d kinds: %d commits linearizable, %d runs acknowledged, 0 lost, 0 twice; "+
		"without commits p50 %s, p95 %s, longest %s", len(away), len(kinds), all.operations, all.runs,
		share(away, .5), share(away, .95), share(away, 1))
}

// hurt does a fault again and again, and returns what was found, and for each how long a tree was without commits.
func hurt(t *testing.T, url, kind string, operations int) (f found, without []time.Duration) {
	t.Helper()
	cluster(t, "wait")
	n := 0
	at := func() postgres.Address {
		n++
		a, err := postgres.Parse(fmt.Sprintf("%s&pool_max_conns=4&tree=%s%d-%d", url, kind, n, time.Now().Unix()))
		require.NoError(t, err)
		return a
	}
	h := newHistory(t, clusterTrees, at)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var clients sync.WaitGroup
	for i := range 2 * clusterTrees {
		clients.Go(func() { h.writes(ctx, i) })
	}
	clients.Go(func() { h.records(ctx, 0, 100, batchEvery) })
	service := ask(ctx, t, at(), &clients)
	begun := time.Now()
	for round := 0; round < clusterRounds || h.count() < operations && time.Since(begun) < 15*time.Minute; round++ {
		time.Sleep(5 * time.Second)
		h.stood()
		done := cluster(t, "hurt", kind)
		healed := time.Since(h.begun)
		for !h.all(healed) {
			require.Less(t, time.Since(h.begun)-healed, 2*time.Minute, "no commit after %s", done)
			time.Sleep(10 * time.Millisecond)
		}
		without = append(without, h.stood())
		cluster(t, "wait")
		t.Logf("%s: without commits %s; %d commits so far", done, share(without[len(without)-1:], 1), h.count())
		h.until(operations*(round+1)/clusterRounds, time.Minute)
	}
	cancel()
	clients.Wait()
	f = h.check()
	t.Logf("%d faults in %s: %d commits linearizable, the end of %d was unknown at first, %d runs acknowledged, 0 lost, "+
		"0 twice; %s", len(without), time.Since(begun).Round(time.Second), f.operations, f.unknown, f.runs, service.end())
	require.GreaterOrEqual(t, f.operations, operations)
	return f, without
}

// cluster runs the script.
func cluster(t *testing.T, args ...string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "cluster/cluster.sh", args...).CombinedOutput() //nolint:gosec // ours
	require.NoError(t, err, "%s", out)
	return string(bytes.TrimSpace(out))
}

// service is a memory on a replica, which is asked and told without a break.
type service struct {
	t       *testing.T
	memory  *memtree.Memory
	replica *postgres.Replica

	mu    sync.Mutex
	times []time.Duration // of guidance
	runs  int             // recorded
	here  int             // of them on the machine of the service
}

const remembered = "Check the order total of the cart"

// ask opens a service of a tree, which has to answer and to record until ctx ends.
func ask(ctx context.Context, t *testing.T, at postgres.Address, all *sync.WaitGroup) *service {
	t.Helper()
	below, err := postgres.Open(t.Context(), at, postgres.Options{})
	require.NoError(t, err)
	local, err := jsonstore.OpenDir(t.Context(), t.TempDir(), jsonstore.Options{})
	require.NoError(t, err)
	s := &service{t: t}
	s.replica, err = postgres.NewReplica(t.Context(), below, postgres.ReplicaOptions{Local: local})
	require.NoError(t, err)
	s.memory, err = memtree.Open(t.Context(), t.TempDir(), &memtree.Options{Store: s.replica})
	require.NoError(t, err)
	t.Cleanup(func() { _ = s.memory.Close() })
	e := run(0)
	e.Prompt, e.Reason = remembered, "The agent did not add up the cart."
	require.NoError(t, s.memory.Record(t.Context(), e))
	require.NoError(t, s.memory.Wait(t.Context()))
	all.Go(func() {
		for ctx.Err() == nil {
			s.guide(context.WithoutCancel(ctx))
			time.Sleep(20 * time.Millisecond)
		}
	})
	all.Go(func() {
		for i := 1; ctx.Err() == nil; i++ {
			s.record(context.WithoutCancel(ctx), i)
			time.Sleep(100 * time.Millisecond)
		}
	})
	return s
}

func (s *service) guide(ctx context.Context) {
	begun := time.Now()
	g, err := s.memory.Guide(ctx, memtree.Query{Prompt: remembered})
	took := time.Since(begun)
	if err != nil || len(g.Items) == 0 && g.Arm == "" {
		s.t.Errorf("no guidance: %v %+v", err, g)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.times = append(s.times, took)
}

func (s *service) record(ctx context.Context, i int) {
	receipts, err := s.replica.Accept(ctx, []tree.Evaluation{run(i)})
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil {
		s.t.Errorf("record: %v", err)
	} else if s.runs++; receipts[0].Here {
		s.here++
	}
}

// end waits until everything that was recorded is in the database, and returns what was seen.
func (s *service) end() string {
	s.t.Helper()
	require.Eventually(s.t, func() bool {
		info, err := s.replica.Info(s.t.Context())
		return err == nil && s.replica.Following().Waiting == 0 && info.Evaluations == s.runs+1
	}, time.Minute, 100*time.Millisecond, "%d runs were recorded", s.runs)
	slices.Sort(s.times)
	return fmt.Sprintf("guidance %d times, p50 %s, p99 %s, longest %s; %d runs recorded meanwhile, %d of them "+
		"without the database", len(s.times), share(s.times, .5), share(s.times, .99),
		share(s.times, 1), s.runs, s.here)
}

// share returns the value below which a share of sorted values is.
func share(sorted []time.Duration, of float64) time.Duration {
	if len(sorted) == 0 {
		return 0
	}
	d := sorted[min(len(sorted)-1, int(of*float64(len(sorted))))]
	if d > time.Second {
		return d.Round(100 * time.Millisecond)
	}
	return d.Round(10 * time.Microsecond)
}
