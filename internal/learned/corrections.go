package learned

import (
	"io"
	"sync"
	"time"

	"github.com/memtree/memtree/effect"
	"github.com/memtree/memtree/ledger"
)

// CorrectionFold counts the results of corrections, see [effect.Corrections]. It counts corrections since a given time,
// of verdicts whose risk was at least a given bound. It is never saved, because reading the ledger again takes no
// longer.
type CorrectionFold struct {
	unsaved
	*effect.Corrections
	above float64
	since time.Time
}

// newCorrections returns an empty fold. It skips corrections before since, none if since is zero.
func newCorrections(above float64, since time.Time) *CorrectionFold {
	c := &CorrectionFold{above: above, since: since}
	c.Reset()
	return c
}

// Reset removes all corrections.
func (c *CorrectionFold) Reset() { c.Corrections = effect.NewCorrections(c.above) }

// Add adds entry e if it is a correction or a labelled verdict. It ignores corrections before the start time.
func (c *CorrectionFold) Add(e *ledger.Entry) {
	if e.Correction == nil || !e.At.Before(c.since) {
		c.Note(e)
	}
}

// Save writes the results of each remedy as JSON.
func (c *CorrectionFold) Save(w io.Writer) error { return saveJSON(w, c.Remedied()) }

// Bounds holds one CorrectionFold for each pair of risk bound and start time that is asked for, at most eight at a
// time. It is safe for concurrent use.
type Bounds struct {
	mu sync.Mutex
	of map[bound]*CorrectionFold
}

type bound struct {
	above float64
	since int64 // Unix nanoseconds; 0: the zero time
}

// mostBounds is the most bounds at a time. A team has one or two.
const mostBounds = 8

// At returns the fold for corrections since a time of verdicts whose risk is at least above, and makes it if there is
// none. If there are eight folds already, At forgets them before it makes another, and returns them as others for
// Follower.Drop.
func (b *Bounds) At(above float64, since time.Time) (c *CorrectionFold, others []Fold) {
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
		b.of = map[bound]*CorrectionFold{}
	}
	c = newCorrections(above, since)
	b.of[key] = c
	return c, others
}

// All returns all folds that At made and did not forget, in any order.
func (b *Bounds) All() []Fold {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.all()
}

func (b *Bounds) all() (all []Fold) {
	for _, c := range b.of { // the order is irrelevant
		all = append(all, c)
	}
	return all
}
