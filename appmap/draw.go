package appmap

import (
	"cmp"
	"maps"
	"slices"
)

// Drawing is a map as a picture: pages in columns by how many steps they are from the start, and the ways between them.
type Drawing struct {
	Spots         []Spot `json:"spots"`
	Ways          []Way  `json:"ways"`
	Left          int    `json:"left"` // pages that are not drawn
	Columns, Rows int
}

// Spot is a drawn page. Column and Row count from 0.
type Spot struct {
	Page   string `json:"page"`
	Title  string `json:"title,omitempty"`
	Count  Share  `json:"count"` // of its elements that one can act on
	Tests  int    `json:"tests"`
	Column int    `json:"column"`
	Row    int    `json:"row"`
}

// Way is a step between two drawn pages, by their places in Spots.
type Way struct{ From, To int }

// mostColumns bounds how deep a drawing is. Pages farther away, and those that nothing leads to, are in the last
// column.
const mostColumns = 8

// Draw draws at most most pages of a product: those that weigh most first, with the start. The start is the page from
// which most pages can be reached; of several that of [Map.Path]. The same map is drawn alike.
func (m *Map) Draw(product string, weight func(page string) float64, most int) Drawing {
	p := m.product(product)
	if p == nil {
		return Drawing{}
	}
	to := map[string][]string{}
	for route := range p.pages {
		for _, s := range p.steps(route) {
			if p.pages[s.To] != nil && s.To != route && !slices.Contains(to[route], s.To) {
				to[route] = append(to[route], s.To)
			}
		}
	}
	routes := slices.SortedFunc(maps.Keys(p.pages), func(a, b string) int {
		return cmp.Or(cmp.Compare(weight(b), weight(a)), cmp.Compare(len(a), len(b)), cmp.Compare(a, b))
	})
	start := startOf(p.start(""), routes, to)
	depth := depths(start, to)
	if at := slices.Index(routes, start); at > 0 {
		routes = slices.Insert(slices.Delete(routes, at, at+1), 0, start)
	}
	out := Drawing{Left: max(0, len(routes)-most)}
	routes = routes[:min(most, len(routes))]
	at, rows := map[string]int{}, map[int]int{}
	for _, route := range routes {
		column, reached := depth[route]
		if column = min(column, mostColumns-1); !reached {
			column = mostColumns - 1
		}
		s := p.summary(route)
		at[route] = len(out.Spots)
		out.Spots = append(out.Spots, Spot{Page: route, Title: s.Title, Count: s.Count, Tests: len(s.Tests), Column: column,
			Row: rows[column]})
		rows[column]++
		out.Columns, out.Rows = max(out.Columns, column+1), max(out.Rows, rows[column])
	}
	for _, route := range routes {
		for _, next := range to[route] {
			if end, drawn := at[next]; drawn {
				out.Ways = append(out.Ways, Way{at[route], end})
			}
		}
	}
	slices.SortFunc(out.Ways, func(a, b Way) int { return cmp.Or(a.From-b.From, a.To-b.To) })
	return out
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
