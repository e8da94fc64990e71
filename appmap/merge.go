package appmap

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

// mostNames is how many names may follow a place before they are taken for those of objects.
const mostNames = 30

// place returns a route as the map spells it: a segment behind a place with many names is a variable.
func (p *product) place(route string) string {
	if len(p.Many) == 0 {
		return route
	}
	segments := strings.Split(route, "/")
	for i := 1; i < len(segments); i++ {
		if p.Many[strings.Join(segments[:i], "/")+"#"+shape(segments[i:])] {
			segments[i] = variable
		}
	}
	return strings.Join(segments, "/")
}

// shape is what routes must have in common behind a place, beside the name in question: what follows.
func shape(rest []string) string { return strings.Join(rest[1:], "/") }

// named notes the names of a new page's segments, and joins the pages of a place that has too many.
func (p *product) named(route string) {
	segments := strings.Split(route, "/")
	for i := 1; i < len(segments); i++ {
		if segments[i] == variable || segments[i] == "" {
			continue
		}
		key := strings.Join(segments[:i], "/") + "#" + shape(segments[i:])
		names := p.Kinds[key]
		if names == nil {
			names = map[string]bool{}
			p.Kinds[key] = names
		}
		names[segments[i]] = true
		if len(names) > mostNames && i > 1 { // what follows the root are parts of the application
			p.joined(key)
			return
		}
	}
}

// rejoin gives every page its route of now, and joins those that have one.
func (p *product) rejoin() {
	for _, route := range slices.Sorted(maps.Keys(p.Pages)) {
		if to := p.place(route); to != route {
			g := p.Pages[route]
			delete(p.Pages, route)
			if o := p.Pages[to]; o != nil {
				p.held -= o.join(g)
			} else {
				p.Pages[to] = g
			}
		}
	}
	for _, route := range slices.Sorted(maps.Keys(p.Pages)) {
		p.relink(route, p.Pages[route])
	}
}

// relink gives the links of a page their routes of now.
func (p *product) relink(route string, g *page) {
	for _, key := range sortedKeys(g.Links) {
		to := p.place(key.To)
		if to == key.To {
			continue
		}
		l := g.Links[key]
		delete(g.Links, key)
		if key.To = to; to == route {
			p.held--
		} else if o := g.Links[key]; o != nil {
			o.join(l)
			p.held--
		} else {
			g.Links[key] = l
		}
	}
}

func (l *pageLink) join(o *pageLink) {
	l.Times += o.Times
	if o.Last.After(l.Last) {
		l.Last, l.Selector = o.Last, o.Selector
	}
}

// join adds what was seen of a page that turned out to be the same, and returns how many elements, links and selectors
// both had.
func (g *page) join(o *page) (both int) {
	g.Seen, g.Gone = g.Seen+o.Seen, cmp.Or(g.Gone, o.Gone)
	if o.Last.After(g.Last) {
		g.Last, g.Title, g.Build = o.Last, o.Title, o.Build
	}
	for _, t := range o.Tests {
		g.Tests = with(g.Tests, t)
	}
	for _, n := range o.Params {
		g.Params = with(g.Params, n)
	}
	for key, e := range o.Elements {
		have := g.Elements[key]
		if have == nil {
			g.Elements[key] = e
			continue
		}
		both++
		have.Seen, have.Last = have.Seen+e.Seen, later(have.Last, e.Last)
		for _, t := range e.Tests {
			have.Tests = with(have.Tests, t)
		}
	}
	for key, l := range o.Links {
		if have := g.Links[key]; have != nil {
			have.join(l)
			both++
		} else {
			g.Links[key] = l
		}
	}
	for key, r := range o.Patterns {
		if have := g.Patterns[key]; have != nil {
			have.join(r)
			both++
		} else {
			g.Patterns[key] = r
		}
	}
	return both
}
