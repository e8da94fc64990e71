package memtree_test

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/curation"
	"github.com/memtree/memtree/transfer"
	"github.com/memtree/memtree/tree"
)

// leaving returns what leaves a memory.
func leaving(t *testing.T, m *memtree.Memory) (out []tree.Node) {
	t.Helper()
	s, err := m.Transfer().Export(t.Context(), nil)
	require.NoError(t, err)
	for n, err := range s.Nodes(t.Context()) {
		require.NoError(t, err)
		out = append(out, n)
	}
	return out
}

func take(t *testing.T, m *memtree.Memory, nodes []tree.Node, trust bool) transfer.ImportPlan {
	t.Helper()
	p, err := m.Transfer().Import(t.Context(), all(nodes), &transfer.ImportOptions{Trust: trust})
	require.NoError(t, err)
	problems(t, m)
	return p
}

func all(nodes []tree.Node) func(func(tree.Node, error) bool) {
	return func(yield func(tree.Node, error) bool) {
		for _, n := range nodes {
			if !yield(n, nil) {
				return
			}
		}
	}
}

// A memory that a person forgot or banned is not brought back by an import, trusted or not, and the decision travels
// to trees that trust.
func TestWordsTravel(t *testing.T) {
	m := summed(t, 4)
	old := leaving(t, m) // a backup, or a branch of before
	n, lesson := caseOf(t, m, "r1"), liveOf(t, m, tree.Experience)[0]
	_, err := m.Curation().Forget(t.Context(), n.ID, curation.Options{By: "ann", Why: "no such cart"})
	require.NoError(t, err)
	_, err = m.Curation().Ban(t.Context(), lesson.ID, curation.Options{})
	require.NoError(t, err)
	evolve(t, m)
	for _, trust := range []bool{false, true} {
		p := take(t, m, old, trust)
		if !trust {
			i := slices.IndexFunc(p.Items, func(x transfer.NodePlan) bool { return x.ID == n.ID })
			require.Equal(t, transfer.WhyForgotten, p.Items[i].Why)
		}
		evolve(t, m)
		require.Empty(t, liveOf(t, m, tree.Experience))
		require.Len(t, liveOf(t, m, tree.Case), 3)
	}

	left := leaving(t, m)
	for _, x := range left {
		if x.ID == n.ID || x.ID == lesson.ID {
			require.True(t, x.Buried())
			require.NotContains(t, tree.Spelled(&x), "cart total")
			require.Less(t, len(tree.Spelled(&x)), 1500, "a tombstone is small")
		}
	}
	other := summed(t, 4)
	p := take(t, other, left, false)
	require.Len(t, liveOf(t, other, tree.Case), 4, "a stranger has nothing forgotten here")
	require.Positive(t, p.Counts[transfer.Held])
	take(t, other, left, true)
	evolve(t, other)
	require.Len(t, liveOf(t, other, tree.Case), 3)
	require.Empty(t, liveOf(t, other, tree.Experience), "a ban travels to those who trust")
	take(t, other, old, true)
	evolve(t, other)
	require.Len(t, liveOf(t, other, tree.Case), 3)

	for range 2 {
		_, err = m.Curation().Undo(t.Context(), "", curation.Options{Over: true})
		require.NoError(t, err)
	}
	evolve(t, m)
	take(t, other, leaving(t, m), true)
	evolve(t, other)
	require.Len(t, liveOf(t, other, tree.Case), 4, "so does taking it back")
	require.Len(t, liveOf(t, other, tree.Experience), 1)
}

// A banned strategy is not learned from experiences that are imported later.
func TestBannedStrategyAndImports(t *testing.T) {
	m := learning(t, filepath.Join(t.TempDir(), "store"), nil)
	evolve(t, m)
	strategies := liveOf(t, m, tree.Strategy)
	require.NotEmpty(t, strategies)
	others := leaving(t, m)
	s := strategies[0]
	_, err := m.Curation().Ban(t.Context(), s.ID, curation.Options{})
	require.NoError(t, err)
	for i := range others { // the same under other ids
		if others[i].ID == s.ID {
			others[i].ID = "s_another"
			for j := range others {
				if others[j].Parent == s.ID {
					others[j].Parent = "s_another"
				}
			}
		}
	}
	take(t, m, others, true)
	evolve(t, m)
	for _, x := range liveOf(t, m, tree.Strategy) {
		require.False(t, x.ErrorType == s.ErrorType && x.Direction == s.Direction)
	}
	problems(t, m)
}
