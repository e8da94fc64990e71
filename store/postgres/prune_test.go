//go:build unix

package postgres_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/store/postgres"
	"github.com/memtree/memtree/store/postgres/pgtest"
)

// TestPrune: commits are dropped when they are old and every process that follows the tree has them. The tree stays
// whole, its history goes on, and a follower that comes back from before it reads the tree anew.
func TestPrune(t *testing.T) {
	server := pgtest.Shared(t)
	a := address(t, server)
	s, slow := opened(t, a), opened(t, a)
	of := "tree = (SELECT id FROM memtree.tree WHERE name = '" + a.Tree + "')"
	place := func() postgres.HistoryPoint {
		f, err := s.Head(t.Context())
		require.NoError(t, err)
		return f.Place
	}
	commit := func(n int) {
		_, err := s.Commit(t.Context(), entries("", n))
		require.NoError(t, err)
	}
	first := place()
	for n := range 6 {
		commit(n)
	}
	second := place()
	seen := func(s *postgres.Store, version uint64) { require.NoError(t, s.Seen(t.Context(), version)) }
	changes := func(after uint64) (err error) {
		for _, err = range s.Changes(t.Context(), after) {
		}
		return err
	}
	again := func() *postgres.Store { return opened(t, a) } // one that has not pruned yet
	seen(slow, 2)
	seen(again(), 6)
	require.NoError(t, changes(0), "all are new")
	server.Exec(t, "postgres", "UPDATE memtree.commit SET at = at - interval '8 days' WHERE rev < 6 AND "+of)
	seen(again(), 6)
	require.ErrorIs(t, changes(1), store.ErrCompacted)
	require.NoError(t, changes(2), "one process has no more")
	server.Exec(t, "postgres", "UPDATE memtree.replica SET seen = seen - interval '3 hours' WHERE rev = 2 AND "+of)
	seen(again(), 6)
	require.ErrorIs(t, changes(4), store.ErrCompacted)
	require.NoError(t, changes(5), "the last one is new")

	f, err := s.Feed(t.Context(), first)
	require.NoError(t, err)
	require.True(t, f.Anew)
	commit(7)
	f, err = s.Feed(t.Context(), second)
	require.NoError(t, err)
	require.False(t, f.Anew)
	require.EqualValues(t, 7, f.Place.Version)
	var problems []error
	_, err = s.Verify(t.Context(), func(err error) { problems = append(problems, err) })
	require.NoError(t, err)
	require.Empty(t, problems)
	require.Len(t, count(t, s), 7)
}
