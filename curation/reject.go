package curation

import (
	"context"
	"slices"

	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/tree"
)

// WaitingDraft is a draft of a lesson that waits for a person: the memory it would become, and its job.
type WaitingDraft struct {
	Job      string     // key of the job that wrote the draft
	Node     tree.Node  // the memory as it would be
	Replaces *tree.Node // the memory it would rewrite; nil for none
}

// Reject refuses draft d. It stores the draft as a memory out of use, so that neither the draft nor its sentences
// return under another id, and guidance from its cases omits its check. If the draft would rewrite a lesson in use,
// that lesson keeps its present text, and its cases are not affected.
func (c *Curation) Reject(ctx context.Context, d WaitingDraft, o Options) (DecisionResult, error) {
	n := d.Node.Clone()
	n.ID = string(n.Type[:1]) + "_" + tree.Hash("rejected", d.Job)
	return c.do(ctx, tree.DecisionReject, n.ID, o, func() (*plan, error) {
		p, err := c.next(ctx, tree.DecisionReject, n.ID, o, n.Decision)
		if err != nil {
			return nil, err
		}
		is := n.Clone()
		is.Revision, is.Parent, is.Children, is.LastChange, is.Decision = 0, "", []string{}, "", nil
		is.Provenance.Job = d.Job
		if old, err := c.door.Tree.Get(ctx, n.ID); err == nil { // it was rejected before, and the rejection was undone
			is.Revision, p.at = old.Revision, after(p.at, old.Decision)
		}
		if d.Replaces != nil {
			is.Provenance.Cites, is.Elsewhere = nil, nil
			is.Content.Lessons = unlike(is.Content.Lessons, d.Replaces.Content.Lessons)
		}
		is.Reject(p.at, o.By, o.Why)
		p.put(tree.OpAdd, is, "a person rejected it", ledger.Before{Status: tree.Retired, ArchivedFor: is.ArchivedFor})
		return p, nil
	})
}

// unlike returns the lessons whose sentence differs from those of all lessons in use, without their cases.
func unlike(lessons, inUse []tree.Lesson) []tree.Lesson {
	same := func(a, b tree.Lesson) bool { return a.ID == b.ID || a.Check == b.Check && a.Instead == b.Instead }
	out := []tree.Lesson{}
	for _, l := range lessons {
		if !slices.ContainsFunc(inUse, func(o tree.Lesson) bool { return same(l, o) }) {
			l.Cites = nil
			out = append(out, l)
		}
	}
	return out
}
