package memtree

import (
	"context"
	"fmt"

	"github.com/memtree/memtree/evolution"
	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/tree"
)

// What Evolve does before and after it plans, in this order, and what a dry run estimates.

// judge is the first step of Evolve: memories with worse runs go out of use before anything is built on them.
func (m *Memory) judge(ctx context.Context, out *evolution.Evolved) error {
	judged, err := m.settle(ctx)
	out.Judged = append(out.Judged, judged...)
	return err
}

// anew takes the lessons out of use that have to be learned again because of a person's decisions since the tree
// evolved, and returns the changes. With DryRun it applies none.
func (m *Memory) anew(ctx context.Context, v evolution.Scanner, o *EvolveOptions) (changes []tree.Change, err error) {
	e := evolution.New(evolution.Options{Taxonomy: m.taxonomy, Lift: m.former.Lift})
	err = m.core.UntilFresh(func() error {
		changes, err = e.Anew(ctx, v, o.Only)
		if err != nil || o.DryRun || len(changes) == 0 {
			return err
		}
		return m.core.Apply(ctx, store.Batch{Changes: changes})
	})
	if err != nil {
		return nil, fmt.Errorf("learn anew: %w", err)
	}
	return changes, nil
}

// estimate plans once more, with a model that only adds up its calls while the rules write, and adds the calls and
// tokens to out. Without this the strategies over lessons that the model has yet to write would be missing. Its
// results in jobs are not saved.
func (m *Memory) estimate(
	ctx context.Context, v evolution.Scanner, o *EvolveOptions, jobs *evolution.Jobs, out *evolution.Evolved,
) error {
	if m.readerOf(o) == nil {
		return nil
	}
	e := m.evolver(o, estimator(o), jobs)
	left := o.Left(out)
	bounds := evolution.PlanOptions{
		Only: o.Only, Price: o.Price, Now: m.opts.Now(), Review: o.Review, MaxCalls: left.MaxCalls, MaxCost: left.MaxCost,
	}
	for plan, err := range e.Plan(ctx, v, bounds) {
		if err != nil {
			return err
		}
		out.Calls, out.Usage = out.Calls+plan.Calls, out.Usage.Add(plan.Usage)
	}
	return nil
}

// afterEvolve notifies the breaker that the tree has changed: that Evolve changed memories, or that a person did
// before it. A breaker that was open for long is tried again without either.
func (m *Memory) afterEvolve(ctx context.Context, changes int) error {
	l := m.learned
	if err := l.View(ctx, func() { changes += l.runs.Acts() }, l.runs); err != nil {
		return err
	}
	rested := l.brake.Rested(m.opts.Now())
	if changes == 0 && !rested {
		return nil
	}
	if _, err := m.store.Commit(ctx, store.Batch{Entries: m.evolvedEntry(changes)}); err != nil {
		return fmt.Errorf("commit: %w", err)
	}
	return m.learnEffects(ctx)
}

// evolvedEntry returns the entry of the ledger for an evolution of the tree. From there on, memories that the breaker
// holds back are tried again.
func (m *Memory) evolvedEntry(changes int) []ledger.Entry {
	return []ledger.Entry{{At: m.opts.Now().UTC(), Evolved: &ledger.TreeChange{Changes: changes}}}
}
