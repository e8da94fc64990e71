package memtree

// Memory is held against runs without it. Guide draws by chance what a run is given; from the
// outcomes the breaker and the credit of every memory follow, as functions of the ledger. What is
// kept of them beside the store is derived data.

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/memtree/memtree/effect"
	"github.com/memtree/memtree/evolution"
	"github.com/memtree/memtree/tree"
)

// effectName is the name of the breaker among a store's derived data.
const effectName = "effect"

// effects is what was learned of outcomes, and how much of the ledger that is.
type effects struct {
	wake chan struct{} // wakes the worker that learns
	turn chan struct{} // holds one token; who has taken it may use the fields up to watch

	joiner  *effect.Joiner
	seq     uint64 // number of the last entry of the ledger in joiner
	saved   uint64 // of the breaker on disk
	settled uint64 // up to which memories have their credit

	fresh atomic.Bool // outcomes came since Open

	watch   sync.Mutex
	breaker effect.Breaker // guarded by watch

	suspects suspects
}

// init puts the token in its place.
func (e *effects) init() {
	e.wake, e.turn, e.joiner = make(chan struct{}, 1), make(chan struct{}, 1), effect.NewJoiner()
	e.turn <- struct{}{}
}

// Effect says from the ledger whether memory helps, how sure that is, and which memories do.
// Where no run was held out, nothing can be compared, and the report says so. Advanced.
func (m *Memory) Effect(ctx context.Context) (*effect.Report, error) {
	<-m.effects.turn
	defer func() { m.effects.turn <- struct{}{} }()
	j, err := m.joinRuns(ctx)
	if err != nil {
		return nil, fmt.Errorf("effect: %w", err)
	}
	b := effect.Watch(&j)
	m.setBreaker(b)
	return effect.NewReport(&j, b, m.credit(ctx, &j)), nil
}

// joinRuns reads what is new in the ledger and joins it. The caller has the turn.
func (m *Memory) joinRuns(ctx context.Context) (effect.Joined, error) {
	for e, err := range m.store.Ledger(ctx, m.effects.seq) {
		if err != nil {
			return effect.Joined{}, fmt.Errorf("read the ledger: %w", err)
		}
		m.effects.joiner.Add(&e)
		m.effects.seq = e.Seq
	}
	return m.effects.joiner.Join(m.lookUp(ctx)), nil
}

// lookUp returns a function that looks up a memory with those above it. It reads each memory
// once. One that is gone, or cannot be read, is not known.
func (m *Memory) lookUp(ctx context.Context) effect.Look {
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
		n := node(id)
		if n == nil {
			return effect.Candidate{}, false
		}
		c := effect.Candidate{
			ID: id, Type: n.Type, ErrorType: n.ErrorType, Direction: n.Direction, Origin: n.Origin.ID,
			Prior: effect.Prior(n.Said(), max(1, len(n.Children))),
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
func latest(runs []effect.Run) (at time.Time) {
	for i := range runs {
		if runs[i].At.After(at) {
			at = runs[i].At
		}
	}
	return at
}

// learnEffects brings the breaker up to the ledger.
func (m *Memory) learnEffects(ctx context.Context) error {
	<-m.effects.turn
	defer func() { m.effects.turn <- struct{}{} }()
	j, err := m.joinRuns(ctx)
	if err != nil {
		return err
	}
	m.setBreaker(effect.Watch(&j))
	return nil
}

// setBreaker replaces the breaker. Runs that were drawn and are not in the ledger yet count on.
func (m *Memory) setBreaker(b *effect.Breaker) {
	m.effects.watch.Lock()
	defer m.effects.watch.Unlock()
	b.Drawn = max(b.Drawn, m.effects.breaker.Drawn)
	m.effects.breaker = *b
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

// settle writes what outcomes say of memories into the memories, and returns those that are
// given from now on, or no longer.
func (m *Memory) settle(ctx context.Context) (out []effect.Revised, err error) {
	<-m.effects.turn
	defer func() { m.effects.turn <- struct{}{} }()
	j, err := m.joinRuns(ctx)
	if err != nil || len(j.Runs) == 0 || m.effects.settled == m.effects.seq {
		return nil, err
	}
	m.setBreaker(effect.Watch(&j))
	now := latest(j.Runs)
	fit, shown := m.credit(ctx, &j), effect.Tallies(j.Runs, now)
	err = m.untilFresh(func() error {
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
		b := tree.Batch{Changes: changes}
		if len(out) > 0 {
			b.Entries = m.learned(len(out))
		}
		return m.apply(ctx, b)
	})
	if err != nil {
		return nil, fmt.Errorf("settle the credit of memories: %w", err)
	}
	m.effects.settled = m.effects.seq
	return out, nil
}

// loadEffects reads the breaker that was kept. Without one it is closed until the ledger is read.
func (m *Memory) loadEffects(ctx context.Context) {
	kept, err := tree.OpenDerived(ctx, m.store, effectName)
	if err == nil {
		var data []byte
		data, err = io.ReadAll(io.NewSectionReader(kept, 0, min(kept.Size, mostBreaker)))
		if err = errors.Join(err, kept.Closer.Close()); err == nil {
			var b *effect.Breaker
			if b, err = effect.ParseBreaker(data); err == nil {
				m.effects.breaker, m.effects.saved = *b, kept.Version
				return
			}
		}
	}
	if !errors.Is(err, tree.ErrNotFound) {
		m.opts.Logger.Info("reading anew from the ledger whether memory helps", "reason", err)
	}
	poke(m.effects.wake)
}

// mostBreaker bounds the bytes of a kept breaker.
const mostBreaker = 4 << 20

// saveEffects keeps the breaker for the next Open. Its version is the number of the last ledger
// entry that it has seen.
func (m *Memory) saveEffects(ctx context.Context) {
	<-m.effects.turn
	defer func() { m.effects.turn <- struct{}{} }()
	if m.opts.ReadOnly || m.effects.seq == 0 || m.effects.seq == m.effects.saved {
		return
	}
	m.effects.watch.Lock()
	data, err := json.Marshal(&m.effects.breaker)
	m.effects.watch.Unlock()
	if err == nil {
		err = tree.SaveDerived(ctx, m.store, effectName, m.effects.seq, func(w io.Writer) error {
			_, err := w.Write(data)
			return err
		})
	}
	if err != nil {
		m.opts.Logger.Warn("whether memory helps was not kept and will be read anew", "error", err)
		return
	}
	m.effects.saved = m.effects.seq
}

// settleAtClose writes the credit of what came back since Open, if anything did.
func (m *Memory) settleAtClose() {
	if m.opts.ReadOnly || !m.effects.fresh.Load() {
		return
	}
	if _, err := m.settle(context.Background()); err != nil {
		m.opts.Logger.Warn("the credit of memories was not written and will be made anew", "error", err)
	}
}

// judge is the first thing that Evolve does: memories whose runs went worse for them go out of
// use before anything is built on them.
func (m *Memory) judge(ctx context.Context, out *evolution.Evolved) error {
	judged, err := m.settle(ctx)
	out.Judged = append(out.Judged, judged...)
	return err
}

// learned returns the line of the ledger which says that the tree has learned. What the breaker
// holds back is tried again from there on.
func (m *Memory) learned(changes int) []tree.Entry {
	return []tree.Entry{{At: m.opts.Now().UTC(), Evolved: &tree.Evolved{Changes: changes}}}
}

// afterEvolve tells the breaker that the tree has learned: that Evolve changed memories, or that a
// person did before it. What has been open for long is tried again without either.
func (m *Memory) afterEvolve(ctx context.Context, changes int) error {
	<-m.effects.turn
	_, err := m.joinRuns(ctx)
	changes += m.effects.joiner.Acts()
	m.effects.turn <- struct{}{}
	if err != nil {
		return err
	}
	m.effects.watch.Lock()
	rested := m.effects.breaker.Rested(m.opts.Now())
	m.effects.watch.Unlock()
	if changes == 0 && !rested {
		return nil
	}
	if _, err := m.store.Commit(ctx, tree.Batch{Entries: m.learned(changes)}); err != nil {
		return fmt.Errorf("commit: %w", err)
	}
	return m.learnEffects(ctx)
}
