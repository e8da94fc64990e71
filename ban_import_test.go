package memtree_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/curation"
	"github.com/memtree/memtree/transfer"
	"github.com/memtree/memtree/tree"
)

// TestATrustedImportNamesABan: what a person banned here stays banned when a trusted file has it in use, and the plan
// says so, each time.
func TestATrustedImportNamesABan(t *testing.T) {
	m := summed(t, 4)
	file := exported(t, m, nil)
	lesson := liveOf(t, m, tree.Experience)[0]
	_, err := m.Curation().Ban(t.Context(), lesson.ID, curation.Options{By: "ann"})
	require.NoError(t, err)
	for range 2 {
		p := imported(t, m, file, &transfer.ImportOptions{Trust: true})
		require.Equal(t, 1, p.Counts[transfer.Held])
		i := slices.IndexFunc(p.Items, func(x transfer.NodePlan) bool { return x.ID == lesson.ID })
		require.GreaterOrEqual(t, i, 0)
		require.Equal(t, transfer.Held, p.Items[i].Class)
		require.Equal(t, transfer.WhyBanned, p.Items[i].Why)
	}
	n, err := m.Tree().Get(t.Context(), lesson.ID)
	require.NoError(t, err)
	require.False(t, n.Live())
	problems(t, m)
}
