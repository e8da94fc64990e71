package memtree

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/memtree/memtree/formation"
	"github.com/memtree/memtree/inbox"
	"github.com/memtree/memtree/risk"
	"github.com/memtree/memtree/tree"
)

// scoredMost is how many runs of the inbox are given a risk, the newest ones.
const scoredMost = 1000

// Inbox is what waits for a person to say whether it was right.
type Inbox struct {
	Waiting  []Unlabelled `json:"waiting"`  // the riskiest first; those without a risk after them, the newest first
	Total    int          `json:"total"`    // how many wait in all
	Scored   int          `json:"scored"`   // of them have a risk, whether they are in Waiting or not
	Expected float64      `json:"expected"` // how many of the scored are wrong, as the risks say
}

// Unlabelled is a judged run whose truth nobody has told.
type Unlabelled struct {
	Evaluation Evaluation `json:"evaluation"`
	Risk       risk.Risk  `json:"risk"`
}

// Inbox returns the judged runs whose truth nobody has told, at most so many; 0: all. Of them the newest 1,000 are
// given a risk. They are kept beside the store, within bounds (see package inbox), so that
// [curation.Curation.Relabel] can take the truth by the id of a run alone. Advanced.
func (m *Memory) Inbox(ctx context.Context, most int) (Inbox, error) {
	out := Inbox{Waiting: []Unlabelled{}}
	all := m.inbox.Waiting()
	out.Total = len(all)
	scored := make([]Unlabelled, 0, len(all))
	for i := range all {
		u := Unlabelled{Evaluation: all[i]}
		if i < scoredMost {
			var err error
			if u.Risk, err = m.Risk(ctx, all[i]); err != nil {
				return Inbox{}, fmt.Errorf("inbox: %w", err)
			}
		}
		if u.Risk.Enough {
			out.Scored++
			out.Expected += u.Risk.P
		}
		scored = append(scored, u)
	}
	slices.SortStableFunc(scored, func(a, b Unlabelled) int {
		return cmp.Or(compareBool(b.Risk.Enough, a.Risk.Enough), cmp.Compare(b.Risk.P, a.Risk.P))
	})
	if most > 0 && len(scored) > most {
		scored = scored[:most]
	}
	out.Waiting = append(out.Waiting, scored...)
	return out, nil
}

// compareBool puts false before true.
func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

// openInbox opens the runs that wait for a truth. Without those that cannot be read it goes on.
func (m *Memory) openInbox(ctx context.Context) {
	var err error
	if m.inbox, err = inbox.Open(ctx, m.store); err != nil {
		m.opts.Logger.Warn("runs that waited for a truth are lost; hand them in again to label them", "error", err)
	}
}

// putUnlabelled puts what was formed of a batch without a label into the inbox.
func (m *Memory) putUnlabelled(es []tree.Evaluation, all []formation.Formed) {
	unlabelled := map[string]bool{}
	for i := range all {
		unlabelled[all[i].Verdict.Evaluation] = !all[i].Verdict.Labelled
	}
	for i := range es {
		if unlabelled[es[i].Key()] {
			m.inbox.Put(&es[i])
		}
	}
}

// noteInbox tells the inbox what new lines of the ledger say of runs.
func (m *Memory) noteInbox(entries []tree.Entry) {
	for i := range entries {
		if v := entries[i].Verdict; v != nil {
			m.inbox.Tell(v, time.Now())
		}
	}
}

// saveInbox keeps the inbox. A failure is logged: nothing that was accepted is lost.
func (m *Memory) saveInbox(ctx context.Context) {
	if m.opts.ReadOnly {
		return
	}
	if err := m.inbox.Save(ctx, time.Now()); err != nil {
		m.opts.Logger.Warn("runs that wait for a truth were not kept", "error", err)
	}
}
