package appmap

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/memtree/memtree/internal/aria"
	"github.com/memtree/memtree/internal/text"
)

// Limits on other names.
const (
	MostNames    = 12 // most other names of one element
	longestName  = 60 // characters
	mostNamedAll = 200_000
)

// Thing identifies an element of a page by role and accessible name, wherever on the page it is.
type Thing struct {
	Product string `json:"product,omitempty"`
	Page    string `json:"page"`
	Role    string `json:"role"`
	Name    string `json:"name"`
}

// Names holds names that people use for elements of a map besides their accessible names. A model writes them ahead of
// searches, so they can be dropped and written again. The zero value is empty. It is safe for concurrent use.
type Names struct {
	mu      sync.RWMutex
	of      map[Thing][]string // present and empty: read, and nothing found
	changes uint64

	indexed uint64             // the changes that the index has
	all     []Thing            // of the index
	index   map[string][]int32 // by a term of a name, places in all
}

// Put stores the names that a model wrote for t, in place of earlier ones: each once, without t's own name, at most
// MostNames. An empty list means that the model found none. Put reports false if t is new and there is no room for it.
func (n *Names) Put(t Thing, names []string) bool {
	var out []string
	for _, s := range names {
		s = text.Clip(text.Line(text.Clean(s)), longestName)
		if s != "" && !strings.EqualFold(s, t.Name) && !slices.Contains(out, s) && len(out) < MostNames {
			out = append(out, s)
		}
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if _, known := n.of[t]; !known && len(n.of) >= mostNamedAll {
		return false
	}
	if n.of == nil {
		n.of = map[Thing][]string{}
	}
	n.of[t] = out
	n.changes++
	return true
}

// Of returns the other names of t, and whether a model was asked for them. A nil n has none.
func (n *Names) Of(t Thing) (names []string, read bool) {
	if n == nil {
		return nil, false
	}
	n.mu.RLock()
	defer n.mu.RUnlock()
	names, read = n.of[t]
	return names, read
}

// Len returns the number of elements for which a model was asked.
func (n *Names) Len() int {
	n.mu.RLock()
	defer n.mu.RUnlock()
	return len(n.of)
}

// Changes returns a number that grows with every Put and Forget.
func (n *Names) Changes() uint64 {
	n.mu.RLock()
	defer n.mu.RUnlock()
	return n.changes
}

// Replace replaces the names in n by those in o. Changes does not grow, because the names in o are saved already.
func (n *Names) Replace(o *Names) {
	o.mu.RLock()
	of := maps.Clone(o.of)
	o.mu.RUnlock()
	n.mu.Lock()
	defer n.mu.Unlock()
	n.of, n.all, n.index, n.indexed = of, nil, nil, 0
}

// Forget removes all names from n.
func (n *Names) Forget() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.of, n.all, n.index, n.indexed = nil, nil, nil, 0
	n.changes++
}

// having returns the elements one of whose names has a term, those with the rarest terms first, at most mostCompared.
func (n *Names) having(terms map[string]bool) map[Thing]bool {
	out := map[Thing]bool{}
	if n == nil {
		return out
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.index == nil || n.indexed != n.changes {
		n.all, n.index, n.indexed = slices.SortedFunc(maps.Keys(n.of), byPlace), map[string][]int32{}, n.changes
		for i, t := range n.all {
			for _, term := range text.Terms(strings.Join(n.of[t], " ")) {
				n.index[term] = append(n.index[term], int32(i)) //nolint:gosec // mostNamedAll
			}
		}
	}
	rare := slices.SortedFunc(maps.Keys(terms), func(x, y string) int {
		return cmp.Or(len(n.index[x])-len(n.index[y]), cmp.Compare(x, y))
	})
	for _, term := range rare {
		for _, i := range n.index[term] {
			if len(out) == mostCompared {
				return out
			}
			out[n.all[i]] = true
		}
	}
	return out
}

// namesVersion is that of the saved form.
const namesVersion = 1

type namedThing struct {
	Thing
	Names []string `json:"names"`
}

// Save writes the names as JSON lines, one for each element, in a fixed order.
func (n *Names) Save(w io.Writer) error {
	n.mu.RLock()
	defer n.mu.RUnlock()
	out := bufio.NewWriter(w)
	lines := json.NewEncoder(out)
	if err := lines.Encode(map[string]int{"version": namesVersion, "elements": len(n.of)}); err != nil {
		return fmt.Errorf("save the names of elements: %w", err)
	}
	for _, t := range slices.SortedFunc(maps.Keys(n.of), byPlace) {
		if err := lines.Encode(namedThing{t, n.of[t]}); err != nil {
			return fmt.Errorf("save the names of elements: %w", err)
		}
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("save the names of elements: %w", err)
	}
	return nil
}

func byPlace(a, b Thing) int {
	return cmp.Or(cmp.Compare(a.Product, b.Product), cmp.Compare(a.Page, b.Page), cmp.Compare(a.Role, b.Role),
		cmp.Compare(a.Name, b.Name))
}

// LoadNames reads the names that Save wrote. A missing or damaged line is an error.
func LoadNames(r io.Reader) (*Names, error) {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	var head struct{ Version, Elements int }
	if !lines.Scan() || json.Unmarshal(lines.Bytes(), &head) != nil || head.Version != namesVersion {
		return nil, errors.New("load the names of elements: the first line has no version that is known")
	}
	n := &Names{}
	for lines.Scan() {
		var t namedThing
		if err := json.Unmarshal(lines.Bytes(), &t); err != nil {
			return nil, fmt.Errorf("load the names of elements: %w", err)
		}
		n.Put(t.Thing, t.Names)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("load the names of elements: %w", err)
	}
	if n.Len() != head.Elements {
		return nil, fmt.Errorf("load the names of elements: there are %d of %d", n.Len(), head.Elements)
	}
	return n, nil
}

// Name makes Find search by the names in n too, also by those that are added to n later.
func (m *Map) Name(n *Names) { m.names = n }

// Unread returns the elements that a search may look for and that have no entry in n, page by page. They are those of
// one product, or of all products for "".
func (m *Map) Unread(product string, n *Names) []Thing {
	var out []Thing
	for _, name := range m.Products() {
		if product != "" && name != product {
			continue
		}
		p := m.products[name]
		for _, route := range slices.Sorted(maps.Keys(p.Pages)) {
			seen := map[Thing]bool{}
			for _, key := range sortedKeys(p.Pages[route].Elements) {
				t := Thing{name, route, key.Role, key.Name}
				if _, read := n.Of(t); !read && !seen[t] && key.Role != "" && aria.Is(key.Role, aria.Operable|aria.Sought) {
					seen[t] = true
					out = append(out, t)
				}
			}
		}
	}
	return out
}
