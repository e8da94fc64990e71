package memtree

// Memory is compared with runs without it. Guide draws at random what a run is given; from the outcomes follow the
// breaker and the credit of every memory, as functions of the ledger. Their stored form beside the store is derived
// data.

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/memtree/memtree/effect"
	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/tree"
)

// Effect reports whether memories help, how surely, and which ones. Advanced.
func (m *Memory) Effect(ctx context.Context) (*effect.Report, error) {
	j, _, err := m.joinRuns(ctx)
	if err != nil {
		return nil, fmt.Errorf("effect: %w", err)
	}
	return effect.NewReport(&j, effect.Watch(&j), m.credit(ctx, &j)), nil
}

// joinRuns joins the runs of the ledger, up to the entry whose number it returns.
func (m *Memory) joinRuns(ctx context.Context) (j effect.Joined, last uint64, err error) {
	l, look := m.learned, m.lookUp(ctx)
	err = l.View(ctx, func() { j, last = l.runs.Join(look), l.runs.Last() }, l.runs)
	return j, last, err
}

// lookUp returns a function that looks up a memory with those above it. It reads each memory once. A deleted or
// unreadable one is treated as unknown.
func (m *Memory) lookUp(ctx context.Context) effect.CandidateOf {
	seen := map[string]*tree.Node{}
	node := func(id string) *tree.Node {
		if n, ok := seen[id]; ok || id == "" {
			return n
		}
		seen[id] = nil
		if n, err := m.store.Get(ctx, id); err == nil {
			seen[id] = &n
		}
		return seen[id]
	}
	return func(id string) (effect.Candidate, bool) {
		if ledger.IsFact(id) {
			return m.factCandidate(id)
		}
		n := node(id)
		if n == nil {
			return effect.Candidate{}, false
		}
		c := effect.Candidate{
			ID: id, Type: n.Type, ErrorType: n.ErrorType, Direction: n.Direction, Origin: n.Origin.ID,
			Prior: effect.Prior(n.Prior(), max(1, len(n.Children))),
		}
		for up := node(n.Parent); up != nil && len(c.Lineage) < levels-1; up = node(up.Parent) {
			c.Lineage = append(c.Lineage, effect.Ancestor{ID: up.ID, Type: up.Type})
		}
		return c, true
	}
}

// levels is the number of levels of a tree.
const levels = 3

// latest returns the time of the latest run.
func latest(runs []effect.TrialRun) (at time.Time) {
	for i := range runs {
		if runs[i].At.After(at) {
			at = runs[i].At
		}
	}
	return at
}

// learnEffects updates the brake to the ledger.
func (m *Memory) learnEffects(ctx context.Context) error {
	j, _, err := m.joinRuns(ctx)
	if err == nil {
		m.setBrake(ctx, &j)
	}
	return err
}

// setBrake updates the brake to the runs of the ledger. What it withholds from now on, or no longer, is saved at once:
// after a crash, and by processes that only read, it is to be withheld too.
func (m *Memory) setBrake(ctx context.Context, j *effect.Joined) {
	if m.learned.brake.Set(effect.Watch(j)) {
		m.learned.SaveBoxes(context.WithoutCancel(ctx), 0, m.learned.brake)
	}
}

// credit returns the effect of every memory that was given to a run.
func (m *Memory) credit(ctx context.Context, j *effect.Joined) []effect.Effect {
	fit := effect.Weigh(j.Runs).Fit(latest(j.Runs))
	held := map[string]bool{} // each memory is read once, not for every run
	effect.Suspect(fit, j.Runs, j.Blamed, func(id string) bool {
		is, known := held[id]
		if !known {
			n, err := m.store.Get(ctx, id)
			is = err == nil && n.HeldBack()
			held[id] = is
		}
		return is
	})
	return fit
}

// settle writes the credit from outcomes into the memories, and returns those that are given from now on, or no
// longer.
func (m *Memory) settle(ctx context.Context) (out []effect.Revised, err error) {
	l := m.learned
	l.settling.Lock()
	defer l.settling.Unlock()
	j, last, err := m.joinRuns(ctx)
	if err != nil || len(j.Runs) == 0 || l.settled == last {
		return nil, err
	}
	m.setBrake(ctx, &j)
	now := latest(j.Runs)
	fit, shown := m.credit(ctx, &j), effect.Tallies(j.Runs, now)
	err = m.core.UntilFresh(func() error {
		out = nil
		var changes []tree.Change
		for i := range fit {
			n, err := m.store.Get(ctx, fit[i].ID)
			if errors.Is(err, tree.ErrNotFound) {
				continue
			}
			if err != nil {
				return err
			}
			c, r, ok := effect.Revise(&n, &fit[i], shown[n.ID], m.origin.ID, now)
			if ok {
				changes = append(changes, c)
			}
			if r.ID != "" {
				out = append(out, r)
			}
		}
		if len(changes) == 0 {
			return nil
		}
		b := store.Batch{Changes: changes}
		if len(out) > 0 {
			b.Entries = m.evolvedEntry(len(out))
		}
		return m.core.Apply(ctx, b)
	})
	if err != nil {
		return nil, fmt.Errorf("settle the credit of memories: %w", err)
	}
	l.settled = last
	return out, nil
}

// settleAtClose writes the credit of outcomes since Open, if there are any.
func (m *Memory) settleAtClose() {
	if m.opts.ReadOnly || !m.learned.fresh.Load() {
		return
	}
	if _, err := m.settle(context.Background()); err != nil {
		m.opts.Logger.Warn("the credit of memories was not written and will be made anew", "error", err)
	}
}
