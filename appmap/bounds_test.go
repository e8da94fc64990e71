package appmap_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/appmap"
	"github.com/memtree/memtree/ledger"
)

// Of a graph with a million ways the map holds as many as it has room for, counts the rest, and answers in time.
func TestAMillionWays(t *testing.T) {
	if testing.Short() {
		t.Skip("with -short: a million ways take some seconds to build")
	}
	m := appmap.New()
	page := func(i int) string { return fmt.Sprintf("/%c%c/p%c", 'a'+i%26, 'a'+i/26%26, 'a'+i/676%26) }
	for i := range 2000 {
		w := ledger.Walk{Source: "a", Product: "shop"}
		for k := range 500 {
			w.Seen = append(w.Seen, ledger.Sighting{Kind: ledger.SeenLink, URL: page(i), To: page((i + k + 1) % 2000),
				Name: "go"})
		}
		w.Identify()
		m.Add(&ledger.Entry{Walk: &w})
	}
	c := m.Coverage("shop")
	require.LessOrEqual(t, c.Links, appmap.MostElements)
	require.Equal(t, 1_000_000, c.Links+c.Left)
	began := time.Now()
	_, ok := m.Path("shop", page(0), page(700))
	require.True(t, ok)
	m.Draw(appmap.MapView{Product: "shop"})
	require.Less(t, time.Since(began), 20*time.Second)
	t.Log(time.Since(began))
}

// Selectors and names that are scripts are data: they are found as they are, and no test that is written has them.
func TestScriptsInSelectors(t *testing.T) {
	evil := "page.evaluate(() => fetch('//evil.test'))"
	w := ledger.Walk{Source: "a", Product: "shop"}
	for range 8 {
		a := click("/", "button", "<script>alert(1)</script>", "/b")
		a.Selector = evil
		w.Seen = append(w.Seen, a)
	}
	m := mapOf(w)
	found := m.Find(appmap.SelectorQuery{Text: "script alert button"})
	require.Len(t, found, 1)
	require.Equal(t, evil, found[0].Selector)
	s, err := m.Script("shop", "/", "/b")
	require.NoError(t, err)
	require.NotContains(t, s.Code, "evaluate")
	require.Zero(t, s.Proven)
}
