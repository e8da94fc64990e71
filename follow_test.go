package memtree_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/curation"
	"github.com/memtree/memtree/tree"
)

// TestReadOnlyFollows: each answer of a memory that only reads has what another process has committed before the
// question, above all what a person refused.
func TestReadOnlyFollows(t *testing.T) {
	dir := t.TempDir()
	m := open(t, dir, nil)
	r := open(t, dir, &memtree.Options{ReadOnly: true})
	given := func() int {
		g, err := r.Guide(t.Context(), ask)
		require.NoError(t, err)
		return len(g.Items)
	}
	require.Zero(t, given())
	require.NoError(t, m.Record(t.Context(), missed(1)))
	require.NoError(t, m.Wait(t.Context()))
	require.Equal(t, 1, given())
	id := liveOf(t, m, tree.Case)[0].ID
	_, err := m.Curation().Ban(t.Context(), id, curation.Options{By: "ann"})
	require.NoError(t, err)
	require.Zero(t, given())
	_, err = m.Curation().Undo(t.Context(), "", curation.Options{By: "ann"})
	require.NoError(t, err)
	require.Equal(t, 1, given())
	_, err = m.Curation().Forget(t.Context(), id, curation.Options{By: "ann", Why: "private", Purge: true})
	require.NoError(t, err)
	require.Zero(t, given())
	require.Eventually(t, func() bool { return r.Health().Memories == 0 }, 5*time.Second, time.Millisecond)
	require.NoError(t, m.Record(t.Context(), missed(2)))
	require.NoError(t, m.Wait(t.Context()))
	require.Equal(t, 1, given())
}
