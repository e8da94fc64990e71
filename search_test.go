package memtree_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/curation"
	"github.com/memtree/memtree/find"
	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/tree"
)

// TestSearch: a text is found in every kind of memory, the best of each kind first; kinds, products, days and
// quotations select; what is asked wrongly has a sentence.
func TestSearch(t *testing.T) {
	ctx := t.Context()
	m := open(t, "", &memtree.Options{InMemory: true})
	_, err := m.RecordAll(ctx, several(6))
	require.NoError(t, err)
	require.NoError(t, m.Wait(ctx))
	_, err = m.Evolve(ctx, nil)
	require.NoError(t, err)
	masked, err := m.Curation().KnowFact(ctx, ledger.Statement{Text: "The order total is masked on purpose.",
		Scope: tree.Scope{Product: "bank"}}, curation.Options{By: "ann"})
	require.NoError(t, err)
	_, err = m.Map().Add(ctx, ledger.Walk{Source: "a", Product: "shop", Seen: []ledger.Sighting{
		{Kind: ledger.SeenElement, URL: "/cart", Role: "button", Name: "Order total"}}})
	require.NoError(t, err)
	kinds := func(q find.Search) (out []string) {
		hits, err := m.Search(ctx, q)
		require.NoError(t, err)
		for _, h := range hits {
			require.NotEmpty(t, h.Title)
			out = append(out, h.Kind)
		}
		return out
	}
	all := kinds(find.Search{Text: "order total required field empty"})
	require.Equal(t, []string{"case", "experience", "fact", "element"}, all[:4], "the best of each kind comes first")
	require.Equal(t, []string{"fact", "element"}, kinds(find.Search{Text: "order total"}), "no case fits")
	require.Equal(t, []string{"fact"}, kinds(find.Search{Text: `order "masked on purpose"`}))
	require.Equal(t, []string{"element"}, kinds(find.Search{Text: "order total", Kinds: []string{"element"}}))
	require.NotContains(t, kinds(find.Search{Text: "order total", Where: find.Query{Product: "shop"}}), "fact")
	require.Empty(t, kinds(find.Search{Text: "order total", Where: find.Query{Until: "2001-01-01"}}))
	require.Len(t, kinds(find.Search{Text: "order total", Limit: 2}), 2)
	_, err = m.Curation().ForgetFact(ctx, masked.Fact.ID, curation.Options{By: "ann"})
	require.NoError(t, err)
	require.Equal(t, []string{"element"}, kinds(find.Search{Text: "order total"}), "a forgotten fact is not found")
	for _, q := range []find.Search{{}, {Text: "x", Kinds: []string{"lesson"}},
		{Text: "x", Where: find.Query{Since: "monday"}}} {
		_, err := m.Search(ctx, q)
		require.ErrorAs(t, err, new(*tree.FieldError))
	}
}
