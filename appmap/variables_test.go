package appmap_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/appmap"
	"github.com/memtree/memtree/ledger"
)

// pageWith returns a walk over one page with the controls given, and links.
func pageWith(url string, buttons []string, links ...string) ledger.Walk {
	w := ledger.Walk{Source: "explorer", Seen: []ledger.Sighting{{Kind: ledger.SeenPage, URL: url}}}
	for _, name := range append([]string{"Search"}, buttons...) {
		w.Seen = append(w.Seen, ledger.Sighting{Kind: ledger.SeenElement, URL: url, Role: "button", Name: name})
	}
	for _, to := range links {
		w.Seen = append(w.Seen, ledger.Sighting{Kind: ledger.SeenLink, URL: url, To: to})
	}
	return w
}

func routesOf(m *appmap.Map) (out []string) {
	for _, p := range m.Pages("shop") {
		out = append(out, p.Page)
	}
	return out
}

// Pages of objects are one page, whether a list leads to them or there are several; those of a menu are different.
func TestObjects(t *testing.T) {
	edit := []string{"Edit", "Delete", "Attach"}
	home := pageWith("/", nil, "/team", "/items", "/settings/mail")
	for name, c := range map[string]struct {
		walks []ledger.Walk
		want  []string
	}{
		"a list leads to them": {[]ledger.Walk{
			home, pageWith("/items", []string{"Add"}, "/items/red", "/items/blue"),
			pageWith("/items/red", edit), pageWith("/items/blue", edit),
		}, []string{"/", "/items", "/items/:p", "/settings/mail", "/team"}},
		"several without a list": {[]ledger.Walk{
			home, pageWith("/team/ann", edit), pageWith("/team/bob", edit),
			pageWith("/team/eve", edit, "/team/ann"), pageWith("/team/joe", edit),
		}, []string{"/", "/items", "/settings/mail", "/team", "/team/:p"}},
		"a menu": {[]ledger.Walk{
			home, pageWith("/settings", edit, "/settings/mail", "/settings/phone"),
			pageWith("/settings/mail", edit, "/settings/phone"),
			pageWith("/settings/phone", edit, "/settings/mail"),
		}, []string{"/", "/items", "/settings", "/settings/mail", "/settings/phone", "/team"}},
		"other controls": {[]ledger.Walk{
			home, pageWith("/items", nil, "/items/new", "/items/import"), pageWith("/items/new", edit),
			pageWith("/items/import", []string{"Upload", "Preview", "Columns"}),
		}, []string{"/", "/items", "/items/import", "/items/new", "/settings/mail", "/team"}},
		"parts beside them": {[]ledger.Walk{
			home, pageWith("/items", nil, "/items/red", "/items/blue"), pageWith("/items/new", []string{"Save"}),
			pageWith("/items/red", edit), pageWith("/items/blue", edit),
		}, []string{"/", "/items", "/items/blue", "/items/new", "/items/red", "/settings/mail", "/team"}},
		"nothing of their own": {[]ledger.Walk{
			home, pageWith("/items", nil, "/items/faq", "/items/terms"),
			pageWith("/items/faq", nil), pageWith("/items/terms", nil),
		}, []string{"/", "/items", "/items/faq", "/items/terms", "/settings/mail", "/team"}},
	} {
		t.Run(name, func(t *testing.T) { require.Equal(t, c.want, routesOf(mapOf(c.walks...))) })
	}
}

// A page that answers with an error is not one of the application, and neither is a picture; once the page is there,
// it is.
func TestMissingPages(t *testing.T) {
	gone := ledger.Walk{Source: "explorer", Seen: []ledger.Sighting{{Kind: ledger.SeenPage, URL: "/gone", Status: 404}}}
	m := mapOf(pageWith("/", nil, "/gone", "/logo.v2.PNG", "/here"), gone)
	c := m.Coverage("shop")
	require.Equal(t, 2, c.Pages.All)
	require.Equal(t, 1, c.Missing)
	require.Equal(t, 1, c.Links)
	p, ok := m.Page("shop", "/gone")
	require.True(t, ok)
	require.Equal(t, 404, p.Status)
	for _, g := range m.Gaps("shop", nil) {
		require.NotEqual(t, "/gone", g.Page, fmt.Sprint(g))
	}
	m = mapOf(pageWith("/", nil, "/gone"), gone, pageWith("/gone", nil))
	require.Equal(t, 2, m.Coverage("shop").Pages.All)
}

// Addresses that differ by session, order, hash or query are one page.
func TestQueriesDoubleNothing(t *testing.T) {
	var walks []ledger.Walk
	for i := range 50 {
		walks = append(walks, pageWith(fmt.Sprintf("/list;jsessionid=%d?sid=%d&sort=%d#top%d", i, i, i, i), []string{"Add"},
			fmt.Sprintf("/list?page=%d", i), fmt.Sprintf("/cart?sid=%d", i)))
	}
	m := mapOf(walks...)
	require.Equal(t, []string{"/cart", "/list"}, routesOf(m))
	c := m.Coverage("shop")
	require.Equal(t, 2, c.Elements.All)
	require.Equal(t, 1, c.Links)
}
