package store

import "sync"

// Leases are the evaluations that a process has leased: the hash of the key of each, by its place in the outbox. They
// end with the process. The mutex guards Held. The zero value has none.
type Leases[P comparable] struct {
	sync.Mutex
	Held map[P]Hash
}

// End ends the leases of places.
func (l *Leases[P]) End(places []P) {
	l.Lock()
	defer l.Unlock()
	for _, p := range places {
		delete(l.Held, p)
	}
}

// Release ends the leases of keys. It ignores keys that are not leased.
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
