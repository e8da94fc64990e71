package memtree

import (
	"context"
	"errors"
	"fmt"

	"github.com/memtree/memtree/evolution"
	"github.com/memtree/memtree/transfer"
	"github.com/memtree/memtree/tree"
)

// PruneOptions bound what Prune does. Nil, and the zero value, do everything.
type PruneOptions struct {
	DryRun bool             // plan, write nothing
	Only   string           // this error type alone
	Budget evolution.Budget // zero fields: the defaults
}

// Prune takes out of use what the tree can do without: memories are archived,
// each with its reason, and nothing is deleted. See [evolution.Evolver.Prune] for
// the order. Evolve does it too.
func (m *Memory) Prune(ctx context.Context, o *PruneOptions) (evolution.Pruned, error) {
	if o == nil {
		o = &PruneOptions{}
	}
	if m.opts.ReadOnly && !o.DryRun {
		return evolution.Pruned{}, fmt.Errorf("prune: %w", tree.ErrReadOnly)
	}
	out, err := m.prune(ctx, o)
	if err != nil {
		return out, fmt.Errorf("prune: %w", err)
	}
	return out, nil
}

func (m *Memory) prune(ctx context.Context, o *PruneOptions) (evolution.Pruned, error) {
	e, err := evolution.New(evolution.Options{Taxonomy: m.taxonomy, Embedder: m.causes(ctx)})
	if err != nil {
		return evolution.Pruned{}, err
	}
	for try := 1; ; try++ {
		used, err := m.injected(ctx)
		if err != nil {
			return evolution.Pruned{}, err
		}
		p, err := e.Prune(ctx, m.store, evolution.PruneOptions{
			Only: o.Only, Now: m.opts.Now(), Budget: o.Budget, Keep: transfer.Waits,
			Used: func(id string) bool { return used[id] },
		})
		if err != nil || o.DryRun || len(p.Changes) == 0 {
			return p, err
		}
		err = m.apply(ctx, tree.Batch{Changes: p.Changes})
		if !errors.Is(err, tree.ErrConflict) || try == evolveRetries {
			return p, err
		}
		m.counts.conflicts.Add(1)
	}
}

// injected returns the ids of all memories that were ever put into a prompt.
func (m *Memory) injected(ctx context.Context) (map[string]bool, error) {
	out := map[string]bool{}
	for e, err := range m.store.Ledger(ctx, 0) {
		if err != nil {
			return nil, fmt.Errorf("read the ledger: %w", err)
		}
		var list []tree.Injection
		switch {
		case e.Trial != nil:
			list = e.Trial.Injected
		case e.Step != nil:
			list = e.Step.Injected
		}
		for _, i := range list {
			out[i.ID] = true
		}
	}
	return out, nil
}
