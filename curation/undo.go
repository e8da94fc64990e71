package curation

import (
	"context"
	"errors"
	"slices"

	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/tree"
)

// Undo reverts one decision, and returns it in DecisionResult.Undone. id is that of the decision, or of a memory or
// evaluation whose latest decision is reverted. If id is "", Undo reverts the latest decision of the person Options.By,
// or with Options.Over that of anybody. The next Undo reverts the decision before; there is no redo. Undo refuses to
// revert a purge, a decision on memories that a later decision concerns too, and without Options.Over the decision of
// another person.
func (c *Curation) Undo(ctx context.Context, id string, o Options) (DecisionResult, error) {
	job := "" // of a draft that waits again
	d, err := c.do(ctx, tree.DecisionUndo, id, o, func() (*plan, error) {
		all, err := c.History(ctx, "")
		if err != nil {
			return nil, err
		}
		last, err := undoable(all, id, o)
		if err != nil {
			return nil, err
		}
		p := c.begin(tree.DecisionUndo, last.Node, o, len(all), nil)
		p.act.Undoes, p.act.Evaluation = last.ID, last.Evaluation
		p.stood, p.of.Undone = last.Kind != tree.DecisionPin, &last
		if p.back, err = c.beneath(ctx, &last); err != nil {
			return nil, err
		}
		for _, b := range last.Before {
			if err := c.restore(ctx, p, &b, &last); err != nil {
				return nil, err
			}
		}
		if err := c.uncorrect(ctx, p, &last); err != nil {
			return nil, err
		}
		if job = ""; last.Kind == tree.DecisionAccept {
			job, err = last.Job, c.withdraw(ctx, p, &last)
		}
		return p, err
	})
	if err != nil || job == "" || o.DryRun {
		return d, err
	}
	if err := c.door.Withdraw(ctx, job); err != nil {
		return DecisionResult{}, wrap(tree.DecisionUndo, id, err)
	}
	return d, nil
}

// Acts returns the decisions that are in force, oldest first.
func (c *Curation) Acts(ctx context.Context) ([]ledger.Action, error) {
	all, err := c.acts(ctx)
	if err != nil {
		return nil, err
	}
	return standingActs(all), nil
}

// acts reads all actions from the ledger, oldest first.
func (c *Curation) acts(ctx context.Context) ([]ledger.Action, error) {
	var out []ledger.Action
	for e, err := range c.door.Tree.Ledger(ctx, 0) {
		if err != nil {
			return nil, err
		}
		if e.Act != nil {
			out = append(out, *e.Act)
		}
	}
	return out, nil
}

// standingActs returns the actions without undos and reverted ones.
func standingActs(all []ledger.Action) []ledger.Action {
	undone := map[string]bool{}
	for _, a := range all {
		undone[a.Undoes] = true
	}
	return slices.DeleteFunc(slices.Clone(all),
		func(a ledger.Action) bool { return a.Kind == tree.DecisionUndo || undone[a.ID] })
}

// undoable returns the decision that an undo reverts. all is sorted latest first.
func undoable(all []Past, id string, o Options) (ledger.Action, error) {
	var others *Past // the latest of another person
	for i := range all {
		p := &all[i]
		switch {
		case p.Gone || p.Kind == tree.DecisionUndo || id != "" && p.ID != id && !p.About(id):
		case p.By != o.By && !o.Over && id == "":
			if others == nil {
				others = p
			}
		case p.By != o.By && !o.Over:
			return ledger.Action{}, theirs(tree.DecisionUndo, id, p)
		case p.Purged:
			return ledger.Action{}, &RefusedError{Said: tree.DecisionUndo, ID: p.Node, Why: Purged}
		case len(p.Verdicts) > 1 && id != "" && id != p.ID:
			return ledger.Action{}, &RefusedError{Said: tree.DecisionUndo, ID: id, Why: Several, Now: p.ID, By: p.By, At: p.At,
				Labels: p.Labels}
		case !p.Free:
			return ledger.Action{}, since(all[:i], id, p)
		default:
			return p.Action, nil
		}
	}
	if others != nil {
		return ledger.Action{}, theirs(tree.DecisionUndo, others.Target(), others)
	}
	return ledger.Action{}, &RefusedError{Said: tree.DecisionUndo, ID: id, Why: Nothing}
}

// since returns the error that names the later decision that depends on p.
func since(later []Past, id string, p *Past) error {
	r := &RefusedError{Said: tree.DecisionUndo, ID: id, Why: Since}
	for i := range slices.Backward(later) {
		l := &later[i]
		if !l.Gone && l.Kind != tree.DecisionUndo && slices.ContainsFunc(abouts(&p.Action), l.About) {
			r.Now, r.By, r.At, r.Labels = l.named(), l.By, l.At, l.Labels
			break
		}
	}
	return r
}

// restore plans to restore the fields of one node that an action changed.
func (c *Curation) restore(ctx context.Context, p *plan, b *ledger.Before, last *ledger.Action) error {
	n, err := c.door.Tree.Get(ctx, b.ID)
	if err != nil {
		return err
	}
	if n.Decision != nil && n.Decision.Purged {
		return &RefusedError{Said: tree.DecisionUndo, ID: n.ID, Why: Purged}
	}
	at := after(p.at, n.Decision)
	now := ledger.Before{Mark: n.Mark, Decision: n.Decision}
	w := &tree.Decision{Kind: tree.DecisionUndo, At: at, By: p.act.By, Why: p.act.Why}
	kept := b.Gained != "" && p.stays("", n.ID)
	if b.Decision != nil && !kept { // the earlier decision is in force again, with a new time so that it wins in merges
		earlier := *b.Decision
		w, earlier.At = &earlier, at
	}
	was := n.Clone()
	n.Decision, n.Mark = w, b.Mark
	if b.Content != nil && b.Provenance != nil {
		now.Content, now.Provenance = &was.Content, &was.Provenance
		n.Content, n.Provenance = *b.Content, *b.Provenance
		n.Provenance.At = at // so that it wins in merges
	}
	if b.Taught != nil {
		now.Taught, n.Taught = was.Taught, b.Taught
	}
	if b.Case != nil { // the action was an about
		now.Case, now.ErrorType = was.CaseData, was.ErrorType
		n.CaseData, n.ErrorType = b.Case, b.ErrorType
	}
	if len(b.Occurrences) > 0 {
		regain(&n, b.Occurrences)
	}
	if b.Gained != "" {
		p.ungain(&n, b.Gained)
		for i := range last.Verdicts {
			p.ungain(&n, last.Verdicts[i].Evaluation)
		}
		w = n.Decision
	}
	if b.Status != "" && !kept {
		now.Status, now.ArchivedFor, now.SupersededBy = n.Status, n.ArchivedFor, n.SupersededBy
		n.Status, n.ArchivedFor, n.SupersededBy = b.Status, b.ArchivedFor, b.SupersededBy
	}
	if err := c.relink(ctx, &n); err != nil {
		return err
	}
	if was.Entombed() && !n.Entombed() {
		if err := c.own(ctx, p, &n); err != nil {
			return err
		}
	}
	w.Fresh = fresh(&was, &n) || len(b.Occurrences) > 0 || b.Gained != "" || b.Case != nil
	p.put(tree.OpStatus, n, "a person took back what was said of it", now)
	return nil
}

// relink removes the links of a node to nodes that went away or changed while it was out of use. An abstraction without
// remaining children is retired.
func (c *Curation) relink(ctx context.Context, n *tree.Node) error {
	var problem error
	look := func(id string, holds func(*tree.Node) bool) bool {
		k, err := c.door.Tree.Get(ctx, id)
		if err != nil && !errors.Is(err, tree.ErrNotFound) {
			problem = err
		}
		return err == nil && holds(&k)
	}
	if n.Parent != "" && !look(n.Parent, func(k *tree.Node) bool { return slices.Contains(k.Children, n.ID) }) {
		n.Parent = ""
	}
	n.Children = slices.DeleteFunc(slices.Clone(n.Children), func(id string) bool {
		return !look(id, func(k *tree.Node) bool { return k.Concerns(n.ErrorType) && k.Direction == n.Direction })
	})
	if n.Children == nil {
		n.Children = []string{}
	}
	if n.Type != tree.Case && n.Live() && len(n.Children) == 0 && !n.StandsAlone() {
		n.Status = tree.Retired
	}
	return problem
}
