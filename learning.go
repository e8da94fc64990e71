package memtree

// What a memory learns besides its tree follows the ledger, or is held beside it; see package learned.

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/memtree/memtree/internal/core"
	"github.com/memtree/memtree/internal/learned"
	"github.com/memtree/memtree/knowledge"
	"github.com/memtree/memtree/look"
	"github.com/memtree/memtree/store"
)

// learning holds what was learned besides the tree.
type learning struct {
	*learned.Follower

	risk        *learned.RiskFold
	runs        *learned.RunFold
	corrections learned.Bounds
	knowledge   *learned.Knowledge
	atlas       *learned.MapFold
	work        *learned.WorkFold
	decided     atomic.Bool // a fact was decided on since guidance last read what is known

	labels    *learned.LabelFold
	decisions *learned.Follower // of labels alone: recording and forming do not wait for the other folds

	inbox  *learned.InboxBox
	briefs *learned.BriefBox
	names  *learned.NameBox
	looks  *look.Archive
	brake  *learned.Brake
	spent  *learned.SpentBox
	habits *learned.Habits
	lost   []error // *store.BesideError of each box that could not be read at Open

	verdicts chan struct{} // wakes the worker after new verdicts
	outcomes chan struct{} // wakes the worker after new outcomes
	seen     chan seenTest // from Guide, to be added to the book

	follow   func(context.Context) error // see core.Latest
	detached func(func(context.Context)) // calls with a context that does not end, for methods that have none
	fresh    atomic.Bool                 // new outcomes since Open
	settling sync.Mutex                  // held while the credit of memories is written; taken before door
	settled  uint64                      // last entry of the ledger in the credit of memories; guarded by settling
	scores   scores
	drafts   atomic.Uint64 // number of the saved drafts, of a memory that only reads
}

// newLearning returns an empty learning.
func newLearning() *learning {
	names := learned.NewNames()
	return &learning{
		runs: learned.NewRuns(), knowledge: learned.NewKnowledge(), atlas: learned.NewMap(names.Names),
		work:  learned.NewWork(),
		inbox: learned.NewInbox(), briefs: learned.NewBriefs(), names: names, looks: look.NewBook(), brake: &learned.Brake{},
		verdicts: make(chan struct{}, 1), outcomes: make(chan struct{}, 1), seen: make(chan seenTest, 1024),
	}
}

// openLearned loads the data held beside the store. Unreadable data starts empty.
func (m *Memory) openLearned(ctx context.Context) {
	l, detached := m.learned, context.WithoutCancel(ctx)
	l.detached = func(do func(context.Context)) { do(detached) }
	l.Follower = learned.New(m.store, m.opts.ReadOnly, m.opts.Logger)
	l.decisions = learned.New(m.store, m.opts.ReadOnly, m.opts.Logger)
	_, shared := m.store.(store.Shared)
	l.labels = learned.NewLabels(!shared)
	l.risk = learned.NewRisk(m.opts.Logger)
	hold := func(b learned.Box, level slog.Level, lost string) bool {
		found, err := l.Hold(ctx, b)
		if err != nil {
			m.opts.Logger.Log(ctx, level, lost, "error", err)
			if store.HeldBeside(b.Name()) {
				l.lost = append(l.lost, &store.BesideError{Name: b.Name(), Lost: lost, Cause: err})
			}
		}
		return found && err == nil
	}
	hold(l.spent, slog.LevelInfo, "what models were asked is counted anew")
	l.habits = learned.NewHabits(m.opts.Now, m.opts.Generator, m.opts.Embedder)
	hold(l.habits, slog.LevelInfo, "how models have to be asked is learned again")
	hold(l.inbox, slog.LevelWarn, "runs that waited for a truth are lost; hand them in again to label them")
	hold(l.briefs, slog.LevelInfo, "coming tests are read anew")
	hold(l.names, slog.LevelInfo, "memtree map read names the elements of the map anew")
	hold(l.looks, slog.LevelInfo, "second looks are lost; a reader looks again")
	if !hold(l.brake, slog.LevelInfo, "reading anew from the ledger whether memory helps") {
		core.Poke(l.outcomes)
	}
}

// View is Follower.View, after the store was followed: what another process purged has to be gone from the folds.
func (l *learning) View(ctx context.Context, read func(), of ...learned.Fold) error {
	if err := l.follow(ctx); err != nil {
		return err
	}
	return l.Follower.View(ctx, read, of...)
}

// latest follows a store that is only read, before a question that needs the boxes in of.
func (m *Memory) latest(ctx context.Context, of ...learned.Box) error {
	return m.learned.Latest(ctx, m.learned.follow, of...)
}

// refresh is latest for methods without a context and an error: they answer from what was read before if it fails.
func (m *Memory) refresh(of ...learned.Box) {
	if !m.opts.ReadOnly {
		return
	}
	m.learned.detached(func(ctx context.Context) {
		if err := m.latest(ctx, of...); err != nil {
			m.opts.Logger.Warn("what another process has written will be read later", "error", err)
		}
	})
}

// learn follows the ledger as verdicts and outcomes come, until ctx ends. It is a worker of its own so that forming
// does not wait for it. Entries that it has not learned at Close are learned after the next Open, or at the next read.
// The more outcomes there are the longer it takes to join them, so it rests after that, and takes no more than a
// twentieth of one processor.
func (m *Memory) learn(ctx context.Context) {
	l := m.learned
	outcomes, rested, settled := l.outcomes, (<-chan time.Time)(nil), time.Now()
	var due <-chan time.Time // when verdicts are learned from
	if err := m.viewFacts(ctx, func(*knowledge.Base) {}); err != nil && ctx.Err() == nil {
		m.opts.Logger.Warn("what is known of the product will be read later", "error", err)
	}
	for {
		var err error
		select {
		case <-ctx.Done():
			return
		case x := <-l.seen:
			m.noteFailed(m.briefs.Note(x.test, x.at))
		case <-l.verdicts:
			if due == nil {
				due = time.After(m.verdictRest(ctx))
			}
		case <-due:
			due = nil
			err = l.CatchUp(ctx, append(l.corrections.All(), l.risk)...)
		case <-rested:
			outcomes, rested = l.outcomes, nil
		case <-outcomes:
			began := time.Now()
			err = errors.Join(m.learnEffects(ctx), m.viewFacts(ctx, func(*knowledge.Base) {}))
			if err == nil && began.Sub(settled) > settleEvery {
				_, err = m.settle(ctx)
				settled = time.Now()
			}
			outcomes, rested = nil, time.After(20*time.Since(began))
		}
		if err != nil && ctx.Err() == nil {
			m.opts.Logger.Warn("what the ledger says will be learned later", "error", err)
		}
	}
}

// Verdicts are learned from a while after they came, so that a short-lived process leaves a few of them to a later one,
// or to the next reader, and need not load what was learned before.
const (
	verdictRest = time.Second
	mostBehind  = 2048 // entries of the ledger
)

// verdictRest returns how long to wait before verdicts are learned from.
func (m *Memory) verdictRest(ctx context.Context) time.Duration {
	if m.learned.Behind(ctx, m.learned.risk) > mostBehind {
		return 0
	}
	return verdictRest
}

// settleEvery is the minimum interval between two writes of credit into memories while runs continue. Evolve and Close
// write it too.
const settleEvery = time.Minute

// saveAsked saves the usage of models and the habits.
func (m *Memory) saveAsked(ctx context.Context) {
	m.learned.SaveBoxes(context.WithoutCancel(ctx), 0, m.learned.spent, m.learned.habits)
}
