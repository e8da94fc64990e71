package transfer_test

import (
	"iter"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/transfer"
	"github.com/memtree/memtree/tree"
)

func source(f forest) iter.Seq2[tree.Node, error] { return given(f.nodes()...) }

func TestDiff(t *testing.T) {
	a, b := forest{}, forest{}
	same, gone, added, changed := aCase("same"), aCase("gone"), aCase("added"), aCase("changed")
	a[same.ID], a[gone.ID], a[changed.ID] = same, gone, changed
	same.Revision = 9 // of its store alone
	changed.Status = tree.Retired
	changed.Content.Guidance = "Look twice."
	changed.Content.Lessons = nil
	changed.Metadata.UpdatedAt = changed.Metadata.UpdatedAt.Add(time.Hour)
	b[same.ID], b[added.ID], b[changed.ID] = same, added, changed
	d, err := transfer.Diff(source(a), source(b))
	require.NoError(t, err)
	require.Equal(t, 1, d.Same)
	require.Equal(t, []int{1, 2}, []int{d.Lessons.Added, d.Lessons.Gone})
	require.Equal(t, []string{gone.ID, added.ID, changed.ID}, []string{d.Gone[0].ID, d.Added[0].ID, d.Changed[0].ID})
	require.Equal(t, []transfer.Part{
		{Name: "status", Before: "active", After: "retired"},
		{Name: "guidance", Before: "Compare the total of changed", After: "Look twice."},
		{Name: "lesson", Before: "compare the amounts of changed add the items up"},
		{Name: "updated", Before: "2026-01-05T09:00:00.000Z", After: "2026-01-05T10:00:00.000Z"},
	}, d.Changed[0].Parts)
	back, err := transfer.Diff(source(b), source(a))
	require.NoError(t, err)
	require.Equal(t, d.Added, back.Gone)
	none, err := transfer.Diff(source(a), source(a))
	require.NoError(t, err)
	require.Equal(t, transfer.TreeDiff{Same: 3, Added: []transfer.Differs{}, Gone: []transfer.Differs{},
		Changed: []transfer.Differs{}}, none)
}
