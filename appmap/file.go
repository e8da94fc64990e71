package appmap

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/memtree/memtree/internal/whole"
)

// version is that of the rules: a map that other rules made is folded anew.
const version = 3

// mostBytes bounds a saved map.
const mostBytes = 1 << 30

type savedMap struct {
	Version  int            `json:"version"`
	Walks    []string       `json:"walks"`
	Products []savedProduct `json:"products"`
	Waiting  []savedTouch   `json:"waiting,omitempty"`
}

type savedTouch struct {
	touchedPart

	Tests []string `json:"tests"`
}

type savedProduct struct {
	Name  string               `json:"name"`
	Left  int                  `json:"left"`
	Many  []string             `json:"many"`
	Kinds map[string][]string  `json:"kinds"`
	Pages map[string]savedPage `json:"pages"`
	Calls []savedCall          `json:"calls"`
	Flows map[string]*flow     `json:"flows"`
	Needs map[string]*need     `json:"needs"`
}

type savedPage struct {
	Page     *page          `json:"page"`
	Elements []savedElement `json:"elements,omitempty"`
	Links    []savedLink    `json:"links,omitempty"`
	Patterns []savedPattern `json:"patterns,omitempty"`
}

type savedElement struct {
	Key elementKey `json:"key"`
	Of  *element   `json:"of"`
}

type savedLink struct {
	Key linkKey   `json:"key"`
	Of  *pageLink `json:"of"`
}

type savedPattern struct {
	Key patternKey      `json:"key"`
	Of  *selectorRecord `json:"of"`
}

type savedCall struct {
	Key endpointKey `json:"key"`
	Of  *endpoint   `json:"of"`
}

// Save writes the map to w as JSON with a checksum. The same ledger gives the same bytes.
func (m *Map) Save(w io.Writer) error {
	s := savedMap{Version: version, Walks: slices.Sorted(maps.Keys(m.walks)), Products: []savedProduct{}}
	for _, name := range m.Products() {
		s.Products = append(s.Products, m.products[name].save(name))
	}
	for _, t := range m.sortedWaiting() {
		s.Waiting = append(s.Waiting, savedTouch{t, m.waiting[t]})
	}
	data, err := json.Marshal(s)
	if err != nil {
		return fmt.Errorf("save the map: %w", err)
	}
	if _, err := w.Write(whole.Seal(data)); err != nil {
		return fmt.Errorf("save the map: %w", err)
	}
	return nil
}

func (p *product) save(name string) savedProduct {
	s := savedProduct{
		Name: name, Left: p.left, Many: slices.Sorted(maps.Keys(p.many)), Kinds: map[string][]string{},
		Pages: map[string]savedPage{}, Flows: p.flows, Needs: p.needs,
	}
	for key, names := range p.kinds {
		s.Kinds[key] = slices.Sorted(maps.Keys(names))
	}
	for _, key := range sortedCalls(p) {
		s.Calls = append(s.Calls, savedCall{key, p.calls[key]})
	}
	for route, g := range p.pages {
		out := savedPage{Page: g}
		for _, key := range sortedElements(g) {
			out.Elements = append(out.Elements, savedElement{key, g.elements[key]})
		}
		for _, key := range sortedLinks(g) {
			out.Links = append(out.Links, savedLink{key, g.links[key]})
		}
		for _, key := range sortedPatterns(g) {
			out.Patterns = append(out.Patterns, savedPattern{key, g.patterns[key]})
		}
		s.Pages[route] = out
	}
	return s
}

// Load reads a map that Save wrote. Damaged data is an error.
func Load(r io.Reader) (*Map, error) {
	data, err := io.ReadAll(io.LimitReader(r, mostBytes))
	if err == nil {
		data, err = whole.Unseal(data)
	}
	if err != nil {
		return nil, fmt.Errorf("load the map: %w", err)
	}
	var s savedMap
	if err := json.Unmarshal(data, &s); err != nil {
		return nil, fmt.Errorf("load the map: %w", err)
	}
	if s.Version != version {
		return nil, fmt.Errorf("load the map: it is of version %d", s.Version)
	}
	m := New()
	for _, id := range s.Walks {
		m.walks[id] = true
	}
	for _, t := range s.Waiting {
		m.waiting[t.touchedPart] = t.Tests
	}
	for i := range s.Products {
		p, err := s.Products[i].load()
		if err != nil {
			return nil, fmt.Errorf("load the map: %w", err)
		}
		m.products[s.Products[i].Name] = p
	}
	return m, nil
}

// load returns the product, or an error where it has a part that no Save writes.
func (s *savedProduct) load() (*product, error) {
	p := newProduct()
	p.left = s.Left
	for _, key := range s.Many {
		p.many[key] = true
	}
	for key, names := range s.Kinds {
		p.kinds[key] = map[string]bool{}
		for _, n := range names {
			p.kinds[key][n] = true
		}
	}
	for i := range s.Calls {
		if s.Calls[i].Of == nil {
			return nil, errNull
		}
		p.calls[s.Calls[i].Key] = s.Calls[i].Of
	}
	for name, f := range s.Flows {
		if f == nil {
			return nil, errNull
		}
		p.flows[name] = f
	}
	for code, n := range s.Needs {
		if n == nil {
			return nil, errNull
		}
		p.needs[code] = n
	}
	for route, saved := range s.Pages {
		g, err := saved.load()
		if err != nil {
			return nil, err
		}
		p.pages[route] = g
		p.held += len(g.elements) + len(g.links) + len(g.patterns)
	}
	return p, nil
}

var errNull = errors.New("a part is null")

func (s *savedPage) load() (*page, error) {
	if s.Page == nil {
		return nil, errNull
	}
	g := s.Page
	g.elements, g.links, g.patterns = map[elementKey]*element{}, map[linkKey]*pageLink{}, map[patternKey]*selectorRecord{}
	for i := range s.Elements {
		g.elements[s.Elements[i].Key] = s.Elements[i].Of
		if s.Elements[i].Of == nil {
			return nil, errNull
		}
	}
	for i := range s.Links {
		g.links[s.Links[i].Key] = s.Links[i].Of
		if s.Links[i].Of == nil {
			return nil, errNull
		}
	}
	for i := range s.Patterns {
		g.patterns[s.Patterns[i].Key] = s.Patterns[i].Of
		if s.Patterns[i].Of == nil {
			return nil, errNull
		}
	}
	return g, nil
}

func sortedPatterns(g *page) []patternKey {
	return slices.SortedFunc(maps.Keys(g.patterns), func(a, b patternKey) int {
		return cmp.Or(cmp.Compare(a.Do, b.Do), cmp.Compare(a.Selector, b.Selector), cmp.Compare(a.Role, b.Role),
			cmp.Compare(a.Name, b.Name))
	})
}
