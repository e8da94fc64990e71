package curation

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/memtree/memtree/tree"
)

// Undo takes back what was said last, or with an id what was said last of that memory or
// evaluation, and returns what that was. An undo is not a word: the next one takes back the
// word before. So there is no redo; say it again. A purge cannot be taken back.
func (c *Curation) Undo(ctx context.Context, id string, o Options) (Done, error) {
	var d Done
	err := c.apply(ctx, o, func() (tree.Batch, error) {
		acts, err := c.acts(ctx)
		if err != nil {
			return tree.Batch{}, err
		}
		last, err := lastStanding(acts, id)
		if err != nil {
			return tree.Batch{}, err
		}
		p := c.begin(tree.SaidUndo, last.Node, o, len(acts), nil)
		p.act.Undoes, p.act.Evaluation = last.ID, last.Evaluation
		for _, b := range last.Before {
			if err := c.restore(ctx, p, &b); err != nil {
				return tree.Batch{}, err
			}
		}
		if err := c.uncorrect(ctx, p, &last); err != nil {
			return tree.Batch{}, err
		}
		d, err = c.finish(ctx, p, last.Said != tree.SaidPin)
		d.Undone = &last
		return p.batch, err
	})
	if err != nil {
		return Done{}, wrap(tree.SaidUndo, id, err)
	}
	return d, nil
}

// Acts returns the words that stand, oldest first.
func (c *Curation) Acts(ctx context.Context) ([]tree.Act, error) {
	all, err := c.acts(ctx)
	if err != nil {
		return nil, err
	}
	return standingActs(all), nil
}

// acts reads everything a person ever said, oldest first.
func (c *Curation) acts(ctx context.Context) ([]tree.Act, error) {
	var out []tree.Act
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

// standingActs leaves out undos and what they took back.
func standingActs(all []tree.Act) []tree.Act {
	undone := map[string]bool{}
	for _, a := range all {
		undone[a.Undoes] = true
	}
	return slices.DeleteFunc(slices.Clone(all), func(a tree.Act) bool { return a.Said == tree.SaidUndo || undone[a.ID] })
}

// lastStanding returns the last act that stands and is about id, or about anything where id is
// "". It refuses an act if a later one is about one of its memories.
func lastStanding(all []tree.Act, id string) (tree.Act, error) {
	list := standingActs(all)
	for i, a := range slices.Backward(list) {
		if id != "" && !a.About(id) {
			continue
		}
		if a.Purged {
			return tree.Act{}, &RefusedError{Said: tree.SaidUndo, ID: a.Node, Why: Purged}
		}
		for _, later := range list[i+1:] {
			for _, b := range a.Before {
				if later.About(b.ID) {
					return tree.Act{}, &RefusedError{
						Said: tree.SaidUndo, ID: id, Why: Since, Now: string(later.Said) + " " + later.Node,
					}
				}
			}
		}
		return a, nil
	}
	return tree.Act{}, &RefusedError{Said: tree.SaidUndo, ID: id, Why: Nothing}
}

// restore plans to bring back what an act changed in one node.
func (c *Curation) restore(ctx context.Context, p *plan, b *tree.Before) error {
	n, err := c.door.Tree.Get(ctx, b.ID)
	if err != nil {
		return err
	}
	if n.Word != nil && n.Word.Purged {
		return &RefusedError{Said: tree.SaidUndo, ID: n.ID, Why: Purged}
	}
	at := after(p.at, n.Word)
	now := tree.Before{Mark: n.Mark, Word: n.Word}
	w := &tree.Word{Said: tree.SaidUndo, At: at, By: p.act.By, Why: p.act.Why}
	if b.Word != nil { // what was said before stands again, and newly, so that it wins in merges
		earlier := *b.Word
		w, earlier.At = &earlier, at
	}
	was := n.Clone()
	n.Word, n.Mark = w, b.Mark
	if b.Content != nil && b.Provenance != nil {
		now.Content, now.Provenance = &was.Content, &was.Provenance
		n.Content, n.Provenance = *b.Content, *b.Provenance
		n.Provenance.At = at // so that it wins in merges
	}
	if len(b.Occurrences) > 0 {
		regain(&n, b.Occurrences)
	}
	if b.Gained != "" {
		p.ungain(&n, b.Gained)
		w = n.Word
	}
	if b.Status != "" {
		now.Status, now.ArchivedFor, now.SupersededBy = n.Status, n.ArchivedFor, n.SupersededBy
		n.Status, n.ArchivedFor, n.SupersededBy = b.Status, b.ArchivedFor, b.SupersededBy
	}
	if err := c.relink(ctx, &n); err != nil {
		return err
	}
	w.Fresh = fresh(&was, &n) || len(b.Occurrences) > 0 || b.Gained != ""
	p.put(tree.OpStatus, n, "a person took back what was said of it", now)
	return nil
}

// relink drops the links of a node to what went away, or changed, while it was out of use. A
// lesson that has nothing left to stand on is retired.
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
	if n.Type != tree.Case && n.Live() && len(n.Children) == 0 && n.Elsewhere == nil {
		n.Status = tree.Retired
	}
	return problem
}

// uncorrect puts what was known before a relabel back into the ledger.
func (c *Curation) uncorrect(ctx context.Context, p *plan, last *tree.Act) error {
	if last.Verdict == nil {
		return nil
	}
	k, err := c.verdict(ctx, last.Verdict.Evaluation)
	if err != nil {
		return err
	}
	v := *last.Verdict
	v.By = cmp.Or(p.act.By, tree.ByPerson)
	p.act.Verdict = &k.verdict
	p.correct(&v, k.outcome, &Formed{Changes: p.batch.Changes})
	return nil
}
