package appmap

import (
	"maps"
	"slices"
	"strings"

	"github.com/memtree/memtree/internal/aria"
)

// Pages of one place of which most look alike are pages of objects, such as /milestone/spring and /milestone/autumn.
const (
	leastAlike  = 0.7 // of the controls of two pages, the share that both have
	leastOwn    = 2   // controls beside those that pages elsewhere have too
	manyAlike   = 4   // pages of a place that is no page itself
	mostOthers  = 4   // alike pages of a place for each one that is different: from there on the place has parts
	leastLinked = 0.8 // of the pairs of pages: from here on they are a menu, and different
	mostOutside = 16  // pages elsewhere that are looked at
)

// settle joins the pages of places that turned out to be objects, for the pages of a walk.
func (p *product) settle(routes map[string]bool) {
	for _, route := range slices.Sorted(maps.Keys(routes)) {
		segments := strings.Split(route, "/")
		for i := 2; i < len(segments); i++ {
			place := strings.Join(segments[:i], "/")
			key := place + "#" + shape(segments[i:])
			if p.Pages[route] != nil && len(p.Kinds[key]) > 1 && p.objects(route, i, p.Kinds[key]) {
				p.joined(key)
				break
			}
		}
	}
}

// joined makes the next segment of a place a variable.
func (p *product) joined(key string) {
	p.Many[key] = true
	delete(p.Kinds, key)
	p.rejoin()
}

// objects reports whether a page and others that differ from it in one segment are pages of objects: their controls
// are alike, they are no menu that leads from each to each, and the place itself is a page or there are several.
func (p *product) objects(route string, at int, names map[string]bool) bool {
	mine := p.Pages[route].controls()
	if len(mine) < leastOwn {
		return false
	}
	segments := strings.Split(route, "/")
	place := strings.Join(segments[:at], "/")
	alike, others := []string{route}, 0
	for _, name := range slices.Sorted(maps.Keys(names)) {
		other := strings.Join(slices.Concat(segments[:at], []string{name}, segments[at+1:]), "/")
		g := p.Pages[other]
		switch {
		case other == route || g == nil || g.Seen == 0:
		case share(mine, g.controls()) >= leastAlike:
			alike = append(alike, other)
		default:
			others++
		}
	}
	least := manyAlike
	if p.Pages[place] != nil {
		least = 2
	}
	if len(alike) < max(least, mostOthers*others) || p.menu(alike) {
		return false
	}
	return p.own(mine, place) >= leastOwn
}

// controls are the elements of a page that one acts on, but for links and choices, without their places.
func (g *page) controls() map[elementKey]bool {
	out := map[elementKey]bool{}
	for key := range g.Elements {
		if aria.Is(key.Role, aria.Operable) && key.Role != "link" && key.Role != "option" {
			out[elementKey{Role: key.Role, Name: key.Name}] = true
		}
	}
	return out
}

// share returns how many of the controls of two pages both have.
func share(a, b map[elementKey]bool) float64 {
	both := 0
	for key := range a {
		if b[key] {
			both++
		}
	}
	return float64(both) / float64(max(1, len(a)+len(b)-both))
}

// menu reports whether pages lead to each other.
func (p *product) menu(routes []string) bool {
	pairs := 0
	for _, from := range routes {
		to := map[string]bool{}
		for key := range p.Pages[from].Links {
			to[key.To] = true
		}
		for _, other := range routes {
			if other != from && to[other] {
				pairs++
			}
		}
	}
	return float64(pairs) >= leastLinked*float64(len(routes)*(len(routes)-1))
}

// own returns how many controls most pages outside of a place do not have.
func (p *product) own(controls map[elementKey]bool, place string) int {
	var outside []map[elementKey]bool
	routes := slices.Sorted(maps.Keys(p.Pages))
	for i, step := 0, len(routes)/mostOutside+1; i < len(routes); i += step {
		if c := p.Pages[routes[i]].controls(); len(c) > 0 && !strings.HasPrefix(routes[i], place+"/") {
			outside = append(outside, c)
		}
	}
	n := 0
	for key := range controls {
		have := 0
		for _, c := range outside {
			if c[key] {
				have++
			}
		}
		if 2*have < len(outside) || len(outside) == 0 {
			n++
		}
	}
	return n
}
