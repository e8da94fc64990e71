package memtree

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/memtree/memtree/tree"
)

// Stats is what a memory holds, counted.
type Stats struct {
	tree.Info
	Levels     map[string]int `json:"levels"` // by node type
	Types      map[string]int `json:"types"`  // by error type
	Directions map[string]int `json:"directions"`
	Statuses   map[string]int `json:"statuses"`
	Embedder   string         `json:"embedder"`
	Swallowed  Swallowed      `json:"swallowed"`
}

// Swallowed counts what memory failed to do since Open so that runs could go on.
type Swallowed struct {
	Guidance  int64 `json:"guidance"`  // answers that failed
	Trials    int64 `json:"trials"`    // ledger lines that were lost
	Runs      int64 `json:"runs"`      // wrapped runs that were not recorded
	Conflicts int64 `json:"conflicts"` // plans that were made again
}

// Stats counts what the memory holds. It reads every node.
func (m *Memory) Stats(ctx context.Context) (Stats, error) {
	info, err := m.store.Info(ctx)
	if err != nil {
		return Stats{}, fmt.Errorf("stats: %w", err)
	}
	s := Stats{
		Info: info, Levels: map[string]int{}, Types: map[string]int{}, Directions: map[string]int{}, Statuses: map[string]int{},
		Embedder: m.opts.Embedder.ID(),
		Swallowed: Swallowed{
			Guidance: m.counts.guideFailures.Load(), Trials: m.counts.trialsLost.Load(),
			Runs: m.counts.runsLost.Load(), Conflicts: m.counts.conflicts.Load(),
		},
	}
	for n, err := range m.store.Scan(ctx, tree.Filter{}) {
		if err != nil {
			return Stats{}, fmt.Errorf("stats: %w", err)
		}
		s.Levels[string(n.Type)]++
		s.Types[n.ErrorType]++
		s.Directions[string(n.Direction)]++
		s.Statuses[string(n.Status)]++
	}
	return s, nil
}

// Node returns one node, or tree.ErrNotFound.
func (m *Memory) Node(ctx context.Context, id string) (tree.Node, error) {
	return m.store.Get(ctx, id)
}

// Nodes yields the nodes f selects, sorted by id.
func (m *Memory) Nodes(ctx context.Context, f tree.Filter) iter.Seq2[tree.Node, error] {
	return m.store.Scan(ctx, f)
}

// Verify reads everything, calls found for each problem, and returns what it
// read: the store's hashes and chains, the laws of the tree, and whether the
// index knows what the store does. In a store that is damaged the links between
// nodes and the index are not looked at.
func (m *Memory) Verify(ctx context.Context, found func(error)) (tree.Verified, error) {
	var v tree.Verified
	damaged := false
	if s, ok := m.store.(tree.Verifier); ok {
		var err error
		v, err = s.Verify(ctx, func(problem error) {
			damaged = true
			found(problem)
		})
		if err != nil && !errors.Is(err, errors.ErrUnsupported) {
			return v, fmt.Errorf("verify: %w", err)
		}
	}
	if damaged {
		return v, nil
	}
	for n, err := range m.store.Scan(ctx, tree.Filter{}) {
		if err != nil {
			return v, fmt.Errorf("verify: %w", err)
		}
		if err := tree.CheckLinks(ctx, &n, m.store.Get); err != nil {
			found(err)
		}
		if n.Live() && !m.index.Load().Has(n.ID, n.Revision) {
			found(&tree.LawError{Node: n.ID, Law: "the index knows every live node", Got: "it does not know this revision"})
		}
	}
	return v, nil
}
