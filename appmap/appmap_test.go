package appmap_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/appmap"
	"github.com/memtree/memtree/internal/whole"
	"github.com/memtree/memtree/ledger"
)

var noon = time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)

// mapOf returns a map of walks of the product "shop".
func mapOf(walks ...ledger.Walk) *appmap.Map {
	m := appmap.New()
	for i := range walks {
		w := &walks[i]
		if w.Product == "" {
			w.Product = "shop"
		}
		w.Identify()
		m.Add(&ledger.Entry{At: noon.Add(time.Duration(i) * time.Minute), Walk: w})
	}
	return m
}

func click(url, role, name, to string) ledger.Sighting {
	return ledger.Sighting{
		Kind: ledger.SeenAction, URL: url, Do: "click", Role: role, Name: name, To: to,
		Selector: "page.getByRole('" + role + "', { name: '" + name + "' })",
	}
}

func TestPageOf(t *testing.T) {
	for address, want := range map[string]string{
		"https://shop.test/orders/42?x=1#y":   "/orders/:p",
		"https://shop.test":                   "/",
		"https://shop.test/":                  "/",
		"":                                    "/",
		"https://shop.test/app#!/cart/7":      "/app/cart/:p",
		"https://shop.test/#/cart?a=b":        "/cart",
		"#/cart":                              "/cart",
		"/reports/2026-05-01;jsessionid=9F3A": "/reports/:p",
		"/docs#part-2":                        "/docs",
		"/s/aZ3k9Qp1LmN0xY7t/files":           "/s/:p/files",
		"/users/3f2504e0-4f89-11d3-9a0c-0305e82c3301/": "/users/:p",
		"/articles/how-to-pay":                         "/articles/how-to-pay",
		"/v2/list":                                     "/v2/list",
		"/搜索/结果":                                       "/搜索/结果",
		"file:///srv/app/modal.html":                   "/srv/app/modal.html",
	} {
		t.Run(address, func(t *testing.T) {
			require.Equal(t, want, appmap.PageOf(address))
			require.Equal(t, want, appmap.PageOf(want), "it is its own page")
		})
	}
}

func TestAWalkCountsOnce(t *testing.T) {
	w := ledger.Walk{Source: "har", Seen: []ledger.Sighting{{Kind: ledger.SeenPage, URL: "/orders/1"}}}
	m := mapOf(w, w)
	require.Len(t, m.Pages("shop"), 1)
	require.Equal(t, 1, m.Pages("shop")[0].Seen)
}

func TestPlacesWithManyNamesAreOnePage(t *testing.T) {
	w := ledger.Walk{Source: "agent", Test: "t"}
	for i := range 40 {
		url := fmt.Sprintf("/articles/story-%c%c", 'a'+i%26, 'a'+i/26)
		w.Seen = append(w.Seen, ledger.Sighting{Kind: ledger.SeenPage, URL: url},
			ledger.Sighting{Kind: ledger.SeenElement, URL: url, Role: "button", Name: "Share"},
			click(url, "link", "Home", "/"))
	}
	w.Seen = append(w.Seen, ledger.Sighting{Kind: ledger.SeenLink, URL: "/", To: "/articles/story-aa"})
	m := mapOf(w)
	var pages []string
	for _, p := range m.Pages("shop") {
		pages = append(pages, p.Page)
	}
	require.Equal(t, []string{"/", "/articles/:p"}, pages)
	p, ok := m.Page("shop", "/articles/any-other")
	require.True(t, ok)
	require.Equal(t, 40, p.Seen)
	require.Len(t, p.Elements, 2, "Share and Home, once each")
	way, ok := m.Path("shop", "/", "/articles/any-other")
	require.True(t, ok)
	require.Len(t, way, 1)
}

func TestASelectorThatBeginsToFailSinksAtOnce(t *testing.T) {
	good := click("/login", "button", "Sign in", "/home")
	bad := good
	bad.Failed, bad.To = true, ""
	q := appmap.SelectorQuery{Text: "log in button", Product: "shop"}
	walk := func(n int, last ledger.Sighting) *appmap.Map {
		w := ledger.Walk{Source: "playwright"}
		for range n {
			w.Seen = append(w.Seen, good)
		}
		return mapOf(ledger.Walk{Source: "playwright", Seen: append(w.Seen, last)})
	}
	require.Empty(t, walk(4, good).Find(q), "five successes are too few")
	found := walk(5, good).Find(q)
	require.Len(t, found, 1, "six are enough")
	require.Equal(t, []any{"/login", 6, 6}, []any{found[0].Page, found[0].Tried, found[0].Worked})
	require.Empty(t, walk(400, bad).Find(q), "one failure after 400 successes")
	q.Least = -1
	require.NotEmpty(t, walk(0, bad).Find(q), "asked for all")
}

func TestFindPrefersTheFormOfPlaywright(t *testing.T) {
	byRole := click("/login", "button", "Sign in", "/home")
	byPath := byRole
	byPath.Selector = "//div[3]/button[1]"
	w := ledger.Walk{Source: "playwright"}
	for range 8 {
		w.Seen = append(w.Seen, byPath, byRole)
	}
	found := mapOf(w).Find(appmap.SelectorQuery{Text: "Sign in"})
	require.Len(t, found, 1)
	require.Equal(t, byRole.Selector, found[0].Selector)
}

func TestPath(t *testing.T) {
	m := mapOf(
		ledger.Walk{Source: "a", Seen: []ledger.Sighting{
			click("https://x.test/", "link", "Cart", "https://x.test/cart"),
			click("https://x.test/cart", "button", "Check out", "https://x.test/pay"),
			click("https://x.test/", "link", "Ad", "https://elsewhere.test/cart"),
			click("https://x.test/pay", "button", "Pay", "https://x.test/done/17"),
		}},
	)
	way, ok := m.Path("", "", "https://x.test/done/99")
	require.True(t, ok)
	var names []string
	for _, s := range way {
		names = append(names, s.From+" "+s.Do+" "+s.Name+" "+s.To)
	}
	require.Equal(t, []string{"/ click Cart /cart", "/cart click Check out /pay", "/pay click Pay /done/:p"}, names)
	_, ok = m.Path("", "/done/1", "/")
	require.False(t, ok, "there is no way back")
	_, ok = m.Path("", "/", "/nowhere")
	require.False(t, ok)
	way, ok = m.Path("", "/cart", "/cart")
	require.True(t, ok)
	require.Empty(t, way)
}

func TestCoverageAndGaps(t *testing.T) {
	m := mapOf(
		ledger.Walk{Source: "aria", Seen: []ledger.Sighting{
			{Kind: ledger.SeenPage, URL: "/login", Title: "Log in"},
			{Kind: ledger.SeenElement, URL: "/login", Role: "button", Name: "Sign in", Place: "form Log in"},
			{Kind: ledger.SeenElement, URL: "/login", Role: "link", Name: "Forgot?"},
			{Kind: ledger.SeenElement, URL: "/login", Role: "heading", Name: "Welcome"},
			{Kind: ledger.SeenPage, URL: "/lost"},
			{Kind: ledger.SeenCall, To: "/api/orders/7?page=2", Do: "GET"},
			{Kind: ledger.SeenFlow, Name: "pay", URL: "/login", To: "/home", Steps: []string{"sign in"}},
			{Kind: ledger.SeenRequirement, Code: "REQ-1", Name: "A user signs in with a password"},
			{Kind: ledger.SeenRequirement, Code: "REQ-2", Name: "An invoice is sent by mail", URL: "/lost"},
		}},
		ledger.Walk{Source: "playwright", Test: "sign in", Seen: []ledger.Sighting{
			{Kind: ledger.SeenPage, URL: "/login?next=a"}, click("/login", "button", "Sign in", "/home"),
			{Kind: ledger.SeenPage, URL: "/home"},
		}},
	)
	c := m.Coverage("shop")
	require.Equal(t, appmap.Share{Tested: 2, All: 3}, c.Pages)
	require.Equal(t, appmap.Share{Tested: 1, All: 2}, c.Elements, "a heading is nothing to act on")
	require.Equal(t, appmap.Share{Tested: 1, All: 1}, c.Flows, "one test was on both of its pages")
	require.Equal(t, appmap.Share{Tested: 0, All: 1}, c.Calls)
	gaps := m.Gaps("shop", func(page string) float64 {
		if page == "/lost" {
			return 3
		}
		return 0
	})
	var out []string
	for _, g := range gaps {
		out = append(out, fmt.Sprint(g.Kind, " ", g.Page, " ", g.Name, " ", g.Risk))
	}
	require.Equal(t, []string{
		"page /lost  3", "orphan /lost  3", "requirement /lost REQ-2 An invoice is sent by mail 3",
		"element /login Forgot? 0", "call  GET /api/orders/:p 0",
		"requirement  REQ-1 A user signs in with a password 0",
	}, out)
	rs := m.Requirements("shop", map[string]string{
		"t1": "Check that a user can sign in with a password", "t2": "The page has a footer",
		"REQ-2 mail": "…", "REQ-22": "…",
	})
	require.Len(t, rs, 2)
	require.Equal(t, "t1", rs[0].Checks[0].Test)
	require.Len(t, rs[0].Checks, 1)
	require.Equal(t, []appmap.RequirementTest{{Test: "REQ-2 mail", Confidence: .95}}, rs[1].Checks)
}

func TestSaveAndLoad(t *testing.T) {
	w := ledger.Walk{Source: "playwright", Test: "t", Build: "b1"}
	for i := range 50 {
		w.Seen = append(w.Seen, click(fmt.Sprintf("/a/x%c%d", 'a'+i%26, i), "button", fmt.Sprint("B", i%7), "/b"),
			ledger.Sighting{Kind: ledger.SeenCall, To: fmt.Sprint("/api/", i), Do: "GET", Status: 200 + i, URL: "/b"})
	}
	m := mapOf(w, ledger.Walk{Product: "other", Source: "har", Seen: []ledger.Sighting{{Kind: ledger.SeenPage, URL: "/"}}})
	var first, second, third bytes.Buffer
	require.NoError(t, m.Save(&first))
	back, err := appmap.Load(bytes.NewReader(first.Bytes()))
	require.NoError(t, err)
	require.NoError(t, back.Save(&second))
	require.Equal(t, first.String(), second.String())
	require.Equal(t, m.Coverage("shop"), back.Coverage("shop"))
	require.NoError(t, mapOf(w, ledger.Walk{Product: "other", Source: "har",
		Seen: []ledger.Sighting{{Kind: ledger.SeenPage, URL: "/"}}}).Save(&third))
	require.Equal(t, first.String(), third.String(), "the same ledger gives the same bytes")
	require.Equal(t, []string{"other", "shop"}, back.Products())
}

func FuzzLoad(f *testing.F) {
	var b bytes.Buffer
	_ = mapOf(ledger.Walk{Source: "a", Seen: []ledger.Sighting{click("/a", "link", "B", "/b")}}).Save(&b)
	plain, err := whole.Unseal(b.Bytes())
	require.NoError(f, err)
	f.Add(string(plain))
	f.Add(strings.Replace(string(plain), `"of":{"Seen"`, `"of":null,"x":{"Seen"`, 1))
	f.Fuzz(func(t *testing.T, s string) {
		m, err := appmap.Load(bytes.NewReader(whole.Seal([]byte(s))))
		if err != nil {
			return
		}
		for _, p := range m.Products() {
			m.Coverage(p)
			m.Gaps(p, nil)
			for _, g := range m.Pages(p) {
				m.Path(p, "", g.Page)
			}
			m.Find(appmap.SelectorQuery{Text: "b", Product: p, Least: -1})
		}
		require.NoError(t, m.Save(&bytes.Buffer{}))
	})
}

// A drawing has the start in its first column, each page once, and ways between drawn pages alone; it is the same each
// time.
func TestDraw(t *testing.T) {
	m := appmap.New()
	w := ledger.Walk{Source: "a", Product: "shop"}
	link := func(from, to string) {
		w.Seen = append(w.Seen, ledger.Sighting{Kind: ledger.SeenLink, URL: from, To: to, Name: to})
	}
	for _, to := range []string{"/cart", "/search", "/imprint"} {
		link("/", to)
		link(to, "/")
	}
	link("/cart", "/pay")
	for _, page := range []string{"/orphan", "/pay"} {
		w.Seen = append(w.Seen, ledger.Sighting{Kind: ledger.SeenPage, URL: page})
	}
	w.Identify()
	m.Add(&ledger.Entry{Walk: &w})
	weight := func(page string) float64 { return map[string]float64{"/pay": 3}[page] }
	view := appmap.MapView{Product: "shop", Weight: weight, Most: 10}
	all := m.Draw(view)
	require.Equal(t, all, m.Draw(view))
	columns := map[string]int{}
	for _, s := range all.Spots {
		columns[s.Page] = s.Column
	}
	require.Equal(t, map[string]int{"/": 0, "/cart": 1, "/search": 1, "/imprint": 1, "/pay": 2, "/orphan": 3}, columns)
	require.Len(t, all.Ways, 7)
	view.Most = 2
	two := m.Draw(view)
	require.Equal(t, "/", two.Spots[0].Page)
	require.Equal(t, "/pay", two.Spots[1].Page, "it weighs most")
	require.Empty(t, two.Ways)
	require.Equal(t, 4, two.Left)
	require.Zero(t, appmap.New().Draw(appmap.MapView{}))
}

// A map of 2,000 pages is drawn as places, none left out; in a place its pages are drawn, and a search finds one.
func TestDrawGroups(t *testing.T) {
	m := appmap.New()
	var pages []string
	for i := range 2000 {
		pages = append(pages, fmt.Sprintf("/area%c%c/part%c/page%c%c", 'a'+i%20/10, 'a'+i%10, 'a'+i/20%5,
			'a'+i/100, 'a'+i/2000))
	}
	for from := 0; from < len(pages); from += 400 {
		w := ledger.Walk{Source: "a", Product: "shop"}
		for _, page := range pages[from : from+400] {
			w.Seen = append(w.Seen, ledger.Sighting{Kind: ledger.SeenLink, URL: "/", To: page, Name: "go"})
		}
		w.Identify()
		m.Add(&ledger.Entry{Walk: &w})
	}
	began := time.Now()
	all := m.Draw(appmap.MapView{Product: "shop"})
	require.Less(t, time.Since(began), 2*time.Second)
	sum := 0
	for _, s := range all.Spots {
		sum += max(1, s.Group)
	}
	require.Zero(t, all.Left)
	require.Equal(t, 2001, sum)
	require.LessOrEqual(t, len(all.Spots), 80)
	require.Greater(t, len(all.Spots), 8)
	require.Equal(t, "/", all.Spots[0].Page)
	require.LessOrEqual(t, all.Rows, 12)
	area := all.Spots[len(all.Spots)-1]
	require.Positive(t, area.Group)
	below := m.Draw(appmap.MapView{Product: "shop", In: area.Page})
	require.Equal(t, area.Group, below.Pages)
	require.Zero(t, below.Left)
	found := m.Draw(appmap.MapView{Product: "shop", Text: pages[1234]})
	require.Len(t, found.Spots, 1)
	require.Equal(t, pages[1234], found.Spots[0].Page)
}
