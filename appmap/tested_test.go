package appmap_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/appmap"
	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/tree"
)

// TestJudgedRunsAreTests checks that a page that a run was judged on, and an element that a run tested, count as
// tested, whether the walk or the run came first, and after a restart between the two.
func TestJudgedRunsAreTests(t *testing.T) {
	judged := []ledger.Entry{
		{Verdict: &ledger.Verdict{CaseID: "pay", Product: "shop", Scene: tree.Scene{Route: "https://shop.test/cart?x=1"}}},
		{Verdict: &ledger.Verdict{CaseID: "old", Product: "shop", Scene: tree.Scene{Route: "/orders/7"}}},
		{Verdict: &ledger.Verdict{Scene: tree.Scene{Route: "/help"}}},
		{Verdict: &ledger.Verdict{CaseID: "no network", Product: "shop", Scene: tree.Scene{Route: "/lost"},
			Excuse: "environment"}},
		{Verdict: &ledger.Verdict{CaseID: "else", Product: "bank", Scene: tree.Scene{Route: "/lost"}}},
		{Verdict: &ledger.Verdict{CaseID: "nowhere", Product: "shop"}},
		{Work: &ledger.Work{Run: "r", Kind: ledger.WorkTested, Page: "/cart", Name: "Pay", Product: "shop"}},
		{Work: &ledger.Work{Run: "r", Kind: ledger.WorkVisit, Page: "/lost", Product: "shop"}},
	}
	w := ledger.Walk{Source: "aria", Product: "shop", Seen: []ledger.Sighting{
		{Kind: ledger.SeenPage, URL: "/cart"}, {Kind: ledger.SeenPage, URL: "/lost"}, {Kind: ledger.SeenPage, URL: "/help"},
		{Kind: ledger.SeenElement, URL: "/cart", Role: "button", Name: "Pay"},
		{Kind: ledger.SeenElement, URL: "/cart", Role: "button", Name: "Empty"},
	}}
	for i := range 6 { // so many orders that /orders/:p is one page
		w.Seen = append(w.Seen, ledger.Sighting{Kind: ledger.SeenPage, URL: fmt.Sprintf("/orders/%d", i)})
	}
	w.Identify()
	walked := ledger.Entry{At: noon, Walk: &w}
	for name, add := range map[string]func(*appmap.Map) *appmap.Map{
		"the walk first": func(m *appmap.Map) *appmap.Map { m.Add(&walked); return addAll(m, judged) },
		"the runs first": func(m *appmap.Map) *appmap.Map { addAll(m, judged).Add(&walked); return m },
		"a restart between": func(m *appmap.Map) *appmap.Map {
			m = again(t, addAll(m, judged))
			m.Add(&walked)
			return m
		},
	} {
		t.Run(name, func(t *testing.T) {
			m := again(t, add(appmap.New()))
			c := m.Coverage("shop")
			require.Equal(t, appmap.Share{Tested: 3, All: 4}, c.Pages)
			require.Equal(t, appmap.Share{Tested: 1, All: 2}, c.Elements)
			cart, _ := m.Page("shop", "/cart")
			require.Equal(t, []string{"pay", "r"}, cart.Tests)
			var gaps []string
			for _, g := range m.Gaps("shop", nil) {
				if g.Kind != appmap.OrphanPage {
					gaps = append(gaps, string(g.Kind)+" "+g.Page+" "+g.Name)
				}
			}
			require.Equal(t, []string{"element /cart Empty", "page /lost "}, gaps)
		})
	}
}

func addAll(m *appmap.Map, es []ledger.Entry) *appmap.Map {
	for i := range es {
		m.Add(&es[i])
	}
	return m
}

// again returns the map that is loaded from what m saves.
func again(t *testing.T, m *appmap.Map) *appmap.Map {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, m.Save(&b))
	out, err := appmap.Load(&b)
	require.NoError(t, err)
	return out
}
