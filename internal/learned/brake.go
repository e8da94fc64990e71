package learned

import (
	"errors"
	"io"
	"sync"
	"time"

	"github.com/memtree/memtree/effect"
	"github.com/memtree/memtree/store"
)

// Brake holds the breaker as of the last evaluation of the runs, so that guidance need not wait for the ledger. It also
// counts the runs drawn since, which are not in the ledger yet.
type Brake struct {
	mu      sync.Mutex
	breaker effect.Breaker
	changes uint64
}

// Set replaces the breaker by a newly computed one.
func (b *Brake) Set(x *effect.Breaker) {
	b.mu.Lock()
	defer b.mu.Unlock()
	drawn := max(x.Drawn, b.breaker.Drawn)
	b.breaker = *x
	b.breaker.Drawn = drawn
	b.changes++
}

// Decide decides which memories of the error types the next run receives.
func (b *Brake) Decide(types []string, h effect.Holdout) effect.Clearance {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.breaker.Decide(types, h)
}

// Closed returns the error types whose memories must not be injected, and whether none of types remains.
func (b *Brake) Closed(types []string) (closed []string, all bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.breaker.Closed(types)
}

// Rested reports whether something has been held back long enough to be tried again.
func (b *Brake) Rested(now time.Time) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.breaker.Rested(now)
}

// Name is "effect".
func (*Brake) Name() string { return "effect" }

// Changes returns how often the breaker was replaced.
func (b *Brake) Changes() uint64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.changes
}

// Purge does nothing: the breaker contains no run and no test.
func (*Brake) Purge(*store.Purge) {}

// mostBrake bounds the bytes of a saved breaker.
const mostBrake = 4 << 20

// Load reads the output of Save.
func (b *Brake) Load(r io.Reader) error {
	data, err := io.ReadAll(io.LimitReader(r, mostBrake))
	if err != nil {
		return errors.Join(errors.New("load the breaker"), err)
	}
	x, err := effect.ParseBreaker(data)
	if err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.breaker = *x
	return nil
}

// Save writes the breaker as JSON.
func (b *Brake) Save(w io.Writer) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return saveJSON(w, &b.breaker)
}
