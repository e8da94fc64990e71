package memtree_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/curation"
	"github.com/memtree/memtree/find"
	"github.com/memtree/memtree/inbox"
	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/tree"
)

// What waits is chosen by every field of a query, alone and together; what a person skipped comes last.
func TestFind(t *testing.T) {
	m := crowded(t, 300)
	found := func(q find.Query) inbox.Inbox {
		t.Helper()
		box, err := m.Inbox().Find(t.Context(), q, 0, 0)
		require.NoError(t, err)
		require.Equal(t, box.Total, len(box.Waiting))
		return box
	}
	all := found(find.Query{}).Waiting
	require.Len(t, all, 300)
	require.Equal(t, 150, found(find.Query{Product: "shop"}).Total)
	require.Equal(t, 100, found(find.Query{Direction: "false_fail"}).Total)
	require.Equal(t, 200, found(find.Query{Run: "night-001"}).Total)
	require.Less(t, found(find.Query{Product: "shop", Words: "INVOICE"}).Total, 30)
	require.Zero(t, found(find.Query{Since: "2027-01-01"}).Total)
	for _, u := range found(find.Query{Above: all[10].Risk.P}).Waiting {
		require.GreaterOrEqual(t, u.Risk.P, all[10].Risk.P)
	}
	for n, err := range m.Tree().Scan(t.Context(), store.Filter{Level: 1}) {
		require.NoError(t, err)
		require.Positive(t, found(find.Query{ErrorType: n.ErrorType}).Total, "its test ran again")
	}
	require.Zero(t, found(find.Query{ErrorType: "nothing_error"}).Total)
	_, err := m.Inbox().Find(t.Context(), find.Query{Since: "soon"}, 0, 0)
	var field *tree.FieldError
	require.ErrorAs(t, err, &field)

	first := all[0].Evaluation.ID
	require.NoError(t, m.Inbox().Skip(first, true))
	now := found(find.Query{}).Waiting
	require.Equal(t, first, now[299].Evaluation.ID)
	require.True(t, now[299].Skipped)
	require.NoError(t, m.Inbox().Skip(first, false))
	require.Equal(t, first, found(find.Query{}).Waiting[0].Evaluation.ID)
	require.ErrorIs(t, m.Inbox().Skip("nobody", true), tree.ErrNotFound)

	some, err := m.Inbox().Find(t.Context(), find.Query{}, 290, 20)
	require.NoError(t, err)
	require.Len(t, some.Waiting, 10)
	require.Equal(t, 300, some.Total)
}

// Risk learns a label at its place in time, and the risks do not depend on when it was learned.
func TestRisksOfLabels(t *testing.T) {
	dir := t.TempDir()
	open := func() *memtree.Memory {
		m, err := memtree.Open(t.Context(), dir, nil)
		require.NoError(t, err)
		return m
	}
	m := open()
	fill(t, m, 60)
	risk := func(m *memtree.Memory) float64 {
		t.Helper()
		r, err := m.Risk(t.Context(), memtree.Evaluation{ID: "probe", CaseID: "T003",
			Prompt: "Open cart, check the total of the cart page", Judgment: tree.Raw(`{"verdict":"pass"}`)})
		require.NoError(t, err)
		return r.Order
	}
	word := func(id string, right bool) {
		t.Helper()
		_, err := m.Curation().Relabel(t.Context(), id, curation.Truth{Correct: &right}, curation.Options{})
		require.NoError(t, err)
		risk(m)
	}
	for _, id := range []string{"run-00403", "run-00401", "run-00420"} {
		word(id, false)
	}
	word("run-00402", true)
	word("run-00401", true)
	_, err := m.Curation().Undo(t.Context(), "run-00403", curation.Options{})
	require.NoError(t, err)
	risk(m)
	word("run-00403", false)
	word("run-00000", true) // it was wrong, as in its file
	before := risk(m)
	require.NoError(t, m.Close())
	gone := 0
	require.NoError(t, filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err == nil && !e.IsDir() && strings.HasPrefix(e.Name(), "risk") {
			gone++
			return os.Remove(path)
		}
		return err
	}))
	require.Positive(t, gone)
	m = open()
	require.Equal(t, before, risk(m))
	require.NoError(t, m.Close())
}
