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
	"github.com/memtree/memtree/tree"
)

// Limits of a book. Beyond them the oldest looks are dropped.
const (
	mostLooks = 20_000
	mostLine  = 64 << 10
)

// Archive stores second looks at the verdicts of one store: the latest 20,000 at most. It is safe for concurrent use.
type Archive struct {
	mu      sync.Mutex
	of      map[place]Look
	order   []place // by arrival
	changes uint64
}

// place is what a look is of: an id, and what was to be seen. Two runs of one id are two places.
type place struct{ evaluation, seen string }

func (l *Look) place() place { return place{l.Evaluation, l.Seen} }

// NewBook returns an Archive without looks.
func NewBook() *Archive { return &Archive{of: map[place]Look{}} }

// Get returns the look at run e, and whether there is one. e must be as recorded, without its secrets. A look at
// another run with the same id, but another task, evidence or verdict, does not count.
func (b *Archive) Get(e *tree.Evaluation) (Look, bool) {
	if b.Len() == 0 {
		return Look{}, false
	}
	at := placeOf(e)
	b.mu.Lock()
	defer b.mu.Unlock()
	l, ok := b.of[at]
	return l, ok
}

// Code returns the code of the look at run e (see Look.Code), None if there is no look.
func (b *Archive) Code(e *tree.Evaluation) uint8 {
	l, ok := b.Get(e)
	if !ok {
		return None
	}
	return l.Code()
}

// Put adds look l, or replaces the earlier look at the same run.
func (b *Archive) Put(l Look) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.put(l)
}

func (b *Archive) put(l Look) {
	if _, known := b.of[l.place()]; !known {
		b.order = append(b.order, l.place())
	}
	b.of[l.place()] = l
	b.changes++
	if len(b.order) > mostLooks {
		delete(b.of, b.order[0])
		b.order = b.order[1:]
	}
}

// Estimate of the tokens of an answer.
const (
	firstAnswer = 400 // before any is known: more than most take
	firstWeight = 5   // of it, in looks
	latestLooks = 200 // that count
)

// answerTokens returns what an answer takes, by the latest looks, of a model that decides or of a reader. The fewer
// there are the closer it is to a cautious constant.
func (b *Archive) answerTokens(decides bool) int {
	if decides {
		return 0 // such a model writes nothing, or one token
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	n, sum := firstWeight, firstWeight*firstAnswer
	for i := len(b.order) - 1; i >= 0 && n < latestLooks+firstWeight; i-- {
		if l := b.of[b.order[i]]; l.P == nil && l.Tokens > 0 {
			n, sum = n+1, sum+l.Tokens
		}
	}
	return (sum + n/2) / n
}

// Name returns "looks", the name of this data beside a store.
func (*Archive) Name() string { return "looks" }

// Changes returns a number that grows with every Put and Purge.
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

// Purge removes the looks at the evaluations that p purges, because looks quote them; all looks if p is nil.
func (b *Archive) Purge(p *store.Purge) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if p == nil {
		b.of, b.order = map[place]Look{}, nil
		b.changes++
		return
	}
	gone := make(map[string]bool, len(p.Evaluations))
	for _, key := range p.Evaluations {
		gone[key] = true
	}
	maps.DeleteFunc(b.of, func(at place, _ Look) bool { return gone[at.evaluation] })
	b.order = slices.DeleteFunc(b.order, func(at place) bool { return gone[at.evaluation] })
	b.changes++
}

// Save writes the looks in the order in which they were added, each as a line of JSON.
func (b *Archive) Save(w io.Writer) error {
	b.mu.Lock()
	list := make([]Look, 0, len(b.order))
	for _, at := range b.order {
		list = append(list, b.of[at])
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

// Load replaces the looks with those that Save wrote. It skips lines that it cannot read and returns an error for the
// first of them. A line above 64 KiB ends it, with an error.
func (b *Archive) Load(r io.Reader) error {
	fresh := NewBook()
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, mostLine)
	var bad error
	for n := 1; lines.Scan(); n++ {
		var l Look
		if err := json.Unmarshal(lines.Bytes(), &l); err != nil || l.Evaluation == "" || l.Seen == "" {
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

// places returns what there are looks of.
func (b *Archive) places() map[place]bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	out := make(map[place]bool, len(b.of))
	for at := range b.of {
		out[at] = true
	}
	return out
}
