package retrieval

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/tree"
)

// Whether the cases are of several products depends on those alone that a search may use, in whatever segments.
func TestManyProducts(t *testing.T) {
	of := func(i int, product string) tree.Node {
		return aCase(fmt.Sprint("the basket shows item ", i), func(n *tree.Node) { n.Scope.Product = product })
	}
	one, two, three := of(1, "shop"), of(2, "shop"), of(3, "bank")
	for _, c := range []struct {
		name    string
		batches [][]tree.Node
		exclude []string
		want    bool
	}{
		{name: "none"},
		{name: "one product", batches: [][]tree.Node{{one, two}}},
		{name: "two products", batches: [][]tree.Node{{one, two, three}}, want: true},
		{name: "in two segments", batches: [][]tree.Node{{one, two}, {three}}, want: true},
		{name: "one is excluded", batches: [][]tree.Node{{one, two}, {three}}, exclude: []string{three.ID}},
		{name: "the others are excluded", batches: [][]tree.Node{{one, two}, {three}}, exclude: []string{one.ID, two.ID}},
		{name: "excluded in its segment", batches: [][]tree.Node{{one, two, three}}, exclude: []string{three.ID}},
		{name: "it moved", batches: [][]tree.Node{{one, three}, {of(4, "shop"), of(5, "shop"), moved(three)}}},
	} {
		ix := New(nil, nil)
		ix.atOnce = 0 // no merge
		for i, nodes := range c.batches {
			require.NoError(t, ix.Update(t.Context(), uint64(i), nodes))
		}
		s, _, err := ix.begin(t.Context(), ix.state.Load(), &Query{Prompt: "the basket", Exclude: c.exclude})
		require.NoError(t, err)
		require.Equal(t, c.want, s.manyProducts(), c.name)
		ix.release(s)
	}
}

func moved(n tree.Node) tree.Node {
	n.Scope.Product = "shop"
	n.Revision++
	return n
}
