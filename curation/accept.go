package curation

import (
	"context"
	"errors"

	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/tree"
)

// withdrawn is the ArchivedFor of a lesson whose acceptance was undone.
const withdrawn = "a person took back that it was accepted"

// Accept adds to the history that a person accepted drafts, which are lessons in the tree by now. It skips a draft that
// is not in the tree. Undoing an acceptance restores what was there before, and makes the draft wait for review again.
func (c *Curation) Accept(ctx context.Context, drafts []WaitingDraft, o Options) error {
	for i := range drafts {
		d := &drafts[i]
		_, err := c.do(ctx, tree.DecisionAccept, d.Node.ID, o, func() (*plan, error) {
			n, err := c.door.Tree.Get(ctx, d.Node.ID)
			if errors.Is(err, tree.ErrNotFound) {
				return nil, nil
			}
			if err != nil {
				return nil, err
			}
			p, err := c.next(ctx, tree.DecisionAccept, n.ID, o, nil)
			if err != nil {
				return nil, err
			}
			p.act.Job = d.Job
			before := ledger.Before{ID: n.ID, Mark: n.Mark, Decision: n.Decision}
			if r := d.Replaces; r == nil || r.ID != n.ID {
				before.Status, before.ArchivedFor = tree.Retired, withdrawn
			} else {
				before.Content, before.Provenance = &r.Content, &r.Provenance
			}
			p.act.Before = append(p.act.Before, before)
			if r := d.Replaces; r != nil && r.ID != n.ID {
				p.act.Before = append(p.act.Before, ledger.Before{ID: r.ID, Mark: r.Mark, Decision: r.Decision, Status: r.Status})
			}
			return p, nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// withdraw plans what follows from the undo of an acceptance: the cases of a lesson that goes out of use are free.
func (c *Curation) withdraw(ctx context.Context, p *plan, last *ledger.Action) error {
	for _, b := range last.Before {
		if b.ID != last.Node || b.Status != tree.Retired {
			continue
		}
		n, err := c.door.Tree.Get(ctx, last.Node)
		if err != nil {
			return err
		}
		return c.disown(ctx, p, &n)
	}
	return nil
}
