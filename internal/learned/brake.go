package learned

import (
	"errors"
	"io"
	"sync"
	"time"

	"github.com/memtree/memtree/effect"
	"github.com/memtree/memtree/store"
)

// Brake holds the [effect.Breaker], which stops the injection of memories once harm is proven, as it was last computed.
// So guidance does not wait for the ledger. Brake also counts the runs drawn since then, which are not in the ledger
// yet.
type Brake struct {
	mu      sync.Mutex
	breaker effect.Breaker
	changes uint64
}

// Set replaces the breaker by a newly computed one. The count of drawn runs does not fall.
func (b *Brake) Set(x *effect.Breaker) {
	b.mu.Lock()
	defer b.mu.Unlock()
	drawn := max(x.Drawn, b.breaker.Drawn)
	b.breaker = *x
	b.breaker.Drawn = drawn
	b.changes++
}

// Decide decides by the breaker and by h, the share of runs without memories, which memories the next run receives.
// types are the error types of the memories found for it.
func (b *Brake) Decide(types []string, h effect.Holdout) effect.Clearance {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.breaker.Decide(types, h)
}

// Blocked returns the error types in types whose memories runs must not receive, sorted. all reports whether runs must
// not receive any memory of types.
func (b *Brake) Blocked(types []string) (blocked []string, all bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.breaker.Blocked(types)
}

// Rested reports whether the breaker has withheld some memories so long that at the time now they should be tried
// again.
func (b *Brake) Rested(now time.Time) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.breaker.Rested(now)
}

// Name returns "effect".
func (*Brake) Name() string { return "effect" }

// Changes returns how often Set was called.
func (b *Brake) Changes() uint64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.changes
}

// Purge does nothing: the breaker contains no run and no test.
func (*Brake) Purge(*store.Purge) {}

// mostBrake bounds the bytes of a saved breaker.
const mostBrake = 4 << 20

// Load replaces the breaker by one that Save wrote. After an error the breaker is as before.
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
