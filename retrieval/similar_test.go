package retrieval

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/memtree/memtree/tree"
)

// Similar compares only cases that share a rare token. It finds the same as a comparison of all.
func TestSimilarIsExhaustive(t *testing.T) {
	words := strings.Fields("red green blue login cart total sum page open close sort filter list item price zone")
	rapid.Check(t, func(r *rapid.T) {
		text := rapid.Custom(func(r *rapid.T) string {
			return strings.Join(rapid.SliceOfN(rapid.SampledFrom(words), 1, 9).Draw(r, "words"), " ")
		})
		n := rapid.IntRange(1, 30).Draw(r, "nodes")
		var nodes []tree.Node
		ix := New(nil, nil)
		for i := range n {
			nodes = append(nodes, aCase(text.Draw(r, "text"), id(fmt.Sprintf("c_%d", i))))
			if i%7 == 6 || i == n-1 { // in several segments
				require.NoError(r, ix.Update(t.Context(), uint64(i), nodes[i-i%7:]))
			}
		}
		least := rapid.SampledFrom([]float64{0.1, 0.3, 0.5, 0.6, 0.9, 1}).Draw(r, "least")
		asked := &nodes[rapid.IntRange(0, n-1).Draw(r, "asked")]
		want := map[string]float64{}
		for i := range nodes {
			if v := overlap(keysOf(asked.Text()), keysOf(nodes[i].Text())); v >= least && nodes[i].ID != asked.ID {
				want[nodes[i].ID] = v
			}
		}
		near, err := ix.Similar(asked, n, least)
		require.NoError(r, err)
		got := map[string]float64{}
		for i, x := range near {
			got[x.ID] = x.Overlap
			require.True(r, i == 0 || near[i-1].Overlap >= x.Overlap, "best first")
		}
		require.Equal(r, want, got)
	})
}

// BenchmarkSimilar measures Similar in partitions of several sizes. Forming a case calls it once.
func BenchmarkSimilar(b *testing.B) {
	for _, n := range []int{1_000, 20_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			ix := New(nil, nil)
			var nodes []tree.Node
			for i := range n {
				nodes = append(nodes, aCase(fmt.Sprintf("check the total of order %d on page %d of list %d", i%977, i%89, i%13),
					id(fmt.Sprintf("c_%d", i))))
			}
			require.NoError(b, ix.Update(b.Context(), 1, nodes))
			for i := 0; b.Loop(); i++ {
				_, err := ix.Similar(&nodes[i*7919%n], 5, 0.6)
				require.NoError(b, err)
			}
		})
	}
}
