package memtree

import (
	"cmp"
	"context"
	"fmt"

	"github.com/memtree/memtree/evolution"
	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/transfer"
)

// Prune archives memories no longer needed. Evolve also does that. Advanced.
func (m *Memory) Prune(ctx context.Context, o *evolution.PruneOptions) (evolution.Pruned, error) {
	o = cmp.Or(o, &evolution.PruneOptions{})
	if m.opts.ReadOnly && !o.DryRun {
		return evolution.Pruned{}, fmt.Errorf("prune: %w", store.ErrReadOnly)
	}
	out, err := m.prune(ctx, o)
	if err != nil {
		return out, fmt.Errorf("prune: %w", err)
	}
	return out, nil
}

// prune plans which memories to archive, and applies the plan unless it is a dry run.
func (m *Memory) prune(ctx context.Context, o *evolution.PruneOptions) (p evolution.Pruned, err error) {
	e := evolution.New(evolution.Options{Taxonomy: m.taxonomy})
	err = m.core.UntilFresh(func() error {
		demand, err := evolution.ReadDemand(ctx, m.store, m.taxonomy)
		if err != nil {
			return err
		}
		p, err = e.Prune(ctx, m.store, *o, evolution.PruneInput{
			Now: m.opts.Now(), Keep: transfer.Waits, Used: demand.Used, Chances: demand.Chances,
		})
		if err != nil || o.DryRun || len(p.Changes) == 0 {
			return err
		}
		return m.core.Apply(ctx, store.Batch{Changes: p.Changes})
	})
	if err == nil && !o.DryRun && !m.opts.ReadOnly {
		err = m.Pictures().Sweep(ctx)
	}
	return p, err
}
