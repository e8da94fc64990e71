//go:build unix

package postgres_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

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
	_, err = s.Commit(t.Context(), tree.Batch{Entries: []tree.Entry{{At: noon, Evolved: &tree.Evolved{Changes: 1}}}})
	require.ErrorIs(t, err, tree.ErrReadOnly)
	_, err = s.Accept(t.Context(), []tree.Evaluation{run(1)})
	require.ErrorIs(t, err, tree.ErrReadOnly)
}

// TestNobodyAnswers: a server that is not there is ErrAway.
func TestNobodyAnswers(t *testing.T) {
	a, err := postgres.Parse("postgres://ann:s3cret@127.0.0.1:1/db")
	require.NoError(t, err)
	_, err = postgres.Open(t.Context(), a, postgres.Options{})
	require.ErrorIs(t, err, tree.ErrAway)
	require.NotContains(t, err.Error(), "s3cret")
}

// TestDeletedWhileOpen: a tree that is deleted from the database is a sentence for those who still serve it.
func TestDeletedWhileOpen(t *testing.T) {
	server := pgtest.Shared(t)
	s, err := postgres.Open(t.Context(), at(t, server, "postgres", "postgres&tenant=doomed"), postgres.Options{})
	require.NoError(t, err)
	defer s.Close()
	server.Exec(t, "postgres", "DELETE FROM memtree.tree WHERE tenant = 'doomed'")
	_, err = s.Commit(t.Context(), tree.Batch{Entries: []tree.Entry{{At: noon, Evolved: &tree.Evolved{Changes: 1}}}})
	require.ErrorContains(t, err, "was deleted from the database")
	_, err = s.Accept(t.Context(), []tree.Evaluation{run(1)})
	require.ErrorContains(t, err, "was deleted from the database")
	_, err = s.Info(t.Context())
	require.ErrorContains(t, err, "was deleted from the database")
}

var noon = time.Date(2026, 1, 28, 12, 0, 0, 0, time.UTC)

// run returns the i-th judged run of the tests.
func run(i int) tree.Evaluation {
	return tree.Evaluation{ID: fmt.Sprint("ev", i), At: noon, Prompt: fmt.Sprint("Check order ", i),
		Judgment: tree.Raw(`"pass"`), GroundTruth: tree.Raw(`"fail"`)}
}

// at returns the address of a database; user may have a password, db may have further parameters.
func at(tb testing.TB, s *pgtest.Server, user, db string) postgres.Address {
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
