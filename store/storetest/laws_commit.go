package storetest

import (
	"errors"
	"fmt"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/tree"
)

// commitLaws are the laws of Commit.
func commitLaws() []law {
	return []law{
		{"a version is one more, and nothing to do makes none", versions},
		{"a batch is all or none", allOrNone},
		{"a stale basis is ErrConflict", conflicts},
		{"a key that was applied last is a no-op", keys},
		{"changes of a batch see each other", func(t testing.TB, open opener) {
			s := openNew(t, open)
			first := addCase(1, "first")
			second := tree.NewChange(tree.OpRevise, aCase(1, "second"), 1, "evolution", "better")
			other := addCase(2, "x").On(first.Node.ID, 2)
			require.EqualValues(t, 1, commit(t, s, store.Batch{Changes: []tree.Change{first, second, second, other}}))
			n, err := s.Get(t.Context(), first.Node.ID)
			require.NoError(t, err)
			equal(t, second.Node, n)
			_, err = s.Commit(t.Context(), store.Batch{Changes: []tree.Change{addCase(3, "x"), addCase(3, "y")}})
			require.ErrorIs(t, err, store.ErrConflict, "the second was planned on nothing")
			_, err = s.Get(t.Context(), aCase(3, "").ID)
			require.ErrorIs(t, err, tree.ErrNotFound)
		}},
		{"committers at once", committers},
	}
}

// versions checks that a version is one more than the last, including after a restart, and that an empty batch makes
// none.
func versions(t testing.TB, open opener) {
	reopen := open(t)
	s := openAt(t, reopen)
	require.EqualValues(t, 0, commit(t, s, store.Batch{}))
	require.EqualValues(t, 1, commit(t, s, store.Batch{Changes: []tree.Change{addCase(1, "x")}}))
	require.EqualValues(t, 1, commit(t, s, store.Batch{}))
	require.EqualValues(t, 2, commit(t, s, store.Batch{Entries: []ledger.Entry{entry(1)}}))
	require.EqualValues(t, 2, commit(t, s, store.Batch{Changes: []tree.Change{addCase(1, "x")}}))
	require.NoError(t, s.Close())
	s = openAt(t, reopen)
	require.EqualValues(t, 2, commit(t, s, store.Batch{}))
	info, err := s.Info(t.Context())
	require.NoError(t, err)
	require.EqualValues(t, 2, info.Version)
	require.EqualValues(t, 3, commit(t, s, store.Batch{Changes: []tree.Change{addCase(2, "x")}}))
}

// allOrNone commits batches with one invalid part, and expects that nothing changes.
func allOrNone(t testing.TB, open opener) {
	reopen := open(t)
	s := openAt(t, reopen)
	_, err := s.Accept(t.Context(), []tree.Evaluation{evaluation(1, 1), evaluation(2, 1)})
	require.NoError(t, err)
	commit(t, s, store.Batch{Changes: []tree.Change{addCase(1, "x")}})
	before, err := storeText(t.Context(), s)
	require.NoError(t, err)
	stale := tree.NewChange(tree.OpRevise, aCase(1, "y"), 7, "evolution", "stale")
	for i, b := range []store.Batch{
		{Changes: []tree.Change{addCase(2, "x"), stale}},
		{Changes: []tree.Change{stale, addCase(2, "x")}, Done: []string{"ev1"}, Entries: []ledger.Entry{entry(1)}},
		{Changes: []tree.Change{addCase(2, "x")}, Done: []string{"ev1", "unknown"}, Entries: []ledger.Entry{entry(1)}},
		{Changes: []tree.Change{addCase(2, "x")}, Done: []string{"ev1", "ev1"}},
		{Dead: []store.DeadLetter{{Evaluation: evaluation(1, 1)}, {Evaluation: evaluation(3, 1)}},
			Entries: []ledger.Entry{entry(1)}},
	} {
		_, err := s.Commit(t.Context(), b)
		require.ErrorIs(t, err, store.ErrConflict, "batch %d", i)
		after, err := storeText(t.Context(), s)
		require.NoError(t, err)
		require.Equal(t, before, after, "batch %d", i)
	}
	require.NoError(t, s.Close())
	after, err := storeText(t.Context(), openAt(t, reopen))
	require.NoError(t, err)
	require.Equal(t, before, after)
}

// conflicts plans changes on every kind of stale basis, before and after a restart.
func conflicts(t testing.TB, open opener) {
	reopen := open(t)
	s := openAt(t, reopen)
	a, b := addCase(1, "x"), addCase(2, "x")
	commit(t, s, store.Batch{Changes: []tree.Change{a, b}})
	noBasis := tree.NewChange(tree.OpRevise, aCase(1, "y"), 1, "evolution", "w")
	noBasis.Basis = map[string]int{b.Node.ID: 1}
	for range 2 {
		for name, c := range map[string]tree.Change{
			"another revision":           tree.NewChange(tree.OpRevise, aCase(1, "y"), 2, "evolution", "w"),
			"planned as absent":          addCase(1, "y"),
			"planned as present":         tree.NewChange(tree.OpRevise, aCase(3, "y"), 1, "evolution", "w"),
			"another node has changed":   tree.NewChange(tree.OpRevise, aCase(1, "y"), 1, "evolution", "w").On(b.Node.ID, 2),
			"another node is there":      addCase(3, "y").On(b.Node.ID, 0),
			"another node is not there":  addCase(3, "y").On("c_absent", 1),
			"its own id is not in basis": noBasis,
		} {
			_, err := s.Commit(t.Context(), store.Batch{Changes: []tree.Change{c}})
			require.ErrorIs(t, err, store.ErrConflict, name)
		}
		require.NoError(t, s.Close())
		s = openAt(t, reopen)
	}
	good := tree.NewChange(tree.OpRevise, aCase(1, "y"), 1, "evolution", "w").On(b.Node.ID, 1).On("c_absent", 0)
	require.EqualValues(t, 2, commit(t, s, store.Batch{Changes: []tree.Change{good}}))
}

// keys applies changes again: the last change of a node is ignored, an earlier one conflicts.
func keys(t testing.TB, open opener) {
	reopen := open(t)
	s := openAt(t, reopen)
	first := addCase(1, "x")
	second := tree.NewChange(tree.OpRevise, aCase(1, "y"), 1, "evolution", "w")
	require.EqualValues(t, 1, commit(t, s, store.Batch{Changes: []tree.Change{first}}))
	require.EqualValues(t, 1, commit(t, s, store.Batch{Changes: []tree.Change{first}}))
	require.EqualValues(t, 2, commit(t, s, store.Batch{Changes: []tree.Change{second}}))
	require.NoError(t, s.Close())
	s = openAt(t, reopen)
	require.EqualValues(t, 2, commit(t, s, store.Batch{Changes: []tree.Change{second}}), "also after a restart")
	_, err := s.Commit(t.Context(), store.Batch{Changes: []tree.Change{first}})
	require.ErrorIs(t, err, store.ErrConflict, "applied, but not last")
	require.EqualValues(t, 3, commit(t, s, store.Batch{Changes: []tree.Change{second, addCase(2, "x")}}),
		"the rest is done")
	n, err := s.Get(t.Context(), first.Node.ID)
	require.NoError(t, err)
	equal(t, second.Node, n)
}

// committers race. Each adds to one counter node until it has succeeded a number of times.
// No addition may be lost, and all versions must be different.
func committers(t testing.TB, open opener) {
	const workers, times = 4, 8
	s := openNew(t, open)
	commit(t, s, store.Batch{Changes: []tree.Change{addCase(1, "0")}})
	id := aCase(1, "").ID
	type made struct {
		version uint64
		err     error
	}
	results := make(chan made, workers*times)
	for w := range workers {
		go func() {
			for i := range times {
				v, err := increment(t, s, id, fmt.Sprintf("worker %d time %d", w, i))
				results <- made{v, err}
			}
		}()
	}
	seen := map[uint64]bool{}
	for range workers * times {
		r := <-results
		require.NoError(t, r.err)
		require.False(t, seen[r.version], "version %d was made twice", r.version)
		seen[r.version] = true
	}
	n, err := s.Get(t.Context(), id)
	require.NoError(t, err)
	require.Equal(t, fmt.Sprint(workers*times), n.Content.Description)
	require.Equal(t, 1+workers*times, n.Revision)
}

// increment adds one to the number in a node. On a conflict it reads the node again.
func increment(t testing.TB, s store.Store, id, why string) (uint64, error) {
	for {
		n, err := s.Get(t.Context(), id)
		if err != nil {
			return 0, err
		}
		count, err := strconv.Atoi(n.Content.Description)
		if err != nil {
			return 0, err
		}
		n.Content.Description = strconv.Itoa(count + 1)
		v, err := s.Commit(t.Context(), store.Batch{Changes: []tree.Change{tree.NewChange(tree.OpRevise, n, n.Revision,
			"evolution", why)}})
		if !errors.Is(err, store.ErrConflict) {
			return v, err
		}
	}
}
