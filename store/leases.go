package store

import "sync"

// Leases are the evaluations that a process has leased from an outbox. P identifies a place in the outbox. Held maps
// the place of each leased evaluation to the hash of its key; the mutex guards it. In the zero value nothing is
// leased, and Held is nil.
type Leases[P comparable] struct {
	sync.Mutex
	Held map[P]Hash
}

// End ends the leases of the evaluations at places.
func (l *Leases[P]) End(places []P) {
	l.Lock()
	defer l.Unlock()
	for _, p := range places {
		delete(l.Held, p)
	}
}

// Release ends the leases of the evaluations with these keys. It ignores keys that are not leased.
func (l *Leases[P]) Release(keys []string) {
	given := make(map[Hash]bool, len(keys))
	for _, key := range keys {
		given[HashOf(key)] = true
	}
	l.Lock()
	defer l.Unlock()
	for p, h := range l.Held {
		if given[h] {
			delete(l.Held, p)
		}
	}
}
