package jsonstore

import (
	"context"
	"fmt"

	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/tree"
)

// Lease returns up to n evaluations of the outbox and leases them to the caller. If a key is in the outbox twice, first
// without a label and then with one, the second is leased only after the first is finished. See store.Store.
func (s *Store) Lease(ctx context.Context, n int) ([]tree.Evaluation, error) {
	if s.readOnly {
		return nil, fmt.Errorf("lease: %w", store.ErrReadOnly)
	}
	st, err := s.lockLeases(ctx)
	if err != nil {
		return nil, fmt.Errorf("lease: %w", err)
	}
	defer st.base.release()
	var at []string
	var items []item
	for key, it := range st.outbox.from("") {
		if len(items) >= n {
			break
		}
		if _, held := s.leases.Held[key]; held {
			continue
		}
		// Only the oldest evaluation of a key can be leased.
		if first, _ := st.pending(it.key); first != key {
			continue
		}
		s.leases.Held[key] = it.key
		at, items = append(at, key), append(items, it)
	}
	s.leases.Unlock()

	// The lock is released: reading from the disk must not delay writers.
	out := make([]tree.Evaluation, 0, len(items))
	for _, it := range items {
		e, err := st.evaluation(it)
		if err != nil {
			s.leases.End(at)
			return nil, fmt.Errorf("lease: %w", err)
		}
		out = append(out, e)
	}
	return out, nil
}

// lockLeases returns the present state, with its files open, and locks the leases. Evaluations that are finished
// from then on lose their lease after the caller has unlocked.
func (s *Store) lockLeases(ctx context.Context) (*state, error) {
	for {
		st, err := s.view(ctx)
		if err != nil {
			return nil, err
		}
		// A commit may have finished an evaluation of st before the lock was taken.
		s.leases.Lock()
		if s.state.Load() == st {
			return st, nil
		}
		s.leases.Unlock()
		st.base.release()
	}
}

// evaluation decodes an item of the outbox.
func (st *state) evaluation(it item) (tree.Evaluation, error) {
	var e tree.Evaluation
	raw, err := st.raw(it)
	if err != nil {
		return e, err
	}
	return e, decode(raw, &e)
}

// Release ends leases; see store.Store. It ignores keys that are not leased.
func (s *Store) Release(ctx context.Context, keys []string) error {
	if err := s.usable(ctx); err != nil {
		return fmt.Errorf("release: %w", err)
	}
	s.leases.Release(keys)
	return nil
}
