package effect

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/tree"
)

func TestBlame(t *testing.T) {
	all := []string{"c_1", "c_2"}
	with, without := tree.Tried{Given: all}, tree.Tried{Correct: true}
	a := tree.Ablation{
		Trial: "t", Evaluation: "v", Pairs: 2, Given: all, Blame: tree.OnMemory, Culprits: all[1:],
		Tried: []tree.Tried{without, with, with, without},
	}
	b, ok := Blame(&a)
	require.True(t, ok)
	require.Equal(t, "c_2", b.Memory)
	require.Equal(t, []int{2, 2}, []int{b.With, b.Without})
	require.InDelta(t, 16, b.E, 1e-9, "4 for every pair")

	a.Tried = append(a.Tried, tree.Tried{Given: all[:1], Correct: true})
	more, ok := Blame(&a)
	require.True(t, ok)
	require.Greater(t, more.E, b.E, "without the culprit it passed once more")

	for name, spoil := range map[string]func(*tree.Ablation){
		"several":       func(a *tree.Ablation) { a.Culprits = all },
		"flaky":         func(a *tree.Ablation) { a.Blame, a.Culprits = tree.OnFlaky, nil },
		"not borne out": func(a *tree.Ablation) { a.Tried = append(a.Tried, tree.Tried{Given: all, Correct: true}) },
		"no run":        func(a *tree.Ablation) { a.Tried = nil },
		"damaged":       func(a *tree.Ablation) { a.Given = nil },
	} {
		x := a
		spoil(&x)
		_, ok := Blame(&x)
		require.False(t, ok, name)
	}
}
