package appmap

import (
	"cmp"
	"maps"
	"slices"
)

// WayStep is one step from a page to another: an action on an element, or a link.
type WayStep struct {
	From     string `json:"from"`
	To       string `json:"to"`
	Do       string `json:"do,omitempty"`   // click, goto, …; "" for a link that no run has taken
	Role     string `json:"role,omitempty"` // ARIA role of the element
	Name     string `json:"name,omitempty"` // accessible name of the element
	Selector string `json:"selector,omitempty"`
	Times    int    `json:"times"` // how often walks saw the step
}

// Path returns the steps of the shortest way between two pages, none if they are the same. Of several shortest ways it
// prefers steps that walks saw more often. It reports false if there is no way, or if the map lacks one of the pages.
// from and to are URLs or routes. An empty from means the page "/" or, if there is none, the page seen most often.
func (m *Map) Path(product, from, to string) ([]WayStep, bool) {
	p := m.product(product)
	if p == nil {
		return nil, false
	}
	start, end := p.start(from), p.place(PageOf(to))
	if p.Pages[start] == nil || p.Pages[end] == nil {
		return nil, false
	}
	came := map[string]WayStep{}
	for layer := []string{start}; len(layer) > 0 && end != start; {
		var next []string
		for _, at := range layer {
			for _, s := range p.steps(at) {
				have, known := came[s.To]
				switch {
				case s.To == start || known && !slices.Contains(next, s.To):
				case !known:
					came[s.To] = s
					next = append(next, s.To)
				case s.Times > have.Times:
					came[s.To] = s
				}
			}
		}
		if _, found := came[end]; found {
			break
		}
		layer = next
	}
	var way []WayStep
	for at := end; at != start; {
		s, ok := came[at]
		if !ok {
			return nil, false
		}
		way = append(way, s)
		at = s.From
	}
	slices.Reverse(way)
	return way, true
}

// start returns the page where a way begins.
func (p *product) start(from string) string {
	if from != "" {
		return p.place(PageOf(from))
	}
	if p.Pages["/"] != nil {
		return "/"
	}
	first := ""
	for _, route := range slices.Sorted(maps.Keys(p.Pages)) {
		if first == "" || p.Pages[route].Seen > p.Pages[first].Seen {
			first = route
		}
	}
	return first
}

// steps returns the ways from a page, one for each page that it leads to, in a fixed order.
func (p *product) steps(from string) []WayStep {
	g := p.Pages[from]
	var out []WayStep
	for _, key := range sortedKeys(g.Links) {
		l := g.Links[key]
		s := WayStep{From: from, To: key.To, Do: key.Do, Role: key.Role, Name: key.Name, Selector: l.Selector, Times: l.Times}
		if last := len(out) - 1; last >= 0 && out[last].To == s.To {
			if cmp.Compare(s.Times, out[last].Times) > 0 || out[last].Do == "" && s.Do != "" {
				out[last] = s
			}
			continue
		}
		out = append(out, s)
	}
	return out
}
