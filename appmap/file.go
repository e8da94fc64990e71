package appmap

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/memtree/memtree/internal/whole"
)

// version is that of the rules: a map that other rules made is folded anew.
const version = 4

type savedMap struct {
	Walks    map[string]bool                   `json:"walks"`
	Products map[string]*savedProduct          `json:"products"`
	Waiting  []mapEntry[touchedPart, []string] `json:"waiting,omitempty"`
}

type savedProduct struct {
	Left  int                                `json:"left"`
	Many  map[string]bool                    `json:"many"`
	Kinds map[string]map[string]bool         `json:"kinds"`
	Pages map[string]savedPage               `json:"pages"`
	Calls []mapEntry[endpointKey, *endpoint] `json:"calls"`
	Flows map[string]*flow                   `json:"flows"`
	Needs map[string]*need                   `json:"needs"`
}

type savedPage struct {
	Page     *page                                   `json:"page"`
	Elements []mapEntry[elementKey, *element]        `json:"elements,omitempty"`
	Links    []mapEntry[linkKey, *pageLink]          `json:"links,omitempty"`
	Patterns []mapEntry[patternKey, *selectorRecord] `json:"patterns,omitempty"`
}

// mapEntry is an entry of a map whose key is no string.
type mapEntry[K, V any] struct {
	Key K `json:"key"`
	Of  V `json:"of"`
}

// key is a key of a map with a fixed order.
type key[K any] interface {
	comparable
	compare(o K) int
}

// sortedKeys returns the keys of a map in their order.
func sortedKeys[K key[K], V any](m map[K]V) []K { return slices.SortedFunc(maps.Keys(m), K.compare) }

// entriesOf returns the entries of a map in their order.
func entriesOf[K key[K], V any](m map[K]V) []mapEntry[K, V] {
	var out []mapEntry[K, V]
	for _, k := range sortedKeys(m) {
		out = append(out, mapEntry[K, V]{k, m[k]})
	}
	return out
}

// Save writes the map to w as JSON with a checksum. The same ledger gives the same bytes.
func (m *Map) Save(w io.Writer) error {
	s := savedMap{Walks: m.walks, Products: map[string]*savedProduct{}, Waiting: entriesOf(m.waiting)}
	for name, p := range m.products {
		s.Products[name] = p.save()
	}
	if err := whole.SaveJSON(w, version, s); err != nil {
		return fmt.Errorf("save the map: %w", err)
	}
	return nil
}

func (p *product) save() *savedProduct {
	s := &savedProduct{
		Left: p.left, Many: p.many, Kinds: p.kinds, Pages: map[string]savedPage{}, Calls: entriesOf(p.calls),
		Flows: p.flows, Needs: p.needs,
	}
	for route, g := range p.pages {
		s.Pages[route] = savedPage{g, entriesOf(g.elements), entriesOf(g.links), entriesOf(g.patterns)}
	}
	return s
}

// Load reads a map that Save wrote. Damaged data is an error.
func Load(r io.Reader) (*Map, error) {
	var s savedMap
	if err := whole.LoadJSON(r, version, &s); err != nil {
		return nil, fmt.Errorf("load the map: %w", err)
	}
	m := New()
	maps.Copy(m.walks, s.Walks)
	for _, t := range s.Waiting {
		m.waiting[t.Key] = t.Of
	}
	for name, saved := range s.Products {
		p, err := saved.load()
		if err != nil {
			return nil, fmt.Errorf("load the map: %w", err)
		}
		m.products[name] = p
	}
	return m, nil
}

var errNull = errors.New("a part is null")

// load returns the product, or an error where it has a part that no Save writes.
func (s *savedProduct) load() (*product, error) {
	if s == nil {
		return nil, errNull
	}
	p := newProduct()
	p.left = s.Left
	maps.Copy(p.many, s.Many)
	maps.Copy(p.kinds, s.Kinds)
	err := errors.Join(put(p.calls, s.Calls), copied(p.flows, s.Flows), copied(p.needs, s.Needs))
	for route, g := range s.Pages {
		if g.Page == nil {
			return nil, errNull
		}
		to := newPage()
		g.Page.elements, g.Page.links, g.Page.patterns = to.elements, to.links, to.patterns
		err = errors.Join(err, put(to.elements, g.Elements), put(to.links, g.Links), put(to.patterns, g.Patterns))
		p.pages[route] = g.Page
		p.held += len(to.elements) + len(to.links) + len(to.patterns)
	}
	return p, err
}

// put adds saved entries to a map.
func put[K comparable, V any](to map[K]*V, list []mapEntry[K, *V]) error {
	for _, e := range list {
		if e.Of == nil {
			return errNull
		}
		to[e.Key] = e.Of
	}
	return nil
}

// copied copies a saved map.
func copied[V any](to, from map[string]*V) error {
	maps.Copy(to, from)
	for _, v := range from {
		if v == nil {
			return errNull
		}
	}
	return nil
}
