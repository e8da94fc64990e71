package memtree

import (
	"context"
	"time"

	"github.com/memtree/memtree/formation"
	"github.com/memtree/memtree/internal/core"
	"github.com/memtree/memtree/tree"
)

// What the intake calls when it has formed runs.

// forming puts runs without a label into the inbox, and saves it, before the outbox gives them up.
func (m *Memory) forming(ctx context.Context, es []tree.Evaluation, all []formation.Formed) {
	if m.putUnlabelled(es, all) {
		m.saveInbox(ctx)
	}
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

// An inbox of at most smallInbox bytes is saved with each batch, so a crash loses no text. A save writes the whole
// inbox; a larger one is saved every saveInboxEvery, and a crash can lose the texts of that time.
const (
	smallInbox     = 4 << 20
	saveInboxEvery = 10 * time.Second
)

func (m *Memory) saveInbox(ctx context.Context) {
	every := saveInboxEvery
	if m.learned.inbox.Bytes() <= smallInbox {
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
