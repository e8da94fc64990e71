package appmap

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/memtree/memtree/internal/whole"
)

// version is that of the rules: a map that other rules made is folded anew.
const version = 5

type savedMap struct {
	Walks    map[string]bool
	Products map[string]*product
	Waiting  keyed[touchedPart, []string]
}

// key is a key of a map with a fixed order.
type key[K any] interface {
	comparable
	compare(o K) int
}

// sortedKeys returns the keys of a map in their order.
func sortedKeys[K key[K], V any](m map[K]V) []K { return slices.SortedFunc(maps.Keys(m), K.compare) }

// keyed is a map whose key is no string. In JSON it is a list of its entries in their order.
type keyed[K key[K], V any] map[K]V

type mapEntry[K, V any] struct {
	Key K `json:"key"`
	Of  V `json:"of"`
}

func (m keyed[K, V]) MarshalJSON() ([]byte, error) {
	list := make([]mapEntry[K, V], 0, len(m))
	for _, k := range sortedKeys(m) {
		list = append(list, mapEntry[K, V]{k, m[k]})
	}
	return json.Marshal(list) //nolint:wrapcheck // Save says what it is
}

func (m *keyed[K, V]) UnmarshalJSON(b []byte) error {
	var list []mapEntry[K, V]
	if err := json.Unmarshal(b, &list); err != nil {
		return err //nolint:wrapcheck // Load says what it is
	}
	*m = make(keyed[K, V], len(list))
	for _, e := range list {
		(*m)[e.Key] = e.Of
	}
	return nil
}

// Save writes the map to w as JSON with a checksum. The same ledger gives the same bytes.
func (m *Map) Save(w io.Writer) error {
	if err := whole.SaveJSON(w, version, savedMap{m.walks, m.products, m.waiting}); err != nil {
		return fmt.Errorf("save the map: %w", err)
	}
	return nil
}

// Load reads a map that Save wrote. Damaged data is an error.
func Load(r io.Reader) (*Map, error) {
	var s savedMap
	if err := whole.LoadJSON(r, version, &s); err != nil {
		return nil, fmt.Errorf("load the map: %w", err)
	}
	if s.Walks == nil || s.Waiting == nil || !full(s.Products) {
		return nil, errNull
	}
	for _, p := range s.Products {
		if p.Kinds == nil || p.Many == nil || !full(p.Pages) || !full(p.Calls) || !full(p.Flows) || !full(p.Needs) {
			return nil, errNull
		}
		for _, g := range p.Pages {
			if !full(g.Elements) || !full(g.Links) || !full(g.Patterns) {
				return nil, errNull
			}
			p.held += len(g.Elements) + len(g.Links) + len(g.Patterns)
		}
	}
	return &Map{products: s.Products, walks: s.Walks, waiting: s.Waiting}, nil
}

var errNull = errors.New("load the map: a part is null")

// full reports whether a map that was read is there, with all its values.
func full[M ~map[K]*V, K comparable, V any](m M) bool {
	for _, v := range m {
		if v == nil {
			return false
		}
	}
	return m != nil
}
