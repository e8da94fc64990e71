package look

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"sync"

	"github.com/memtree/memtree/store"
)

// Limits of a book. Beyond them the oldest looks are dropped.
const (
	mostLooks = 20_000
	mostLine  = 64 << 10
)

// Archive holds the looks of a store. It is safe for concurrent use.
type Archive struct {
	mu      sync.Mutex
	of      map[string]Look
	order   []string // by arrival
	changes uint64
}

// NewBook returns an empty book.
func NewBook() *Archive { return &Archive{of: map[string]Look{}} }

// Get returns the look at an evaluation.
func (b *Archive) Get(key string) (Look, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	l, ok := b.of[key]
	return l, ok
}

// Code returns the code of the look at an evaluation, None without one.
func (b *Archive) Code(key string) uint8 {
	l, ok := b.Get(key)
	if !ok {
		return None
	}
	return l.Code()
}

// Put adds a look, or replaces an earlier one.
func (b *Archive) Put(l Look) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.put(l)
}

func (b *Archive) put(l Look) {
	if _, known := b.of[l.Evaluation]; !known {
		b.order = append(b.order, l.Evaluation)
	}
	b.of[l.Evaluation] = l
	b.changes++
	if len(b.order) > mostLooks {
		delete(b.of, b.order[0])
		b.order = b.order[1:]
	}
}

// Name is "looks".
func (*Archive) Name() string { return "looks" }

// Changes returns a number that grows with every change.
func (b *Archive) Changes() uint64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.changes
}

// Len returns the number of looks.
func (b *Archive) Len() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.of)
}

// Purge removes the looks at purged evaluations, because they quote them.
func (b *Archive) Purge(p *store.Purge) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, key := range p.Evaluations {
		delete(b.of, key)
	}
	b.order = slices.DeleteFunc(b.order, func(key string) bool { _, ok := b.of[key]; return !ok })
	b.changes++
}

// Save writes a line of JSON for each look, in the order of their arrival.
func (b *Archive) Save(w io.Writer) error {
	b.mu.Lock()
	list := make([]Look, 0, len(b.order))
	for _, key := range b.order {
		list = append(list, b.of[key])
	}
	b.mu.Unlock()
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	for i := range list {
		if err := e.Encode(&list[i]); err != nil {
			return fmt.Errorf("save the second looks: %w", err)
		}
	}
	return nil
}

// Load reads the output of Save. It keeps the readable lines; the error is of the first other one.
func (b *Archive) Load(r io.Reader) error {
	fresh := NewBook()
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, mostLine)
	var bad error
	for n := 1; lines.Scan(); n++ {
		var l Look
		if err := json.Unmarshal(lines.Bytes(), &l); err != nil || l.Evaluation == "" {
			if bad == nil {
				bad = fmt.Errorf("line %d of the second looks cannot be read", n)
			}
			continue
		}
		fresh.put(l)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.of, b.order = fresh.of, fresh.order
	return errors.Join(bad, lines.Err())
}

// keys returns the evaluations with a look.
func (b *Archive) keys() map[string]bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	out := make(map[string]bool, len(b.of))
	for key := range maps.Keys(b.of) {
		out[key] = true
	}
	return out
}
