package appmap

import (
	"cmp"
	"maps"
	"slices"

	"github.com/memtree/memtree/internal/aria"
)

// GapKind is what kind of thing a Gap is about.
type GapKind string

// The kinds of gaps.
const (
	UntestedElement     GapKind = "element"     // an element that one can act on and no test did
	UntestedPage        GapKind = "page"        // a page that no test was on
	OrphanPage          GapKind = "orphan"      // a page, not the start, that no flow contains and no page leads to
	UntestedCall        GapKind = "call"        // an HTTP interface that no test called
	UntestedFlow        GapKind = "flow"        // a flow that no test went through
	UntestedRequirement GapKind = "requirement" // a requirement that no test checks
)

// Gap is a part of an application that no test touches, or a page that nothing leads to.
type Gap struct {
	Kind GapKind `json:"kind"`
	Page string  `json:"page,omitempty"`
	Role string  `json:"role,omitempty"`
	// name of the element, flow or requirement; title of a page; method and path of a call
	Name  string  `json:"name,omitempty"`
	Count int     `json:"count"` // number of elements with this role and name on the page; 1 for other gaps
	Risk  float64 `json:"risk"`  // what risk returned for the page; see Gaps
}

// Gaps returns the parts of a product that no test touches, and the pages that nothing leads to, the riskiest first.
// risk returns how risky a page is, such as how often verdicts on it were wrong; a nil risk leaves all at 0.
func (m *Map) Gaps(product string, risk func(page string) float64) []Gap {
	p := m.product(product)
	if p == nil {
		return nil
	}
	var out []Gap
	in := p.ledTo()
	for _, route := range slices.Sorted(maps.Keys(p.Pages)) {
		g := p.Pages[route]
		if g.missing() {
			continue
		}
		if len(g.Tests) == 0 {
			out = append(out, Gap{Kind: UntestedPage, Page: route, Name: g.Title, Count: 1})
		}
		if !in[route] {
			out = append(out, Gap{Kind: OrphanPage, Page: route, Name: g.Title, Count: 1})
		}
		out = append(out, untested(route, g)...)
	}
	for _, key := range sortedKeys(p.Calls) {
		if c := p.Calls[key]; len(c.Tests) == 0 {
			gap := Gap{Kind: UntestedCall, Name: key.Method + " " + key.Path, Count: 1}
			if len(c.Pages) > 0 {
				gap.Page = p.place(c.Pages[0])
			}
			out = append(out, gap)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(p.Flows)) {
		if f := p.Flows[name]; len(p.testsOfFlow(f)) == 0 {
			out = append(out, Gap{Kind: UntestedFlow, Page: p.place(f.From), Name: name, Count: 1})
		}
	}
	for _, code := range slices.Sorted(maps.Keys(p.Needs)) {
		if n := p.Needs[code]; len(n.Tests) == 0 {
			gap := Gap{Kind: UntestedRequirement, Name: code + " " + n.Title, Count: 1}
			if len(n.Pages) > 0 {
				gap.Page = p.place(n.Pages[0])
			}
			out = append(out, gap)
		}
	}
	if risk != nil {
		for i := range out {
			out[i].Risk = risk(out[i].Page)
		}
	}
	slices.SortStableFunc(out, func(a, b Gap) int { return cmp.Compare(b.Risk, a.Risk) })
	return out
}

// untested returns the elements of a page that no test acted on, one for all places of a role and name.
func untested(route string, g *page) (out []Gap) {
	at := map[elementKey]int{}
	for _, key := range sortedKeys(g.Elements) {
		if !aria.Is(key.Role, aria.Operable) || len(g.Elements[key].Tests) > 0 {
			continue
		}
		bare := elementKey{Role: key.Role, Name: key.Name}
		if i, ok := at[bare]; ok {
			out[i].Count++
			continue
		}
		at[bare] = len(out)
		out = append(out, Gap{Kind: UntestedElement, Page: route, Role: key.Role, Name: key.Name, Count: 1})
	}
	return out
}

// ledTo returns the pages that a flow has, or that another page leads to, and the first page.
func (p *product) ledTo() map[string]bool {
	in := map[string]bool{p.start(""): true}
	for _, g := range p.Pages {
		for key := range g.Links {
			in[key.To] = true
		}
	}
	for _, f := range p.Flows {
		for _, route := range f.Pages {
			in[p.place(route)] = true
		}
	}
	return in
}
