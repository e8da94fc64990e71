package memtree

import (
	"context"
	"errors"
	"time"

	"github.com/memtree/memtree/formation"
	"github.com/memtree/memtree/internal/core"
	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/tree"
)

// What the intake calls when it has formed runs.

// forming puts runs without a label into the inbox and saves them there, before the outbox gives them up. After an
// error the outbox must keep them, because the ledger does not have their texts.
func (m *Memory) forming(ctx context.Context, es []tree.Evaluation, all []formation.Formed) error {
	if !m.putUnlabelled(es, all) {
		return nil
	}
	return m.saveAdded(ctx)
}

// saveAdded makes durable what was added to the inbox. In a shared store only one process can save an inbox; in the
// others it is lost with the process.
func (m *Memory) saveAdded(ctx context.Context) error {
	err := m.learned.SaveAdded(ctx, m.learned.inbox)
	_, shared := m.store.(store.Shared)
	if err != nil && shared && !errors.Is(err, store.ErrFull) && !errors.Is(err, store.ErrAway) {
		m.opts.Logger.Warn("runs that wait for a label were not saved", "error", err)
		return nil
	}
	return err
}

// formed adds runs that were formed to the tests that may run again.
func (m *Memory) formed(es []tree.Evaluation, _ []formation.Formed) {
	m.noteFailed(m.briefs.NoteRuns(es))
}

// stepped wakes those who follow the verdicts of formed runs.
func (m *Memory) stepped(int) {
	core.Poke(m.learned.verdicts)
	if m.learned.fresh.Load() {
		core.Poke(m.learned.outcomes)
	}
}

// An inbox of at most smallInbox bytes is saved whole, with its marks, at each change; a larger one every
// saveInboxEvery.
const (
	smallInbox     = 4 << 20
	saveInboxEvery = 10 * time.Second
)

// saveInbox saves the inbox with its marks.
func (m *Memory) saveInbox(ctx context.Context) {
	every := saveInboxEvery
	if whole, _ := m.learned.inbox.Sizes(); whole <= smallInbox {
		every = 0
	}
	m.learned.SaveBoxes(ctx, every, m.learned.inbox)
}

// putUnlabelled puts the formed evaluations of a batch without a label into the inbox, and reports whether there are
// any.
func (m *Memory) putUnlabelled(es []tree.Evaluation, all []formation.Formed) (any bool) {
	unlabelled := map[string]bool{}
	for i := range all {
		unlabelled[all[i].Verdict.Evaluation] = !all[i].Verdict.Labelled
	}
	for i := range es {
		if unlabelled[es[i].Key()] {
			m.learned.inbox.Put(&es[i])
			any = true
		}
	}
	return any
}
