//go:build unix

package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/store/postgres"
	"github.com/memtree/memtree/store/postgres/pgtest"
	"github.com/memtree/memtree/tree"
)

// entries is a batch of one entry, recognizable by n.
func entries(op string, n int) store.Batch {
	return store.Batch{Op: op, Entries: []ledger.Entry{{At: noon, Verdict: &ledger.Verdict{Evaluation: fmt.Sprint("v",
		n)}}}}
}

// count returns how often each entry is in the ledger.
func count(t testing.TB, s store.Reader) map[string]int {
	t.Helper()
	n := map[string]int{}
	for e, err := range s.Ledger(t.Context(), 0) {
		require.NoError(t, err)
		n[e.Verdict.Evaluation]++
	}
	return n
}

// TestOnce: a batch that is committed again under its op is made once.
func TestOnce(t *testing.T) {
	server := pgtest.Shared(t)
	s := opened(t, address(t, server))
	for range 3 {
		v, err := s.Commit(t.Context(), entries("a", 1))
		require.NoError(t, err)
		require.EqualValues(t, 1, v)
	}
	v, err := s.Commit(t.Context(), entries("b", 1))
	require.NoError(t, err)
	require.EqualValues(t, 2, v)
	require.Equal(t, map[string]int{"v1": 2}, count(t, s))
}

// TestJudgedSince: a verdict on a run is committed only if it takes every earlier one into account.
func TestJudgedSince(t *testing.T) {
	s := opened(t, address(t, pgtest.Shared(t)))
	for i := range 3 {
		_, err := s.Commit(t.Context(), entries("", i))
		require.NoError(t, err)
	}
	late := entries("", 1)
	late.Read = 1
	_, err := s.Commit(t.Context(), late)
	require.ErrorIs(t, err, store.ErrConflict)
	late.Read = 2
	_, err = s.Commit(t.Context(), late)
	require.NoError(t, err)
	other := entries("", 7)
	other.Read = 1
	_, err = s.Commit(t.Context(), other)
	require.NoError(t, err, "nobody judged that one")
}

// TestUnknown: a caller that stops waiting is given the op, and the commit goes on. Committed again, it is made once.
func TestUnknown(t *testing.T) {
	server := pgtest.Shared(t)
	a := address(t, server)
	s := opened(t, a)
	release := lockTree(t, server, a)
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	_, err := s.Commit(ctx, entries("", 1))
	var unknown *store.UnknownError
	require.ErrorAs(t, err, &unknown)
	require.ErrorContains(t, err, "commit again with the same op")
	require.ErrorIs(t, err, context.DeadlineExceeded)
	release()
	v, err := s.Commit(t.Context(), entries(unknown.Op, 1))
	require.NoError(t, err)
	require.EqualValues(t, 1, v)
	require.Equal(t, map[string]int{"v1": 1}, count(t, s))
}

// TestUnknownAtClose: Close waits for a commit whose caller has gone.
func TestUnknownAtClose(t *testing.T) {
	server := pgtest.Shared(t)
	a := address(t, server)
	s := opened(t, a)
	release := lockTree(t, server, a)
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	_, err := s.Commit(ctx, entries("", 1))
	require.ErrorIs(t, err, context.DeadlineExceeded)
	time.AfterFunc(100*time.Millisecond, release)
	require.NoError(t, s.Close())
	require.Equal(t, map[string]int{"v1": 1}, count(t, opened(t, a)))
}

// TestUnknownWhenLost: a commit whose server is lost at the end of it, and does not come back in time, is unknown. When
// the server is back, it is made once under its op.
func TestUnknownWhenLost(t *testing.T) {
	server := pgtest.Start(t, "synchronous_standby_names=absent")
	a := address(t, server)
	server.Exec(t, "postgres", "ALTER SYSTEM SET synchronous_commit = 'local'", "SELECT pg_reload_conf()")
	s, err := postgres.Open(t.Context(), a, postgres.Options{Patience: time.Second})
	require.NoError(t, err)
	defer s.Close()
	server.Exec(t, "postgres", "ALTER SYSTEM RESET synchronous_commit", "SELECT pg_reload_conf()")
	time.Sleep(200 * time.Millisecond)
	killed := make(chan struct{})
	time.AfterFunc(300*time.Millisecond, func() {
		server.Kill()
		close(killed)
	})
	_, err = s.Commit(t.Context(), entries("", 1)) // waits for a standby that never comes
	var unknown *store.UnknownError
	require.ErrorAs(t, err, &unknown)
	require.ErrorIs(t, err, store.ErrAway)
	<-killed
	require.NoError(t, server.Run())
	server.Exec(t, "postgres", "ALTER SYSTEM SET synchronous_commit = 'local'", "SELECT pg_reload_conf()")
	v, err := s.Commit(t.Context(), entries(unknown.Op, 1))
	require.NoError(t, err)
	require.EqualValues(t, 1, v)
	require.Equal(t, map[string]int{"v1": 1}, count(t, s))
}

// TestVanished: a process that is gone in the middle of a transaction, without a farewell, holds the tree for seconds.
// One that hung goes on: its connection has ended, and it takes another.
func TestVanished(t *testing.T) {
	a := address(t, pgtest.Shared(t))
	s := opened(t, a)
	pool, err := a.Pool(t.Context(), 1)
	require.NoError(t, err)
	defer pool.Close()
	tx, err := pool.Begin(t.Context())
	require.NoError(t, err)
	defer func() { _ = tx.Rollback(context.Background()) }() // pool.Close waits for it
	_, err = tx.Exec(t.Context(), `SELECT FROM memtree.tree WHERE tenant = $1 AND name = $2 FOR UPDATE`, a.Tenant, a.Tree)
	require.NoError(t, err)
	var idle string
	require.NoError(t, tx.QueryRow(t.Context(), `SHOW tcp_keepalives_idle`).Scan(&idle))
	require.Equal(t, "5", idle, "the server's own is two hours")
	within, cancel := context.WithTimeout(t.Context(), 40*time.Second)
	defer cancel()
	_, err = s.Commit(within, entries("", 1))
	require.NoError(t, err)
	require.Error(t, tx.Commit(t.Context()))
	require.NoError(t, pool.Ping(t.Context()))
}

// TestTwoProcesses: commits of two processes on one tree all have their own version, and one of two that plan on the
// same revision conflicts.
func TestTwoProcesses(t *testing.T) {
	server := pgtest.Shared(t)
	a := address(t, server)
	both := []*postgres.Store{opened(t, a), opened(t, a)}
	const each = 100
	results := make(chan error, 2)
	versions := make(chan uint64, 2*each)
	time.AfterFunc(200*time.Millisecond, lockTree(t, server, a)) // so that the first two meet
	for i, s := range both {
		go func() {
			for n := range each {
				v, err := s.Commit(t.Context(), entries("", i*each+n))
				if err != nil {
					results <- err
					return
				}
				versions <- v
			}
			results <- nil
		}()
	}
	require.NoError(t, errors.Join(<-results, <-results))
	close(versions)
	seen := map[uint64]bool{}
	for v := range versions {
		require.False(t, seen[v])
		seen[v] = true
	}
	require.Len(t, count(t, both[1]), 2*each)
	found, err := both[0].Verify(t.Context(), func(problem error) { t.Error(problem) })
	require.NoError(t, err)
	require.Equal(t, 2*each, found.Batches)
}

// TestOneForms: one process at a time leases, and another one once that has closed its store.
func TestOneForms(t *testing.T) {
	server := pgtest.Shared(t)
	a := address(t, server)
	first, second := opened(t, a), opened(t, a)
	_, err := second.Accept(t.Context(), []tree.Evaluation{run(1), run(2)})
	require.NoError(t, err)
	es, err := first.Lease(t.Context(), 1)
	require.NoError(t, err)
	require.Len(t, es, 1)
	es, err = second.Lease(t.Context(), 9)
	require.NoError(t, err)
	require.Empty(t, es, "the other one forms")
	require.NoError(t, first.Close())
	es, err = second.Lease(t.Context(), 9)
	require.NoError(t, err)
	require.Len(t, es, 2)
}

// TestTenants: a tree has nothing of another one, whatever is asked.
func TestTenants(t *testing.T) {
	server := pgtest.Shared(t)
	mine := opened(t, at(t, server, "postgres", "postgres&tenant=a"))
	theirs := opened(t, at(t, server, "postgres", "postgres&tenant=b"))
	_, err := theirs.Accept(t.Context(), []tree.Evaluation{run(1)})
	require.NoError(t, err)
	_, err = theirs.Commit(t.Context(), entries("x", 1))
	require.NoError(t, err)
	info, err := mine.Info(t.Context())
	require.NoError(t, err)
	require.Zero(t, info.Version+uint64(info.Evaluations+info.Outbox)+info.Entries) //nolint:gosec // counts
	require.Empty(t, count(t, mine))
	es, err := mine.Lease(t.Context(), 9)
	require.NoError(t, err)
	require.Empty(t, es)
	receipts, err := mine.Accept(t.Context(), []tree.Evaluation{run(1)})
	require.NoError(t, err)
	require.Equal(t, store.Accepted, receipts[0].Status, "known to the other one only")
	v, err := mine.Commit(t.Context(), entries("x", 1))
	require.NoError(t, err)
	require.EqualValues(t, 1, v, "the op is another's")
}

func opened(t testing.TB, a postgres.Address) *postgres.Store {
	t.Helper()
	s, err := postgres.Open(t.Context(), a, postgres.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// lockTree locks the row of a tree, as a commit under way does.
func lockTree(t testing.TB, server *pgtest.Postgres, a postgres.Address) (release func()) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), server.URL("postgres"))
	require.NoError(t, err)
	tag, err := conn.Exec(t.Context(), "BEGIN")
	require.NoError(t, err, tag)
	_, err = conn.Exec(t.Context(), "SELECT 1 FROM memtree.tree WHERE tenant = $1 AND name = $2 FOR UPDATE",
		a.Tenant, a.Tree)
	require.NoError(t, err)
	return func() { _ = conn.Close(context.Background()) }
}

// writing returns a function that writes a text.
func writing(text string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	}
}

// TestFoundWaitsForStandby: a server that ended while a write waited for its standby has that write afterwards, and
// alone. A repetition finds it, and is acknowledged no earlier than the standby has it, as the first one would have.
func TestFoundWaitsForStandby(t *testing.T) {
	writes := map[string]func(context.Context, *postgres.Store) error{
		"commit": func(ctx context.Context, s *postgres.Store) error {
			v, err := s.Commit(ctx, entries("a", 1))
			if err == nil {
				require.EqualValues(t, 1, v)
			}
			return err
		},
		"accept": func(ctx context.Context, s *postgres.Store) error {
			receipts, err := s.Accept(ctx, []tree.Evaluation{run(1)})
			if err == nil {
				require.Equal(t, store.Duplicate, receipts[0].Status)
			}
			return err
		},
	}
	for name, write := range writes {
		t.Run(name, func(t *testing.T) {
			server := pgtest.Start(t, "synchronous_standby_names=absent")
			server.Exec(t, "postgres", "ALTER SYSTEM SET synchronous_commit = 'local'", "SELECT pg_reload_conf()")
			a := address(t, server)
			require.NoError(t, opened(t, a).Close())
			server.Exec(t, "postgres", "ALTER SYSTEM RESET synchronous_commit", "SELECT pg_reload_conf()")
			time.Sleep(200 * time.Millisecond)
			s, err := postgres.Open(t.Context(), a, postgres.Options{Patience: time.Second})
			require.NoError(t, err)
			defer s.Close()
			lost := make(chan error, 1)
			go func() { lost <- write(t.Context(), s) }()
			waiting(t, server)
			server.Kill()
			require.Error(t, <-lost)
			require.NoError(t, server.Run())
			within, cancel := context.WithTimeout(t.Context(), 2*time.Second)
			defer cancel()
			require.ErrorIs(t, write(within, s), context.DeadlineExceeded, "the standby does not have it")
			server.Exec(t, "postgres", "ALTER SYSTEM SET synchronous_commit = 'local'", "SELECT pg_reload_conf()")
			server.Kill() // which ends the one that waits
			require.NoError(t, server.Run())
			require.NoError(t, write(t.Context(), s))
		})
	}
}

// waiting returns when a write waits for a standby.
func waiting(t *testing.T, server *pgtest.Postgres) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), server.URL("postgres"))
	require.NoError(t, err)
	defer conn.Close(context.Background())
	require.Eventually(t, func() bool {
		var n int
		err := conn.QueryRow(t.Context(), "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'").Scan(&n)
		return err == nil && n > 0
	}, 30*time.Second, 10*time.Millisecond)
}
