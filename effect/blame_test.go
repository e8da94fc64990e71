package effect

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/ledger"
)

func TestBlame(t *testing.T) {
	all := []string{"c_1", "c_2"}
	with, without := ledger.Tried{Given: all}, ledger.Tried{Correct: true}
	a := ledger.Ablation{
		Trial: "t", Evaluation: "v", Pairs: 2, Given: all, Blame: ledger.OnMemory, Culprits: all[1:],
		Tried: []ledger.Tried{without, with, with, without},
	}
	b, ok := Blame(&a)
	require.True(t, ok)
	require.Equal(t, "c_2", b.Memory)
	require.Equal(t, []int{2, 2}, []int{b.With, b.Without})
	require.InDelta(t, 16, b.E, 1e-9, "4 for every pair")

	a.Tried = append(a.Tried, ledger.Tried{Given: all[:1], Correct: true})
	more, ok := Blame(&a)
	require.True(t, ok)
	require.Greater(t, more.E, b.E, "without the culprit it passed once more")

	for name, spoil := range map[string]func(*ledger.Ablation){
		"several":       func(a *ledger.Ablation) { a.Culprits = all },
		"flaky":         func(a *ledger.Ablation) { a.Blame, a.Culprits = ledger.OnFlaky, nil },
		"not borne out": func(a *ledger.Ablation) { a.Tried = append(a.Tried, ledger.Tried{Given: all, Correct: true}) },
		"no run":        func(a *ledger.Ablation) { a.Tried = nil },
		"damaged":       func(a *ledger.Ablation) { a.Given = nil },
	} {
		x := a
		spoil(&x)
		_, ok := Blame(&x)
		require.False(t, ok, name)
	}
}
