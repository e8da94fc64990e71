package memtree

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/memtree/memtree/curation"
	"github.com/memtree/memtree/effect"
	"github.com/memtree/memtree/evolution"
	"github.com/memtree/memtree/internal/guard"
	"github.com/memtree/memtree/llm"
	"github.com/memtree/memtree/llm/meter"
	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/tree"
)

// EvolveOptions configures Evolve. Nil and the zero value set no bounds.
type EvolveOptions = evolution.RunOptions

// Evolve lets the tree learn: cases that missed one check become a lesson, and lessons without enough cases go out of
// use. Guide and Record work meanwhile. If ctx ends, the changes made so far remain.
func (m *Memory) Evolve(ctx context.Context, o *EvolveOptions) (evolution.Evolved, error) {
	o = cmp.Or(o, &EvolveOptions{})
	if m.opts.ReadOnly && !o.DryRun {
		return evolution.Evolved{}, fmt.Errorf("evolve: %w", store.ErrReadOnly)
	}
	if err := m.waitFormed(ctx); err != nil {
		return evolution.Evolved{}, fmt.Errorf("evolve: %w", err)
	}
	jobs, err := m.openJobs(ctx, !o.DryRun)
	if err != nil {
		return evolution.Evolved{}, fmt.Errorf("evolve: %w", err)
	}
	out := evolution.Evolved{
		Plans: []evolution.Plan{}, Forgotten: []evolution.Forgotten{}, Revived: []string{}, Anew: []string{},
		Judged: []effect.Revised{},
	}
	if !o.DryRun {
		err = m.judge(ctx, &out)
	}
	if err == nil && m.readerOf(o) != nil {
		err = m.readAgain(ctx, o, &out)
	}
	if err == nil && (o.Reader == nil || !o.DryRun || out.Calls == 0) { // a manual reader reads runs first
		err = errors.Join(m.evolveRounds(ctx, o, jobs, &out), jobs.Save(context.WithoutCancel(ctx)))
	}
	m.saveAsked(ctx)
	if o.DryRun {
		out.Calls, out.Usage = meter.WithRepairs(out.Calls, out.Usage)
		out.Cost = o.Price.Of(out.Usage)
	}
	if !o.DryRun {
		m.drafts.Forget()
		err = errors.Join(err, m.afterEvolve(context.WithoutCancel(ctx), out.Changed()))
	}
	if err == nil && !o.DryRun {
		_ = m.core.WaitVectors(ctx) // if ctx ends first, new lessons are found lexically until they have vectors
		m.core.ShowVectors(ctx)
	}
	if err != nil {
		return out, fmt.Errorf("evolve: %w", err)
	}
	return out, nil
}

// readAgain has the model read the cases that wait for it, or estimates the cost.
func (m *Memory) readAgain(ctx context.Context, o *EvolveOptions, out *evolution.Evolved) (err error) {
	var spent meter.Spent
	if o.DryRun {
		spent, err = m.intake.EstimateReread(ctx, meter.New(estimator(o),
			meter.Options{Calls: o.MaxCalls, Cost: o.MaxCost, Price: o.Price.Of}))
	} else {
		of := m.bounded(o)
		out.Again, err = m.intake.Reread(ctx, true, of)
		spent = of.Total()
	}
	out.Calls, out.Usage, out.Cost = spent.Calls, spent.Usage, o.Price.Of(spent.Usage)
	return err
}

// evolveRounds forgets, then learns. If learning left something to forget it does both again, at most three times, so
// that another Evolve finds nothing to do.
func (m *Memory) evolveRounds(
	ctx context.Context, o *EvolveOptions, jobs *evolution.Jobs, out *evolution.Evolved,
) error {
	const rounds = 3
	attempts := &evolution.Attempts{}
	for round := range rounds {
		var view evolution.Scanner = m.core.Trusted()
		if !o.KeepAll {
			p, err := m.prune(ctx, &evolution.PruneOptions{DryRun: o.DryRun, Only: o.Only})
			if err != nil {
				return fmt.Errorf("prune: %w", err)
			}
			if round > 0 && len(p.Changes) == 0 {
				return nil
			}
			out.Revived = append(out.Revived, p.Revived...)
			if out.Forgotten = append(out.Forgotten, p.Forgotten...); o.DryRun && len(p.Changes) > 0 {
				view = evolution.After(view, p.Changes)
			}
			changes, err := m.anew(ctx, view, o)
			if err != nil {
				return err
			}
			for _, c := range changes {
				if c.Node.Type != tree.Case && c.Node.Status == tree.Retired {
					out.Anew = append(out.Anew, c.Node.ID)
				}
			}
			if o.DryRun {
				view = evolution.After(view, changes)
			}
		}
		err := m.core.UntilFresh(func() error { return m.evolve(ctx, view, o, jobs, attempts, out) })
		if err != nil || o.DryRun || o.KeepAll {
			return err
		}
	}
	return nil
}

// evolve plans and applies once, partition by partition, and adds the result to out. If ctx ends between two jobs, the
// changes applied so far remain, and the model's answers are stored. It holds no lock while a model is called.
func (m *Memory) evolve(
	ctx context.Context, v evolution.Scanner, o *EvolveOptions, jobs *evolution.Jobs, attempts *evolution.Attempts,
	out *evolution.Evolved,
) error {
	before, left := *out, o.Left(out)
	e := m.evolver(o, m.readerOf(o), jobs)
	bounds := evolution.PlanOptions{
		Only: o.Only, Price: o.Price, Now: m.opts.Now(), Review: o.Review, Attempts: attempts,
		MaxCalls: left.MaxCalls, MaxCost: left.MaxCost,
		Progress: func(s evolution.PlanProgress) {
			if s.Calls, s.Usage = s.Calls+before.Calls, s.Usage.Add(before.Usage); o.Progress != nil {
				s.Cost = o.Price.Of(s.Usage)
				o.Progress(s)
			}
		},
	}
	if o.DryRun {
		bounds.MaxCalls = new(0)
	}
	defer func() { out.Cost = o.Price.Of(out.Usage) }()
	for plan, err := range e.Plan(ctx, v, bounds) {
		if err != nil {
			return err
		}
		if !o.DryRun && len(plan.Changes) > 0 {
			// The model's answers cost money. They are saved before the tree is changed, which may fail.
			if err := jobs.Save(context.WithoutCancel(ctx)); err != nil {
				return err
			}
			changes, err := m.core.Displace(ctx, plan.Changes)
			if err != nil {
				return err
			}
			if err := m.core.Apply(ctx, store.Batch{Changes: changes}); err != nil {
				out.Calls, out.Usage = out.Calls+plan.Calls, out.Usage.Add(plan.Usage)
				return err
			}
		}
		out.Add(plan)
	}
	if o.DryRun && out.Waiting > 0 {
		return m.estimate(ctx, v, o, jobs, out)
	}
	return nil
}

// readerOf returns the reader of an Evolve, nil for none.
func (m *Memory) readerOf(o *EvolveOptions) llm.Generator {
	switch {
	case o.Reader != nil:
		return o.Reader
	case m.halt != nil:
		return m.halt
	}
	return nil // a nil *llm.Halt would be a non-nil Generator
}

// estimator returns a generator that adds up the calls of a reader. A manual reader records the prompts itself.
func estimator(o *EvolveOptions) llm.Generator {
	if o.Reader != nil {
		return o.Reader
	}
	return &meter.Estimator{}
}

// evolver returns the planner, with a model that writes or one that adds up its calls.
func (m *Memory) evolver(o *EvolveOptions, ask llm.Generator, jobs *evolution.Jobs) *evolution.Evolver {
	return evolution.New(evolution.Options{
		Taxonomy: m.taxonomy, Generator: ask, Model: llm.NameOf(m.readerOf(o)),
		Finder: evolution.NewFinder(m.core.Index, m.store.Get), Cache: jobs, Unsafe: guard.Instructs, Forces: guard.Forces,
		Words: m.words.Fill, Lift: m.former.Lift,
	})
}

// openJobs opens the saved answers and drafts of earlier runs of Evolve.
func (m *Memory) openJobs(ctx context.Context, write bool) (*evolution.Jobs, error) {
	if write && m.opts.ReadOnly {
		return nil, store.ErrReadOnly
	}
	purges := m.learned.Purges()
	return evolution.OpenJobs(ctx, m.store, evolution.JobsOptions{
		ReadOnly: !write, AtOnce: m.opts.Generator != nil, Logger: m.opts.Logger,
		Saving: func(save func([]*store.Purge) error) error { return m.learned.Saving(purges, save) },
	})
}

// Review returns the drafts of lessons that wait for a person. Advanced.
func (m *Memory) Review() *evolution.Review {
	m.refresh()
	m.learned.detached(func(ctx context.Context) {
		if n := m.learned.Number(ctx, evolution.JobsName); m.learned.drafts.Swap(n) != n {
			m.drafts.Forget() // another process has written some
		}
	})
	return evolution.NewReview(m.openJobs, func(ctx context.Context, write bool) (evolution.Evolved, error) {
		return m.Evolve(ctx, &EvolveOptions{DryRun: !write, MaxCalls: new(0), Review: true, KeepAll: true})
	}, reviewers{m}, m.core.Trusted(), &m.drafts)
}

// reviewers implements evolution.People.
type reviewers struct{ m *Memory }

func (r reviewers) Reject(ctx context.Context, p *evolution.Proposal, by *evolution.ReviewDecision) error {
	o := curation.Options{Why: by.Why, By: by.By}
	_, err := r.m.Curation().Reject(ctx, draftOf(p), o)
	return err
}

func (r reviewers) Accept(ctx context.Context, ps []evolution.Proposal, by *evolution.ReviewDecision) error {
	drafts := make([]curation.WaitingDraft, len(ps))
	for i := range ps {
		drafts[i] = draftOf(&ps[i])
	}
	o := curation.Options{By: by.By}
	return r.m.Curation().Accept(ctx, drafts, o)
}

func draftOf(p *evolution.Proposal) curation.WaitingDraft {
	return curation.WaitingDraft{Job: p.Key, Node: p.Node, Replaces: p.Replaces}
}

// mostInRow is the maximum number of consecutive calls without an answer before a model is no longer called.
const mostInRow = 3

// bounded returns the reader of an Evolve with its bounds.
func (m *Memory) bounded(o *EvolveOptions) *meter.Meter {
	return meter.New(m.readerOf(o), meter.Options{
		Calls: o.MaxCalls, Cost: o.MaxCost, Price: o.Price.Of, InRow: mostInRow,
	})
}

// Reread has the model read the cases that it failed to read. Advanced.
func (m *Memory) Reread(ctx context.Context) (read int, err error) {
	if m.halt == nil {
		return 0, nil
	}
	n, err := m.intake.Reread(ctx, false, m.bounded(&EvolveOptions{}))
	if err != nil {
		return n, fmt.Errorf("reread: %w", err)
	}
	return n, nil
}
