//go:build unix

package postgres_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/store"
	jsonstore "github.com/memtree/memtree/store/json"
	"github.com/memtree/memtree/store/postgres"
	"github.com/memtree/memtree/store/postgres/pgtest"
	"github.com/memtree/memtree/store/storetest"
	"github.com/memtree/memtree/tree"
)

var replicaTrees atomic.Int64

func replicaAddress(tb testing.TB, s *pgtest.Postgres) postgres.Address {
	tb.Helper()
	a, err := postgres.Parse(s.URL("postgres") + fmt.Sprintf("&tree=r%d", replicaTrees.Add(1)))
	require.NoError(tb, err)
	return a
}

// openedReplica opens a replica with a journal in local, and closes it with the test.
func openedReplica(tb testing.TB, a postgres.Address, local string) *postgres.Replica {
	tb.Helper()
	s, err := postgres.Open(tb.Context(), a, postgres.Options{Patience: 2 * time.Second})
	require.NoError(tb, err)
	j, err := jsonstore.OpenDir(tb.Context(), local, jsonstore.Options{})
	require.NoError(tb, err)
	r, err := postgres.NewReplica(tb.Context(), s, postgres.ReplicaOptions{Local: j})
	require.NoError(tb, err)
	tb.Cleanup(func() { _ = r.Close() })
	return r
}

// TestReplicaIsAStore holds a replica to every law of store.Store: it sees what it has committed.
func TestReplicaIsAStore(t *testing.T) {
	server := pgtest.Shared(t)
	storetest.Run(t, func(tb testing.TB) func() (store.Store, error) {
		a := replicaAddress(tb, server)
		return func() (store.Store, error) {
			s, err := postgres.Open(tb.Context(), a, postgres.Options{})
			if err != nil {
				return nil, err
			}
			return postgres.NewReplica(tb.Context(), s, postgres.ReplicaOptions{})
		}
	})
}

// replicaEntries is a batch of one entry.
func replicaEntries(n int) store.Batch {
	return store.Batch{Entries: []ledger.Entry{{At: noon, Verdict: &ledger.Verdict{Evaluation: fmt.Sprint("v", n)}}}}
}

// add is a batch that adds a case.
func add(i int, text string) store.Batch {
	n := tree.Node{
		Type: tree.Case, Level: 1, ErrorType: "other_error", Direction: "other", Lang: "en", Status: tree.Active,
		Children: []string{}, Content: tree.Content{Description: text, Guidance: "Look.", Confidence: .5},
		CaseData: &tree.CaseData{TestCase: tree.TestCase{CaseID: fmt.Sprint("t", i), Prompt: fmt.Sprint("Check ", i)}},
	}
	n.ID = tree.EvidenceID(&n)
	return store.Batch{Changes: []tree.Change{tree.NewChange(tree.OpAdd, n, 0, "formation", text)}}
}

// TestFollows: a replica sees what another one commits, with the time of it.
func TestFollows(t *testing.T) {
	a := replicaAddress(t, pgtest.Shared(t))
	one, other := openedReplica(t, a, t.TempDir()), openedReplica(t, a, t.TempDir())
	b := add(1, "first")
	v, err := one.Commit(t.Context(), b)
	require.NoError(t, err)
	require.Eventually(t, func() bool { return other.Following().Version == v }, 5*time.Second, 5*time.Millisecond)
	n, err := other.Get(t.Context(), b.Changes[0].Node.ID)
	require.NoError(t, err)
	require.Equal(t, "first", n.Content.Description)
	require.WithinDuration(t, time.Now(), other.Following().AsOf, time.Minute, "the server is on this machine")
	require.Less(t, other.Following().Lag, 5*time.Second)
	require.NoError(t, other.Following().Away)
}

// TestHistoryChanged: a replica whose place is not in the history of the database any more, as after a restore of an
// older backup, reads the tree anew.
func TestHistoryChanged(t *testing.T) {
	server := pgtest.Shared(t)
	a := replicaAddress(t, server)
	r := openedReplica(t, a, t.TempDir())
	kept, lost := add(1, "kept"), add(2, "lost")
	_, err := r.Commit(t.Context(), kept)
	require.NoError(t, err)
	_, err = r.Commit(t.Context(), lost)
	require.NoError(t, err)
	other := add(3, "other")
	here := "tree = (SELECT id FROM memtree.tree WHERE name = '" + a.Tree + "')"
	server.Exec(t, "postgres", // another history of the same length: the commit that was lost, and another one for it
		"UPDATE memtree.commit SET hash = 'other' WHERE rev = 2 AND "+here+
			"; DELETE FROM memtree.node WHERE id = '"+lost.Changes[0].Node.ID+"' AND "+here+
			"; UPDATE memtree.tree SET hash = 'other', nodes = 1 WHERE name = '"+a.Tree+"'")
	s, err := postgres.Open(t.Context(), a, postgres.Options{})
	require.NoError(t, err)
	defer s.Close()
	_, err = s.Commit(t.Context(), other)
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		f := r.Following()
		return f.Anew == 1 && f.Version == 3
	}, 5*time.Second, 5*time.Millisecond)
	_, err = r.Get(t.Context(), other.Changes[0].Node.ID)
	require.NoError(t, err)
	_, err = r.Get(t.Context(), kept.Changes[0].Node.ID)
	require.NoError(t, err)
	_, err = r.Get(t.Context(), lost.Changes[0].Node.ID)
	require.ErrorIs(t, err, tree.ErrNotFound)
}

// TestAway: without the database a replica answers from memory and accepts into the journal of this machine. A restart
// of the process does not lose the journal, and afterwards everything is in the database once.
func TestAway(t *testing.T) {
	server := pgtest.Start(t, "fsync=off")
	a, local := replicaAddress(t, server), t.TempDir()
	r := openedReplica(t, a, local)
	b := add(1, "kept")
	_, err := r.Commit(t.Context(), b)
	require.NoError(t, err)
	receipts, err := r.Accept(t.Context(), []tree.Evaluation{run(1), run(2)})
	require.NoError(t, err)
	require.False(t, receipts[0].Here)
	server.Kill()
	require.Eventually(t, func() bool { return r.Following().Away != nil }, 10*time.Second, 5*time.Millisecond)
	require.ErrorIs(t, r.Following().Away, store.ErrAway)
	_, err = r.Get(t.Context(), b.Changes[0].Node.ID)
	require.NoError(t, err)
	begun := time.Now()
	_, err = r.Commit(t.Context(), replicaEntries(1))
	require.ErrorIs(t, err, store.ErrAway)
	require.Less(t, time.Since(begun), time.Second)
	for range 2 {
		receipts, err = r.Accept(t.Context(), []tree.Evaluation{run(2), run(3), run(4)})
		require.NoError(t, err)
		require.True(t, receipts[1].Here)
	}
	contradicts := run(1)
	contradicts.Prompt = "another one"
	_, err = r.Accept(t.Context(), []tree.Evaluation{contradicts})
	require.NoError(t, err)
	require.Equal(t, 4, r.Following().Waiting)
	require.NoError(t, r.Close())
	require.NoError(t, server.Run())
	r = openedReplica(t, a, local)
	require.Eventually(t, func() bool { return r.Following().Waiting == 0 }, 10*time.Second, 5*time.Millisecond)
	es, err := r.Lease(t.Context(), 99)
	require.NoError(t, err)
	var keys []string
	for i := range es {
		keys = append(keys, es[i].Key())
	}
	require.ElementsMatch(t, []string{"ev1", "ev2", "ev3", "ev4"}, keys)
}

// TestPaused: a server that does not answer is away after a while, and intake goes on.
func TestPaused(t *testing.T) {
	server := pgtest.Start(t, "fsync=off")
	r := openedReplica(t, replicaAddress(t, server), t.TempDir())
	server.Pause()
	require.Eventually(t, func() bool { return r.Following().Away != nil }, 15*time.Second, 5*time.Millisecond)
	receipts, err := r.Accept(t.Context(), []tree.Evaluation{run(1)})
	require.NoError(t, err)
	require.True(t, receipts[0].Here)
	server.Resume()
	require.Eventually(t, func() bool { return r.Following().Away == nil && r.Following().Waiting == 0 },
		15*time.Second, 5*time.Millisecond)
}

// TestPausedDuring: what is on its way to a server when that stops to answer is accepted here, and is there once later.
func TestPausedDuring(t *testing.T) {
	server := pgtest.Start(t, "fsync=off")
	r := openedReplica(t, replicaAddress(t, server), t.TempDir())
	_, err := r.Accept(t.Context(), []tree.Evaluation{run(0)})
	require.NoError(t, err)
	server.Pause()
	require.NoError(t, r.Following().Away)
	known, err := r.Knows(t.Context(), []string{"ev0"})
	require.NoError(t, err)
	require.Equal(t, []bool{false}, known)
	server.Resume()
	require.Eventually(t, func() bool { return r.Following().Away == nil }, 15*time.Second, 5*time.Millisecond)
	known, err = r.Knows(t.Context(), []string{"ev0", "ev1"})
	require.NoError(t, err)
	require.Equal(t, []bool{true, false}, known)
	server.Pause()
	require.NoError(t, r.Following().Away)
	receipts, err := r.Accept(t.Context(), []tree.Evaluation{run(1)})
	require.NoError(t, err)
	require.True(t, receipts[0].Here)
	server.Resume()
	require.Eventually(t, func() bool {
		info, err := r.Info(t.Context())
		return err == nil && r.Following().Waiting == 0 && info.Evaluations == 2 && info.Outbox == 2
	}, 15*time.Second, 5*time.Millisecond)
}

// refusing is a database that takes no evaluations because of an error, until it is willing.
type refusing struct {
	*postgres.Store
	err     error
	willing atomic.Bool
	refused atomic.Int64
}

func (f *refusing) Accept(ctx context.Context, es []tree.Evaluation) ([]store.Receipt, error) {
	if !f.willing.Load() {
		f.refused.Add(1)
		return nil, f.err
	}
	return f.Store.Accept(ctx, es)
}

func (f *refusing) Knows(ctx context.Context, keys []string) ([]bool, error) {
	if !f.willing.Load() {
		return nil, f.err
	}
	return f.Store.Knows(ctx, keys)
}

// TestRefused: what a database does not take is accepted here, whatever the reason, and is there once when it does. The
// log has one line about that, not one for each try.
func TestRefused(t *testing.T) {
	for _, err := range []error{
		store.ErrFull, &store.RefusedError{Why: store.OnlyReads, Problem: "only reads"}, store.ErrFailed,
		&store.FormatError{Problem: "needs a newer memtree"}, &pgconn.PgError{Code: "XX000"},
	} {
		t.Run(fmt.Sprintf("%T %[1]v", err), func(t *testing.T) { refusedBecause(t, err) })
	}
}

func refusedBecause(t *testing.T, because error) {
	s, err := postgres.Open(t.Context(), replicaAddress(t, pgtest.Shared(t)), postgres.Options{})
	require.NoError(t, err)
	j, err := jsonstore.OpenDir(t.Context(), t.TempDir(), jsonstore.Options{})
	require.NoError(t, err)
	below, log := &refusing{Store: s, err: because}, &bytes.Buffer{}
	r, err := postgres.NewReplica(t.Context(), below,
		postgres.ReplicaOptions{Local: j, Logger: slog.New(slog.NewTextHandler(log, nil))})
	require.NoError(t, err)
	defer r.Close()
	for range 2 {
		known, err := r.Knows(t.Context(), []string{"ev1"})
		require.NoError(t, err, "no question before an intake stops it")
		require.Equal(t, []bool{false}, known)
		receipts, err := r.Accept(t.Context(), []tree.Evaluation{run(1), run(2)})
		require.NoError(t, err)
		require.True(t, receipts[0].Here)
	}
	require.Eventually(t, func() bool { return below.refused.Load() > 4 }, 15*time.Second, 5*time.Millisecond)
	below.willing.Store(true)
	require.Eventually(t, func() bool {
		info, err := r.Info(t.Context())
		return err == nil && r.Following().Waiting == 0 && info.Evaluations == 2 && info.Outbox == 2
	}, 15*time.Second, 5*time.Millisecond)
	require.NoError(t, r.Close())
	require.Equal(t, 1, strings.Count(log.String(), "what was accepted without the database waits"), log)
}

// TestNotKept: what is wrong with an evaluation itself is an error, and nothing waits in the journal for ever.
func TestNotKept(t *testing.T) {
	s, err := postgres.Open(t.Context(), replicaAddress(t, pgtest.Shared(t)), postgres.Options{})
	require.NoError(t, err)
	j, err := jsonstore.OpenDir(t.Context(), t.TempDir(), jsonstore.Options{})
	require.NoError(t, err)
	below := &refusing{Store: s}
	r, err := postgres.NewReplica(t.Context(), below, postgres.ReplicaOptions{Local: j})
	require.NoError(t, err)
	defer r.Close()
	for _, because := range []error{
		&tree.FieldError{Field: "prompt", Problem: "is missing"}, store.ErrContradiction, &pgconn.PgError{Code: "22P05"},
		&pgconn.PgError{Code: "54000"},
	} {
		below.err = because
		_, err := r.Accept(t.Context(), []tree.Evaluation{run(1)})
		require.ErrorIs(t, err, because)
	}
	require.Zero(t, r.Following().Waiting)
}

// TestDeleted: of a tree that is deleted from the database while it is served, nothing is served any more.
func TestDeleted(t *testing.T) {
	server := pgtest.Shared(t)
	a := replicaAddress(t, server)
	r := openedReplica(t, a, t.TempDir())
	b := add(1, "theirs")
	_, err := r.Commit(t.Context(), b)
	require.NoError(t, err)
	server.Exec(t, "postgres", "DELETE FROM memtree.tree WHERE name = '"+a.Tree+"'")
	require.Eventually(t, func() bool {
		_, err := r.Get(t.Context(), b.Changes[0].Node.ID)
		return err != nil
	}, 5*time.Second, 5*time.Millisecond)
	_, err = r.Get(t.Context(), b.Changes[0].Node.ID)
	require.ErrorContains(t, err, "was deleted from the database")
	_, err = r.Accept(t.Context(), []tree.Evaluation{run(1)})
	require.ErrorContains(t, err, "was deleted from the database")
	require.ErrorContains(t, r.Following().Away, "was deleted from the database")
}

// TestFollowsInOrder: beside two writers and a transaction that stays open, as pg_dump does, a replica sees every
// commit in order: its history never changes.
func TestFollowsInOrder(t *testing.T) {
	server := pgtest.Shared(t)
	a := replicaAddress(t, server)
	r := openedReplica(t, a, t.TempDir())
	conn, err := pgx.Connect(t.Context(), server.URL("postgres"))
	require.NoError(t, err)
	defer conn.Close(context.Background())
	_, err = conn.Exec(t.Context(), "BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT pg_current_xact_id()")
	require.NoError(t, err)
	const each = 150
	done := make(chan error, 2)
	for w := range 2 {
		s, err := postgres.Open(t.Context(), a, postgres.Options{})
		require.NoError(t, err)
		t.Cleanup(func() { _ = s.Close() })
		go func() {
			for i := range each {
				if _, err := s.Commit(t.Context(), add(w*each+i, "x")); err != nil {
					done <- err
					return
				}
			}
			done <- nil
		}()
	}
	require.NoError(t, errors.Join(<-done, <-done))
	require.Eventually(t, func() bool { return r.Following().Version == 2*each }, 5*time.Second, 5*time.Millisecond)
	require.Zero(t, r.Following().Anew)
	n := 0
	for _, err := range r.Scan(t.Context(), store.Filter{}) {
		require.NoError(t, err)
		n++
	}
	require.Equal(t, 2*each, n)
}
