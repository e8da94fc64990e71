package learned

import (
	"io"
	"sync"
	"time"

	"github.com/memtree/memtree/effect"
	"github.com/memtree/memtree/tree"
)

// Corrections is what came of corrections above a bound since a time. It is never saved: reading the ledger takes no
// longer.
type Corrections struct {
	unsaved
	*effect.Corrections
	above float64
	since time.Time
}

// NewCorrections returns a fold of no correction. Those before since are passed over; the zero time passes over none.
func NewCorrections(above float64, since time.Time) *Corrections {
	c := &Corrections{above: above, since: since}
	c.Reset()
	return c
}

// Reset forgets all corrections.
func (c *Corrections) Reset() { c.Corrections = effect.NewCorrections(c.above) }

// Add takes in an entry.
func (c *Corrections) Add(e *tree.Entry) {
	if e.Correction == nil || !e.At.Before(c.since) {
		c.Note(e)
	}
}

// Save writes what each remedy has done.
func (c *Corrections) Save(w io.Writer) error { return saveJSON(w, c.Remedied()) }

// Bounds is a fold of corrections for each bound in use. It is safe for concurrent use.
type Bounds struct {
	mu sync.Mutex
	of map[bound]*Corrections
}

type bound struct {
	above float64
	since int64 // Unix nanoseconds; 0: the zero time
}

// mostBounds is how many bounds are followed. A team has one or two.
const mostBounds = 8

// At returns the fold of a bound. Where there are too many it returns the others too, to be dropped.
func (b *Bounds) At(above float64, since time.Time) (c *Corrections, others []Fold) {
	key := bound{above: above}
	if !since.IsZero() {
		key.since = since.UnixNano()
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if c = b.of[key]; c != nil {
		return c, nil
	}
	if len(b.of) >= mostBounds {
		others = b.all()
		b.of = nil
	}
	if b.of == nil {
		b.of = map[bound]*Corrections{}
	}
	c = NewCorrections(above, since)
	b.of[key] = c
	return c, others
}

// All returns the folds of all bounds.
func (b *Bounds) All() []Fold {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.all()
}

func (b *Bounds) all() (all []Fold) {
	for _, c := range b.of { // a set: their order makes no difference
		all = append(all, c)
	}
	return all
}
