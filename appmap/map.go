package appmap

import (
	"cmp"
	"maps"
	"slices"
	"sync/atomic"
	"time"

	"github.com/memtree/memtree/ledger"
)

// Limits of what a Map holds of one product. Coverage.Left counts what it ignores beyond them.
const (
	MostPages    = 10_000  // most pages of one product in a Map
	MostElements = 400_000 // most elements, links and selectors of all pages of one product in a Map, together
	MostCalls    = 5_000   // most HTTP interfaces of one product in a Map; also most flows, and most requirements
	mostTests    = 50      // tests that are named of one thing
)

// Map holds what walks saw of the applications under test, by product. Where a method takes the name of a product, ""
// means the only one, if there is only one. Use [New] to make a Map.
type Map struct {
	products map[string]*product
	walks    map[string]bool              // ids of the walks that were added
	waiting  keyed[touchedPart, []string] // tests of pages and elements that no walk has brought yet, sorted
	names    *Names                       // see Name; nil: none
}

// New returns an empty Map.
func New() *Map {
	return &Map{products: map[string]*product{}, walks: map[string]bool{}, waiting: keyed[touchedPart, []string]{}}
}

// product is the map of one product.
type product struct {
	Pages map[string]*page
	Kinds map[string]map[string]bool // of a place, such as /articles, the names that follow it; see merge.go
	Many  map[string]bool            // places whose next segment is a variable
	Calls keyed[endpointKey, *endpoint]
	Flows map[string]*flow
	Needs map[string]*need
	held  int // elements and selectors
	Left  int // sightings that there was no room for

	words atomic.Pointer[vocabulary] // derived; nil: not computed since the last change
	means meanings                   // of its names, across changes
}

// page is what was seen of one route.
type page struct {
	Title    string
	Seen     int
	Gone     int      // the last status of an error that it answered; see missing
	Tests    []string // that were on it, sorted
	Params   []string // sorted
	Last     time.Time
	Build    string
	Elements keyed[elementKey, *element]
	Links    keyed[linkKey, *pageLink]
	Patterns keyed[patternKey, *selectorRecord]
}

type elementKey struct{ Role, Name, Place string }

// element is a control or a content of a page.
type element struct {
	Seen  int
	Tests []string // that acted on it, sorted
	Last  time.Time
}

type linkKey struct{ To, Do, Role, Name string }

// pageLink is a way to another page.
type pageLink struct {
	Times    int
	Selector string // that last led there; "" for none
	Last     time.Time
}

type patternKey struct{ Do, Selector, Role, Name string }

type endpointKey struct{ Method, Path string }

// endpoint is an interface of the application.
type endpoint struct {
	Times    int
	Statuses []int    // sorted
	Params   []string // sorted
	Pages    []string // that call it, sorted
	Tests    []string // sorted
	Last     time.Time
}

// flow is a way of users through the application.
type flow struct {
	From, To string
	Pages    []string // that the steps name, sorted
	Tests    []string // sorted
	Last     time.Time
}

// need is a requirement.
type need struct {
	Title    string
	Priority string
	Criteria []string
	Pages    []string // sorted
	Tests    []string // that are stated to check it, sorted
	Last     time.Time
}

// Add adds an entry of the ledger: a walk, a judged run, or an element that a run tested. It ignores other entries, and
// a walk that was added before.
func (m *Map) Add(e *ledger.Entry) {
	w := e.Walk
	if w == nil {
		m.touched(e)
		return
	}
	if m.walks[w.ID] {
		return
	}
	m.walks[w.ID] = true
	p := m.products[w.Product]
	if p == nil {
		p = newProduct()
		m.products[w.Product] = p
	}
	p.words.Store(nil)
	routes, last := map[string]bool{}, ""
	for i := range w.Seen {
		p.add(&w.Seen[i], w, e.At)
		if url := w.Seen[i].URL; url != last {
			routes[p.place(PageOf(url))], last = true, url
		}
	}
	p.settle(routes)
	m.settleWaiting()
}

func newProduct() *product {
	return &product{
		Pages: map[string]*page{}, Kinds: map[string]map[string]bool{}, Many: map[string]bool{},
		Calls: keyed[endpointKey, *endpoint]{}, Flows: map[string]*flow{}, Needs: map[string]*need{},
	}
}

// add takes in one sighting.
func (p *product) add(s *ledger.Sighting, w *ledger.Walk, at time.Time) {
	switch s.Kind {
	case ledger.SeenPage, ledger.SeenElement, ledger.SeenAction, ledger.SeenLink:
		g := p.page(s.URL, w, at)
		if g == nil {
			return
		}
		switch s.Kind {
		case ledger.SeenPage:
			if s.Status >= 400 {
				g.Gone = s.Status
				return
			}
			g.Seen++
			g.Title = cmp.Or(s.Title, g.Title)
		case ledger.SeenElement:
			p.element(g, s, at)
		case ledger.SeenAction:
			p.action(g, s, w, at)
		default:
			p.link(g, s, w, at)
		}
	case ledger.SeenCall:
		p.call(s, w, at)
	case ledger.SeenFlow:
		p.flow(s, w, at)
	case ledger.SeenRequirement:
		p.need(s, at)
	}
}

// page returns the page of an address, nil where there is no room for it.
func (p *product) page(address string, w *ledger.Walk, at time.Time) *page {
	route := p.place(PageOf(address))
	g := p.Pages[route]
	if g == nil {
		if len(p.Pages) >= MostPages {
			p.Left++
			return nil
		}
		g = newPage()
		p.Pages[route] = g
		p.named(route)
		if g = p.Pages[p.place(route)]; g == nil { // the route became one of many
			return nil
		}
	}
	g.Tests = with(g.Tests, w.Test)
	for _, n := range paramsOf(address) {
		g.Params = with(g.Params, n)
	}
	if at.After(g.Last) {
		g.Last, g.Build = at, cmp.Or(w.Build, g.Build)
	}
	return g
}

// missing reports whether a page has answered with errors alone: a link leads to it, and it is not there.
func (g *page) missing() bool { return g.Gone > 0 && g.Seen == 0 }

func newPage() *page {
	return &page{
		Elements: keyed[elementKey, *element]{}, Links: keyed[linkKey, *pageLink]{},
		Patterns: keyed[patternKey, *selectorRecord]{},
	}
}

// room reports whether there is room for one more element or selector, and counts it.
func (p *product) room() bool {
	if p.held >= MostElements {
		p.Left++
		return false
	}
	p.held++
	return true
}

// element notes an element of a page, and returns it; nil where there is no room.
func (p *product) element(g *page, s *ledger.Sighting, at time.Time) *element {
	key := elementKey{s.Role, s.Name, s.Place}
	e := g.Elements[key]
	if e == nil {
		if !p.room() {
			return nil
		}
		e = &element{}
		g.Elements[key] = e
	}
	e.Seen++
	e.Last = later(e.Last, at)
	return e
}

// action notes what was done on a page, on which element, and where it led.
func (p *product) action(g *page, s *ledger.Sighting, w *ledger.Walk, at time.Time) {
	if s.Role != "" || s.Name != "" {
		p.acted(g, s, w, at)
	}
	if s.Selector != "" {
		key := patternKey{s.Do, s.Selector, s.Role, s.Name}
		r := g.Patterns[key]
		if r == nil && p.room() {
			r = &selectorRecord{}
			g.Patterns[key] = r
		}
		if r != nil {
			r.add(!s.Failed, s.MS, at, w.Build)
		}
	}
	if s.To != "" && !s.Failed {
		p.link(g, s, w, at)
	}
}

// acted notes that a test acted on an element. A test that names neither place nor role means every element of the
// name.
func (p *product) acted(g *page, s *ledger.Sighting, w *ledger.Walk, at time.Time) {
	found := false
	for key, e := range g.Elements {
		if (s.Role == "" || key.Role == s.Role) && key.Name == s.Name && (s.Place == "" || key.Place == s.Place) {
			found = true
			if !s.Failed {
				e.Tests = with(e.Tests, w.Test)
			}
		}
	}
	if found || s.Failed {
		return
	}
	if e := p.element(g, s, at); e != nil {
		e.Tests = with(e.Tests, w.Test)
	}
}

// link notes a way from a page to another one of the same application.
func (p *product) link(g *page, s *ledger.Sighting, w *ledger.Walk, at time.Time) {
	if elsewhere(s.To, s.URL) {
		return
	}
	to := p.place(PageOf(s.To))
	if asset(to) {
		return
	}
	if p.Pages[to] == nil && p.page(s.To, &ledger.Walk{Product: w.Product, Build: w.Build}, at) == nil {
		return
	}
	if to = p.place(to); p.Pages[to] == g {
		return
	}
	key := linkKey{to, s.Do, s.Role, s.Name}
	l := g.Links[key]
	if l == nil {
		if !p.room() {
			return
		}
		l = &pageLink{}
		g.Links[key] = l
	}
	l.Times++
	l.Selector = cmp.Or(s.Selector, l.Selector)
	l.Last = later(l.Last, at)
}

// call notes a call of an interface. A description of one, as of OpenAPI, has no status and counts no call.
func (p *product) call(s *ledger.Sighting, w *ledger.Walk, at time.Time) {
	key := endpointKey{s.Do, PageOf(s.To)}
	c := p.Calls[key]
	if c == nil {
		if len(p.Calls) >= MostCalls {
			p.Left++
			return
		}
		c = &endpoint{}
		p.Calls[key] = c
	}
	if s.Status > 0 {
		c.Times++
		if i, found := slices.BinarySearch(c.Statuses, s.Status); !found && len(c.Statuses) < mostTests {
			c.Statuses = slices.Insert(c.Statuses, i, s.Status)
		}
		c.Tests = with(c.Tests, w.Test)
	}
	for _, n := range slices.Concat(paramsOf(s.To), s.Params) {
		c.Params = with(c.Params, n)
	}
	if s.URL != "" {
		c.Pages = with(c.Pages, p.place(PageOf(s.URL)))
	}
	c.Last = later(c.Last, at)
}

// flow notes a flow by its name; the latest one of a name holds.
func (p *product) flow(s *ledger.Sighting, w *ledger.Walk, at time.Time) {
	f := p.Flows[s.Name]
	if f == nil {
		if len(p.Flows) >= MostCalls {
			p.Left++
			return
		}
		f = &flow{}
		p.Flows[s.Name] = f
	}
	f.From, f.To, f.Pages = PageOf(s.URL), "", nil
	f.Pages = with(f.Pages, f.From)
	if s.To != "" {
		f.To = PageOf(s.To)
		f.Pages = with(f.Pages, f.To)
	}
	for _, step := range s.Steps {
		if len(step) > 0 && step[0] == '/' {
			f.Pages = with(f.Pages, PageOf(step))
		}
	}
	f.Tests = with(f.Tests, w.Test)
	f.Last = later(f.Last, at)
}

// need notes a requirement by its code; the latest one of a code holds, and tests add up.
func (p *product) need(s *ledger.Sighting, at time.Time) {
	n := p.Needs[s.Code]
	if n == nil {
		if len(p.Needs) >= MostCalls {
			p.Left++
			return
		}
		n = &need{}
		p.Needs[s.Code] = n
	}
	n.Title, n.Priority = cmp.Or(s.Name, n.Title), cmp.Or(s.Priority, n.Priority)
	if len(s.Steps) > 0 {
		n.Criteria = slices.Clone(s.Steps)
	}
	if s.URL != "" {
		n.Pages = with(n.Pages, PageOf(s.URL))
	}
	for _, t := range s.Tests {
		n.Tests = with(n.Tests, t)
	}
	n.Last = later(n.Last, at)
}

// with returns a sorted list with one more name. It has mostTests at most.
func with(list []string, name string) []string {
	i, found := slices.BinarySearch(list, name)
	if name == "" || found || len(list) >= mostTests {
		return list
	}
	return slices.Insert(list, i, name)
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// Products returns the names of the products in the map, sorted.
func (m *Map) Products() []string { return slices.Sorted(maps.Keys(m.products)) }
