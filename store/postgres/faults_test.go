//go:build unix

package postgres_test

import (
	"context"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/store/postgres"
	"github.com/memtree/memtree/store/postgres/pgtest"
)

// faultsFor is how long the faults of one server last; MEMTREE_FAULTS is another duration, and makes other tests do
// more too.
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
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var clients sync.WaitGroup
	for i := range 6 {
		clients.Go(func() { h.writes(ctx, i) })
		clients.Go(func() { h.records(ctx, i, 1, 0) })
	}
	clients.Go(func() { h.reads(ctx) })
	kills := 0
	for begun := time.Now(); time.Since(begun) < faultsFor() || !h.enough(); {
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
	cancel()
	clients.Wait()
	f := h.check()
	t.Logf("%d faults; %d operations linearizable, %d evaluations acknowledged, 0 lost, 0 twice", kills, f.operations,
		f.runs)
}
