//go:build unix

package postgres_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/store/postgres"
	"github.com/memtree/memtree/store/postgres/pgtest"
	"github.com/memtree/memtree/tree"
)

// TestRefusals: what a database does not permit is a sentence with a remedy, and never has the password.
func TestRefusals(t *testing.T) {
	server := pgtest.Start(t, "fsync=off")
	server.Exec(t, "postgres", "CREATE DATABASE bare", "CREATE DATABASE newer", "CREATE DATABASE older",
		"CREATE DATABASE still", "CREATE ROLE guest LOGIN PASSWORD 's3cret'", "CREATE ROLE nologin")
	for _, db := range []string{"newer", "older", "still"} {
		s, err := postgres.Open(t.Context(), at(t, server, "postgres", db), postgres.Options{})
		require.NoError(t, err)
		require.NoError(t, s.Close())
	}
	server.Exec(t, "newer", "UPDATE memtree.needs SET schema = 99")
	server.Exec(t, "older", "DELETE FROM memtree.version WHERE version_id > 0")
	server.Exec(t, "postgres", "ALTER DATABASE still SET default_transaction_read_only = on")
	for name, c := range map[string]struct {
		user, db string
		o        postgres.Options
		want     string
	}{
		"no right to make the tables": {"guest", "bare", postgres.Options{}, "GRANT CREATE ON DATABASE"},
		"no right to the tables":      {"guest", "still", postgres.Options{}, "GRANT CREATE ON DATABASE"},
		"no such user":                {"nologin", "bare", postgres.Options{}, "does not let user \"nologin\" in"},
		"no such database":            {"postgres", "absent", postgres.Options{}, "make it with createdb"},
		"a newer schema":              {"postgres", "newer", postgres.Options{}, "upgrade memtree"},
		"an older schema":             {"postgres", "older", postgres.Options{ReadOnly: true}, "open it once for writing"},
		"no tables":                   {"postgres", "bare", postgres.Options{MustExist: true}, "has no tables of memtree"},
		"no such tree": {"postgres", "still&tree=absent", postgres.Options{MustExist: true},
			"has no such tree"},
	} {
		a := at(t, server, c.user+":s3cret", c.db)
		_, err := postgres.Open(t.Context(), a, c.o)
		require.ErrorContains(t, err, c.want, name)
		require.NotContains(t, err.Error(), "s3cret", name)
	}
	s, err := postgres.Open(t.Context(), at(t, server, "postgres", "still"), postgres.Options{Patience: time.Second})
	require.NoError(t, err, "a server that only lets read can be read")
	defer s.Close()
	_, err = s.Info(t.Context())
	require.NoError(t, err)
	_, err = s.Commit(t.Context(), store.Batch{Entries: []ledger.Entry{{At: noon,
		Evolved: &ledger.TreeChange{Changes: 1}}}})
	require.ErrorIs(t, err, store.ErrReadOnly)
	_, err = s.Accept(t.Context(), []tree.Evaluation{run(1)})
	require.ErrorIs(t, err, store.ErrReadOnly)
}

// TestNobodyAnswers: a server that is not there is ErrAway.
func TestNobodyAnswers(t *testing.T) {
	a, err := postgres.Parse("postgres://ann:s3cret@127.0.0.1:1/db")
	require.NoError(t, err)
	_, err = postgres.Open(t.Context(), a, postgres.Options{})
	require.ErrorIs(t, err, store.ErrAway)
	require.NotContains(t, err.Error(), "s3cret")
}

// TestDeletedWhileOpen: a tree that is deleted from the database is a sentence for those who still serve it.
func TestDeletedWhileOpen(t *testing.T) {
	server := pgtest.Shared(t)
	s, err := postgres.Open(t.Context(), at(t, server, "postgres", "postgres&tenant=doomed"), postgres.Options{})
	require.NoError(t, err)
	defer s.Close()
	server.Exec(t, "postgres", "DELETE FROM memtree.tree WHERE tenant = 'doomed'")
	_, err = s.Commit(t.Context(), store.Batch{Entries: []ledger.Entry{{At: noon,
		Evolved: &ledger.TreeChange{Changes: 1}}}})
	require.ErrorContains(t, err, "was deleted from the database")
	_, err = s.Accept(t.Context(), []tree.Evaluation{run(1)})
	require.ErrorContains(t, err, "was deleted from the database")
	_, err = s.Info(t.Context())
	require.ErrorContains(t, err, "was deleted from the database")
}

// TestTwoVersions: two programs work side by side on a schema that a newer one has made, if that lets the older one. If
// it does not, one that runs writes no more as soon as it has seen that, and answers from what it reads.
func TestTwoVersions(t *testing.T) {
	server := pgtest.Start(t, "fsync=off")
	a := at(t, server, "postgres", "postgres")
	older := opened(t, a)
	server.Exec(t, "postgres", "ALTER TABLE memtree.node ADD COLUMN more text NOT NULL DEFAULT ''",
		"CREATE TABLE memtree.more (tree bigint)", "INSERT INTO memtree.version (version_id, is_applied) VALUES (98, true)")
	add := func(i int) store.Batch {
		return store.Batch{Changes: []tree.Change{tree.NewChange(tree.OpAdd, aCase(i), 0, "formation", "wrong")}}
	}
	for i, s := range []*postgres.Store{older, opened(t, a)} {
		_, err := s.Commit(t.Context(), add(i))
		require.NoError(t, err)
		_, err = s.Accept(t.Context(), []tree.Evaluation{run(i)})
		require.NoError(t, err)
	}
	server.Exec(t, "postgres", "UPDATE memtree.needs SET schema = 99")
	_, err := older.Commit(t.Context(), add(3))
	var format *store.FormatError
	require.ErrorAs(t, err, &format)
	require.ErrorContains(t, err, "needs a memtree that knows schema 99: this one knows")
	_, err = older.Accept(t.Context(), []tree.Evaluation{run(3)})
	require.ErrorAs(t, err, &format)
	info, err := older.Info(t.Context())
	require.NoError(t, err)
	require.Equal(t, []int{2, 2}, []int{info.Nodes, info.Evaluations})
	_, err = postgres.Open(t.Context(), a, postgres.Options{ReadOnly: true})
	require.ErrorAs(t, err, &format)
}

// TestFollowerSeesVersion: one that only follows sees it too, before it writes.
func TestFollowerSeesVersion(t *testing.T) {
	server := pgtest.Start(t, "fsync=off")
	s := opened(t, at(t, server, "postgres", "postgres"))
	server.Exec(t, "postgres", "UPDATE memtree.needs SET schema = 99")
	_, err := s.Head(t.Context())
	require.NoError(t, err)
	_, err = s.Accept(t.Context(), []tree.Evaluation{run(1)})
	require.ErrorContains(t, err, "upgrade memtree")
}

// TestRightToRead: a user who may only read opens a tree for reading, and is told what a write needs.
func TestRightToRead(t *testing.T) {
	server := pgtest.Start(t, "fsync=off")
	_, err := opened(t, at(t, server, "postgres", "postgres")).Commit(t.Context(), entries("", 1))
	require.NoError(t, err)
	server.Exec(t, "postgres", "CREATE ROLE reader LOGIN", "GRANT USAGE ON SCHEMA memtree TO reader",
		"GRANT SELECT ON ALL TABLES IN SCHEMA memtree TO reader")
	s, err := postgres.Open(t.Context(), at(t, server, "reader", "postgres"), postgres.Options{})
	require.NoError(t, err)
	defer s.Close()
	require.Equal(t, map[string]int{"v1": 1}, count(t, s))
	_, err = s.Commit(t.Context(), entries("", 2))
	require.ErrorContains(t, err, `user "reader" may not do this`)
	_, err = s.Accept(t.Context(), []tree.Evaluation{run(1)})
	require.ErrorContains(t, err, "GRANT")
	_, err = s.Lease(t.Context(), 1)
	require.ErrorContains(t, err, "GRANT")
}

// TestOtherClock: a server whose clock is an hour behind, and is then set right, leads to no loss and nothing twice.
// The leases of a process end at once by that, and its commit of what another one has formed meanwhile conflicts.
func TestOtherClock(t *testing.T) {
	server := pgtest.Start(t, "fsync=off")
	server.Exec(t, "postgres", "CREATE DATABASE clock")
	a := at(t, server, "postgres", "clock")
	require.NoError(t, opened(t, a).Close())
	clock := func(off string) {
		server.Exec(t, "clock", "CREATE OR REPLACE FUNCTION other.clock_timestamp() RETURNS timestamptz LANGUAGE sql "+
			"AS $$ SELECT pg_catalog.clock_timestamp() + interval '"+off+"' $$")
	}
	server.Exec(t, "clock", "CREATE SCHEMA other", "ALTER DATABASE clock SET search_path = other, pg_catalog")
	clock("-1 hour")
	one, other := opened(t, a), opened(t, a)
	f, err := one.Head(t.Context())
	require.NoError(t, err)
	require.WithinDuration(t, time.Now().Add(-time.Hour), f.Now, time.Minute, "answers have the server's time")
	_, err = one.Accept(t.Context(), []tree.Evaluation{run(1), run(2)})
	require.NoError(t, err)
	es, err := one.Lease(t.Context(), 9)
	require.NoError(t, err)
	require.Len(t, es, 2)
	es, err = other.Lease(t.Context(), 9)
	require.NoError(t, err)
	require.Empty(t, es)
	clock("0")
	es, err = other.Lease(t.Context(), 9)
	require.NoError(t, err)
	require.Len(t, es, 2, "the other one takes over")
	_, err = other.Commit(t.Context(), store.Batch{Done: []string{es[0].Key(), es[1].Key()}})
	require.NoError(t, err)
	_, err = one.Commit(t.Context(), store.Batch{Done: []string{es[0].Key()}})
	require.ErrorIs(t, err, store.ErrConflict)
	info, err := one.Info(t.Context())
	require.NoError(t, err)
	require.Equal(t, []int{2, 0}, []int{info.Evaluations, info.Outbox})
}

// TestDerivedDamaged: data beside the nodes whose hash is not that of what was saved is never given.
func TestDerivedDamaged(t *testing.T) {
	server := pgtest.Shared(t)
	a := address(t, server)
	s := opened(t, a)
	require.NoError(t, s.SaveDerived(t.Context(), "index", 1, writing("as it was")))
	server.Exec(t, "postgres", "UPDATE memtree.derived_piece SET body = 'as it is' WHERE tree = "+
		"(SELECT id FROM memtree.tree WHERE name = '"+a.Tree+"')")
	_, err := s.OpenDerived(t.Context(), "index")
	var corrupt *store.CorruptError
	require.ErrorAs(t, err, &corrupt)
	require.ErrorContains(t, err, "its hash is not that of what was saved")
	require.NoError(t, s.SaveDerived(t.Context(), "index", 1, writing("as it is again")))
	d, err := s.OpenDerived(t.Context(), "index")
	require.NoError(t, err)
	require.EqualValues(t, len("as it is again"), d.Size)
}

var noon = time.Date(2026, 1, 28, 12, 0, 0, 0, time.UTC)

// run returns the i-th judged run of the tests.
func run(i int) tree.Evaluation {
	return tree.Evaluation{ID: fmt.Sprint("ev", i), At: noon, Prompt: fmt.Sprint("Check order ", i),
		Judgment: tree.Raw(`"pass"`), GroundTruth: tree.Raw(`"fail"`)}
}

// at returns the address of a database; user may have a password, db may have further parameters.
func at(tb testing.TB, s *pgtest.Postgres, user, db string) postgres.Address {
	tb.Helper()
	name, more := db, ""
	for i := range db {
		if db[i] == '&' {
			name, more = db[:i], db[i:]
			break
		}
	}
	a, err := postgres.Parse(fmt.Sprintf("postgres://%s@127.0.0.1:%d/%s?sslmode=disable%s", user, s.Port, name, more))
	require.NoError(tb, err)
	return a
}
