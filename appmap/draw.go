package appmap

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

// Drawing is a map as a picture: pages as spots in columns, by the number of steps from the start, and the ways between
// them.
type Drawing struct {
	Spots         []Spot     `json:"spots"`
	Ways          []drawnWay `json:"ways"`
	Left          int        `json:"left"`  // pages for which there was no spot
	Pages         int        `json:"pages"` // pages that the view selects
	Columns, Rows int        // size of the grid of spots
}

// Spot is one drawn page, or a group of pages whose routes begin alike.
type Spot struct {
	Page  string `json:"page"` // route; of a group the common beginning, such as /admin
	Title string `json:"title,omitempty"`
	Group int    `json:"group,omitempty"` // number of pages of a group; 0 for a single page
	Count Share  `json:"count"`           // elements that one can act on, or that a test acted on
	// number of tests on the page; of a group: number of pages that a test was on
	Tests  int     `json:"tests"`
	Weight float64 `json:"weight"` // sum of MapView.Weight over the pages of the spot
	Column int     `json:"column"` // from 0
	Row    int     `json:"row"`    // from 0
}

// drawnWay is a step between two drawn spots, as indexes into Drawing.Spots.
type drawnWay struct{ From, To int }

// MapView configures Draw. The zero value draws all pages of the product, in groups if there are too many.
type MapView struct {
	Product string                    // "" if there is one product only
	Weight  func(page string) float64 // weight of a page, which orders the spots; nil: 0 for each
	Most    int                       // most spots; 0: 80
	In      string                    // only this route and the pages below it; "": all pages
	Text    string                    // only pages whose route or title contains this text in any case; "": all pages
}

const (
	usualSpots = 80
	// mostColumns bounds how deep a drawing is. Pages farther away, and those that nothing leads to, are in the last
	// column.
	mostColumns = 8

	fewGroups = 8  // places fewer than these are taken apart
	fewRows   = 12 // a column of pages that nothing orders is broken after so many
)

// Draw returns a picture of a product's pages, each drawn as one spot. If there are more pages than v.Most, pages whose
// routes begin alike share a spot: the group with the start gets its spot first, then those with the greatest weight,
// then the largest. Drawing.Left counts the pages that got none. The start, in the first column, is the page from which
// most others can be reached; Draw tries the 50 pages with most ways out, and the page where [Map.Path] starts.
func (m *Map) Draw(v MapView) Drawing {
	p := m.product(v.Product)
	if p == nil {
		return Drawing{}
	}
	if v.Weight == nil {
		v.Weight = func(string) float64 { return 0 }
	}
	most := cmp.Or(max(0, v.Most), usualSpots)
	to := p.leads()
	start := startOf(p.start(""), slices.Sorted(maps.Keys(p.Pages)), to)
	depth := depths(start, to)
	routes := p.chosen(&v)
	groups := grouped(routes, strings.TrimSuffix(v.In, "/"), most)
	out := Drawing{Pages: len(routes)}
	names := slices.SortedFunc(maps.Keys(groups), func(a, b string) int {
		return cmp.Or(cmp.Compare(has(groups[b], start), has(groups[a], start)),
			cmp.Compare(weightOf(groups[b], v.Weight), weightOf(groups[a], v.Weight)),
			cmp.Compare(len(groups[b]), len(groups[a])), cmp.Compare(len(a), len(b)), cmp.Compare(a, b))
	})
	for _, name := range names[min(most, len(names)):] {
		out.Left += len(groups[name])
	}
	names = names[:min(most, len(names))]
	at := map[string]int{}
	for i, name := range names {
		s := p.spot(name, groups[name], v.Weight)
		s.Column = mostColumns
		for _, route := range groups[name] {
			at[route] = i
			if column, reached := depth[route]; reached {
				s.Column = min(s.Column, column)
			}
		}
		s.Column = min(s.Column, mostColumns-1)
		out.Spots = append(out.Spots, s)
	}
	out.rows()
	ways := map[drawnWay]bool{}
	for _, route := range routes {
		from, drawn := at[route]
		for _, next := range to[route] {
			if end, there := at[next]; drawn && there && end != from {
				ways[drawnWay{from, end}] = true
			}
		}
	}
	out.Ways = slices.SortedFunc(maps.Keys(ways), func(a, b drawnWay) int { return cmp.Or(a.From-b.From, a.To-b.To) })
	return out
}

// leads returns the pages that each page leads to.
func (p *product) leads() map[string][]string {
	to := map[string][]string{}
	for route := range p.Pages {
		for _, s := range p.steps(route) {
			if p.Pages[s.To] != nil && s.To != route {
				to[route] = append(to[route], s.To)
			}
		}
	}
	return to
}

// chosen returns the pages that a view has, sorted.
func (p *product) chosen(v *MapView) (out []string) {
	in, part := strings.TrimSuffix(v.In, "/"), strings.ToLower(v.Text)
	for _, route := range slices.Sorted(maps.Keys(p.Pages)) {
		g := p.Pages[route]
		below := in == "" || route == in || strings.HasPrefix(route, in+"/")
		if below && !g.missing() && (part == "" || strings.Contains(strings.ToLower(route+"\n"+g.Title), part)) {
			out = append(out, route)
		}
	}
	return out
}

// grouped returns pages by their spots: each by itself, or where they are more than most in groups by place. While
// there are few, the largest one is taken apart if its parts fit.
func grouped(routes []string, in string, most int) map[string][]string {
	out := map[string][]string{}
	if len(routes) <= most {
		for _, route := range routes {
			out[route] = []string{route}
		}
		return out
	}
	out = parts(routes, in)
	tried := map[string]bool{}
	for len(out) < fewGroups {
		largest := ""
		for name, list := range out {
			if len(list) > 1 && !tried[name] && (largest == "" || len(list) > len(out[largest]) ||
				len(list) == len(out[largest]) && name < largest) {
				largest = name
			}
		}
		if largest == "" {
			break
		}
		tried[largest] = true
		finer := parts(out[largest], largest)
		if len(out)-1+len(finer) > most {
			continue
		}
		delete(out, largest)
		maps.Copy(out, finer)
	}
	return out
}

// parts returns pages by the place below another one that they are in. The page of the place itself, and one that is
// alone below its place, are by themselves.
func parts(routes []string, in string) map[string][]string {
	out := map[string][]string{}
	for _, route := range routes {
		rest := strings.TrimPrefix(strings.TrimPrefix(route, in), "/")
		first, _, deeper := strings.Cut(rest, "/")
		place := in + "/" + first
		if rest == "" {
			place = route
		} else if !deeper {
			place = strings.TrimSuffix(place, "/")
		}
		out[place] = append(out[place], route)
	}
	for place, list := range out {
		if len(list) == 1 && list[0] != place {
			delete(out, place)
			out[list[0]] = list
		}
	}
	return out
}

// spot returns the spot of a page or of a group.
func (p *product) spot(name string, routes []string, weight func(string) float64) Spot {
	s := Spot{Page: name, Weight: weightOf(routes, weight)}
	if len(routes) == 1 {
		g := p.summary(routes[0])
		s.Page, s.Title, s.Count, s.Tests = routes[0], g.Title, g.Count, len(g.Tests)
		return s
	}
	s.Group = len(routes)
	for _, route := range routes {
		g := p.summary(route)
		s.Count.All, s.Count.Tested = s.Count.All+g.Count.All, s.Count.Tested+g.Count.Tested
		if len(g.Tests) > 0 {
			s.Tests++
		}
	}
	return s
}

func weightOf(routes []string, weight func(string) float64) (sum float64) {
	for _, route := range routes {
		sum += weight(route)
	}
	return sum
}

func has(routes []string, route string) int {
	if slices.Contains(routes, route) {
		return 1
	}
	return 0
}

// rows gives spots their rows. A column with too many, as where everything is one step away, is broken into several.
func (d *Drawing) rows() {
	in := make([]int, mostColumns)
	for _, s := range d.Spots {
		in[s.Column]++
	}
	most := max(fewRows, (len(d.Spots)+mostColumns-1)/mostColumns)
	begin := make([]int, mostColumns+1) // of each column, the one that it is drawn at
	for c, n := range in {
		begin[c+1] = begin[c] + (n+most-1)/most
	}
	next := make([]int, mostColumns)
	for i := range d.Spots {
		s := &d.Spots[i]
		n := next[s.Column]
		next[s.Column]++
		s.Column, s.Row = begin[s.Column]+n/most, n%most
		d.Columns, d.Rows = max(d.Columns, s.Column+1), max(d.Rows, s.Row+1)
	}
}

// mostStarts bounds how many pages are tried as the start.
const mostStarts = 50

// startOf returns the page from which most pages can be reached, usual where it is one of several.
func startOf(usual string, routes []string, to map[string][]string) string {
	tried := slices.SortedFunc(slices.Values(routes), func(a, b string) int {
		return cmp.Or(len(to[b])-len(to[a]), len(a)-len(b), cmp.Compare(a, b))
	})
	best, most := usual, len(depths(usual, to))
	for _, route := range tried[:min(len(tried), mostStarts)] {
		if n := len(depths(route, to)); n > most {
			best, most = route, n
		}
	}
	return best
}

// depths returns how many steps pages are from a start.
func depths(start string, to map[string][]string) map[string]int {
	out := map[string]int{start: 0}
	for queue := []string{start}; len(queue) > 0; queue = queue[1:] {
		for _, next := range to[queue[0]] {
			if _, seen := out[next]; !seen {
				out[next] = out[queue[0]] + 1
				queue = append(queue, next)
			}
		}
	}
	return out
}
