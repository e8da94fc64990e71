package appmap

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/memtree/memtree/internal/aria"
)

// Share counts things of one kind, and how many of them tests touch.
type Share struct {
	Tested int `json:"tested"`
	All    int `json:"all"`
}

func (s *Share) add(tests []string) {
	if s.All++; len(tests) > 0 {
		s.Tested++
	}
}

// Coverage counts the parts of one product, such as pages, and how many of them tests touch.
type Coverage struct {
	Product      string `json:"product"`
	Pages        Share  `json:"pages"`
	Elements     Share  `json:"elements"` // elements that one can act on, such as buttons, or that a test acted on
	Flows        Share  `json:"flows"`
	Calls        Share  `json:"calls"` // HTTP interfaces
	Requirements Share  `json:"requirements"`
	Selectors    int    `json:"selectors"`         // number of patterns: an action by one selector on one page
	Links        int    `json:"links"`             // number of links between pages that exist
	Missing      int    `json:"missing,omitempty"` // pages that links lead to but that answer with an error; not in Pages
	Left         int    `json:"left"`              // sightings that the Map ignored because it was full
}

// Coverage counts the parts of a product, and how many of them tests touch. For an unknown product all counts are 0.
func (m *Map) Coverage(product string) Coverage {
	c := Coverage{Product: product}
	p := m.product(product)
	if p == nil {
		return c
	}
	c.Left = p.Left
	for _, g := range p.Pages {
		if g.missing() {
			c.Missing++
			continue
		}
		c.Pages.add(g.Tests)
		c.Selectors += len(g.Patterns)
		for key := range g.Links {
			if to := p.Pages[key.To]; to == nil || !to.missing() {
				c.Links++
			}
		}
		for key, e := range g.Elements {
			if aria.Is(key.Role, aria.Operable) || len(e.Tests) > 0 {
				c.Elements.add(e.Tests)
			}
		}
	}
	for _, f := range p.Flows {
		c.Flows.add(p.testsOfFlow(f))
	}
	for _, x := range p.Calls {
		c.Calls.add(x.Tests)
	}
	for _, n := range p.Needs {
		c.Requirements.add(n.Tests)
	}
	return c
}

// testsOfFlow returns the tests of a flow: those stated, and those that were on all of its pages.
func (p *product) testsOfFlow(f *flow) []string {
	out := slices.Clone(f.Tests)
	var all []string
	for i, route := range f.Pages {
		g := p.Pages[p.place(route)]
		if g == nil {
			return out
		}
		if i == 0 {
			all = slices.Clone(g.Tests)
		}
		all = slices.DeleteFunc(all, func(t string) bool { return !slices.Contains(g.Tests, t) })
	}
	if len(f.Pages) < 2 { // being on one page is no way through it
		return out
	}
	for _, t := range all {
		out = with(out, t)
	}
	return out
}

// Page describes one page of an application, as walks saw it.
type Page struct {
	Page     string    `json:"page"` // route of the page, see PageOf
	Title    string    `json:"title,omitempty"`
	Seen     int       `json:"seen"`             // how often walks saw the page
	Params   []string  `json:"params,omitempty"` // names of query parameters
	Tests    []string  `json:"tests,omitempty"`
	Elements []Element `json:"elements,omitempty"`
	Links    []WayStep `json:"links,omitempty"`
	Calls    []Call    `json:"calls,omitempty"`
	Count    Share     `json:"count"`           // elements that one can act on, or that a test acted on
	Last     time.Time `json:"last"`            // when walks last saw the page
	Build    string    `json:"build,omitempty"` // build on which walks last saw the page
	// 400 or more: a link leads to this route, which answers with that error; 0: the page exists
	Status int `json:"status,omitempty"`
}

// Element is an element of a page by role and accessible name, with the tests that acted on it.
type Element struct {
	Role  string   `json:"role,omitempty"`
	Name  string   `json:"name,omitempty"`
	Place string   `json:"place,omitempty"` // landmark of the page that the element is in
	Seen  int      `json:"seen"`            // how often walks saw the element
	Tests []string `json:"tests,omitempty"`
}

// Call is an interface that the application calls over HTTP, with the pages that call it and the tests that did so.
type Call struct {
	Method   string   `json:"method"`
	Path     string   `json:"path"`
	Times    int      `json:"times"` // how often walks saw it called
	Statuses []int    `json:"statuses,omitempty"`
	Params   []string `json:"params,omitempty"`
	Pages    []string `json:"pages,omitempty"`
	Tests    []string `json:"tests,omitempty"`
}

// Pages returns the pages of a product, sorted by route, without their elements, links and calls.
func (m *Map) Pages(product string) []Page {
	p := m.product(product)
	if p == nil {
		return nil
	}
	out := make([]Page, 0, len(p.Pages))
	for _, route := range slices.Sorted(maps.Keys(p.Pages)) {
		out = append(out, p.summary(route))
	}
	return out
}

func (p *product) summary(route string) Page {
	g := p.Pages[route]
	out := Page{
		Page: route, Title: g.Title, Seen: g.Seen, Params: g.Params, Tests: g.Tests, Last: g.Last, Build: g.Build,
	}
	if g.missing() {
		out.Status = g.Gone
	}
	for key, e := range g.Elements {
		if aria.Is(key.Role, aria.Operable) || len(e.Tests) > 0 {
			out.Count.add(e.Tests)
		}
	}
	return out
}

// Page returns one page of a product with its elements, links and calls, and whether the map has it. address is a URL
// or a route.
func (m *Map) Page(product, address string) (Page, bool) {
	p := m.product(product)
	if p == nil {
		return Page{}, false
	}
	route := p.place(PageOf(address))
	g := p.Pages[route]
	if g == nil {
		return Page{}, false
	}
	out := p.summary(route)
	for _, key := range sortedKeys(g.Elements) {
		e := g.Elements[key]
		out.Elements = append(out.Elements, Element{key.Role, key.Name, key.Place, e.Seen, e.Tests})
	}
	out.Links = p.steps(route)
	for _, c := range m.Calls(product) {
		if slices.Contains(c.Pages, route) {
			out.Calls = append(out.Calls, c)
		}
	}
	return out, true
}

func (k elementKey) compare(o elementKey) int {
	return cmp.Or(cmp.Compare(k.Place, o.Place), cmp.Compare(k.Role, o.Role), cmp.Compare(k.Name, o.Name))
}

// Calls returns the HTTP interfaces that a product calls, sorted by path and method.
func (m *Map) Calls(product string) []Call {
	p := m.product(product)
	if p == nil {
		return nil
	}
	var out []Call
	for _, key := range sortedKeys(p.Calls) {
		c := p.Calls[key]
		pages := []string(nil)
		for _, r := range c.Pages {
			pages = with(pages, p.place(r))
		}
		out = append(out, Call{key.Method, key.Path, c.Times, c.Statuses, c.Params, pages, c.Tests})
	}
	return out
}

func (k endpointKey) compare(o endpointKey) int {
	return cmp.Or(cmp.Compare(k.Path, o.Path), cmp.Compare(k.Method, o.Method))
}
