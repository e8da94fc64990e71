package memtree

import (
	"context"
	"errors"
	"fmt"

	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/tree"
)

// Verify reads all data and calls found for each problem. Advanced.
func (m *Memory) Verify(ctx context.Context, found func(error)) (store.Verified, error) {
	var v store.Verified
	damaged := false
	if s, ok := m.store.(store.Verifier); ok {
		var err error
		v, err = s.Verify(ctx, func(problem error) {
			damaged = true
			found(problem)
		})
		if err != nil && !errors.Is(err, errors.ErrUnsupported) {
			return v, fmt.Errorf("verify: %w", err)
		}
	}
	if damaged { // links and index would report the same damage again
		return v, nil
	}
	if err := m.core.Latest(ctx); err != nil {
		return v, fmt.Errorf("verify: %w", err)
	}
	for n, err := range m.store.Scan(ctx, store.Filter{}) {
		if err != nil {
			return v, fmt.Errorf("verify: %w", err)
		}
		if err := tree.CheckLinks(ctx, &n, m.store.Get); err != nil {
			found(err)
		}
		if n.Live() && !m.core.Index().Has(n.ID, n.Revision) {
			found(&tree.LawError{Node: n.ID, Law: "the index knows every live node", Got: "it does not know this revision"})
		}
	}
	return v, nil
}
