package learned

import (
	"errors"
	"io"
	"maps"
	"sync"
	"time"

	"github.com/memtree/memtree/effect"
	"github.com/memtree/memtree/store"
)

// Brake holds the latest computed [effect.Breaker], which withholds memories once harm is proven. So guidance does not
// wait for the ledger. Brake also counts the runs drawn since the computation, which may not be in the ledger yet. It
// is safe for concurrent use.
type Brake struct {
	mu      sync.Mutex
	breaker effect.Breaker
	changes uint64
}

// Set replaces the breaker by a newly computed one, and keeps the higher of the two counts of drawn runs. It reports
// whether a state of the breaker changed.
func (b *Brake) Set(x *effect.Breaker) (turned bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	before := states(&b.breaker)
	drawn := max(x.Drawn, b.breaker.Drawn)
	b.breaker = *x
	b.breaker.Drawn = drawn
	b.changes++
	return !maps.Equal(before, states(&b.breaker))
}

// states returns the states of a breaker that are not closed, by error type, "" for all memories.
func states(x *effect.Breaker) map[string]effect.BreakerState {
	out := map[string]effect.BreakerState{"": x.All.State}
	for name, s := range x.Types {
		out[name] = s.State
	}
	maps.DeleteFunc(out, func(_ string, s effect.BreakerState) bool { return s == "" || s == effect.Closed })
	return out
}

// Decide returns which memories the next run may receive and with which probability, and counts the run. types are the
// error types of the memories found for the run. h is the share of runs without memories.
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

// Rested reports whether the breaker has withheld memories for so long at the time now that they should be tried
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

// Purge does nothing: the breaker contains no text and no id of a run, test or memory.
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
