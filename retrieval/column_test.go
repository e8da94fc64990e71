package retrieval

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/tree"
)

// The sums are those of all lists, to the last bit, although tokens that most slots have are added up by columns. One
// that occurs more often than a byte holds has none.
func TestWordColumns(t *testing.T) {
	nodes := make([]tree.Node, manySlots)
	for i := range nodes {
		nodes[i] = aCase(fmt.Sprintf("button basket %d", i) + strings.Repeat(" total", i%4) + strings.Repeat(" price", i%5))
	}
	nodes[9] = aCase("price" + strings.Repeat(" basket", 300))
	ix := New(nil, nil)
	require.NoError(t, ix.Update(t.Context(), 1, nodes))
	s, _, err := ix.begin(t.Context(), ix.state.Load(), &Query{Prompt: "the price and total of a basket 3 button"})
	require.NoError(t, err)
	defer ix.release(s)
	p := &s.st.parts[0]
	want, columns := make([]float32, p.n), 0
	for i := range s.words {
		w := &s.words[i]
		if s.times[i] != nil {
			columns++
		}
		for l := w.lists[0]; l.n > 0; {
			postings, rest, err := p.next(l)
			require.NoError(t, err)
			require.True(t, addSharesPlain(postings, &w.factors, want))
			l = rest
		}
	}
	require.Equal(t, want, s.lex)
	if fast {
		require.Equal(t, 3, columns, "all but basket and 3")
	}
}
