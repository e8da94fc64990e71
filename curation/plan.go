package curation

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strconv"
	"time"

	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/tree"
)

// plan is an action with its changes.
type plan struct {
	act   ledger.Action
	at    time.Time
	batch store.Batch
	stood bool           // DecisionResult.Stood is requested
	also  []ledger.Entry // entries after that of the action
	of    DecisionResult // what the result has besides
	back  []beneath      // of an undo of a label
}

// do has a decision planned and applied. It changes nothing if planned returns no plan.
func (c *Curation) do(
	ctx context.Context, said tree.DecisionKind, id string, o Options, planned func() (*plan, error),
) (d DecisionResult, err error) {
	err = c.apply(ctx, o, func() (store.Batch, error) {
		p, err := planned()
		if err != nil || p == nil {
			return store.Batch{}, err
		}
		d, err = c.finish(ctx, p)
		return p.batch, err
	})
	if err != nil {
		return DecisionResult{}, wrap(said, id, err)
	}
	return d, nil
}

// next starts an action after those of the ledger.
func (c *Curation) next(
	ctx context.Context, said tree.DecisionKind, id string, o Options, before *tree.Decision,
) (*plan, error) {
	acts, err := c.acts(ctx)
	if err != nil {
		return nil, err
	}
	return c.begin(said, id, o, len(acts), before), nil
}

// begin starts an action. number is the number of actions before it. before is the decision it replaces: the new one is
// later, even if the clock is not.
func (c *Curation) begin(said tree.DecisionKind, id string, o Options, number int, before *tree.Decision) *plan {
	at := after(c.door.Now().UTC().Round(0), before)
	p := &plan{at: at, act: ledger.Action{Kind: said, By: o.By, Why: o.Why, Node: id}}
	p.act.ID = "a_" + tree.Hash(string(said), id, at.Format(time.RFC3339Nano), strconv.Itoa(number))
	return p
}

// after returns at, or the first time after w if at is not later.
func after(at time.Time, w *tree.Decision) time.Time {
	if w != nil && !at.After(w.At) {
		return w.At.Add(1)
	}
	return at
}

// put adds a change of a node to the plan. before is the state that an undo restores.
func (p *plan) put(op tree.Op, n tree.Node, why string, before ledger.Before) {
	before.ID = n.ID
	p.act.Before = append(p.act.Before, before)
	p.change(op, n, why)
}

// change adds a change that an undo does not revert.
func (p *plan) change(op tree.Op, n tree.Node, why string) {
	p.batch.Changes = append(p.batch.Changes, tree.NewChange(op, n, n.Revision, cmp.Or(p.act.By, tree.ByPerson), why))
}

// word plans a forget, pin or ban of a node.
func (p *plan) word(n tree.Node) {
	said := p.act.Kind
	before := ledger.Before{Mark: n.Mark, Decision: n.Decision}
	w := &tree.Decision{Kind: said, At: p.at, By: p.act.By, Why: p.act.Why}
	was := n
	op, why := tree.OpStatus, "a person pinned it"
	n.Mark = tree.Pinned
	switch said {
	case tree.DecisionForget:
		before.Status, before.ArchivedFor, before.SupersededBy = n.Status, n.ArchivedFor, n.SupersededBy
		op, why = tree.OpArchive, "a person had it forgotten"
		n.Mark, n.Status, n.ArchivedFor = tree.Unmarked, tree.Archived, "forgotten: "+cmp.Or(p.act.Why, "a person said so")
		w.Hash = tree.ContentHash(&n)
	case tree.DecisionBan:
		why, n.Mark = "a person banned it", tree.Banned
		w.Hash = tree.ContentHash(&n)
	default:
		if n.Status == tree.Quarantined { // held back as harmful
			before.Status, n.Status = n.Status, tree.Active
		}
	}
	if p.act.Why != "" {
		why += ": " + p.act.Why
	}
	w.Fresh = fresh(&was, &n)
	n.Decision = w
	p.put(op, n, why, before)
}

// fresh reports whether evolution has to react to a decision: the memory came into use or went out of use, now or since
// the tree last evolved.
func fresh(was, is *tree.Node) bool {
	return was.Live() != is.Live() || was.Decision != nil && was.Decision.Fresh
}

// disown clears the parent of the children of a memory that goes out of use. Its own parent drops it at the next
// evolution.
func (c *Curation) disown(ctx context.Context, p *plan, n *tree.Node) error {
	return c.reparent(ctx, p, n, n.ID, "", "no longer part of "+n.ID)
}

// own is the reverse of disown: it gives a memory back the children that got no other parent since.
func (c *Curation) own(ctx context.Context, p *plan, n *tree.Node) error {
	return c.reparent(ctx, p, n, "", n.ID, "part of "+n.ID+" again")
}

// reparent changes the parent of the children of n that have the parent was.
func (c *Curation) reparent(ctx context.Context, p *plan, n *tree.Node, was, is, why string) error {
	for _, id := range n.Children {
		k, err := c.door.Tree.Get(ctx, id)
		if errors.Is(err, tree.ErrNotFound) || err == nil && k.Parent != was {
			continue
		}
		if err != nil {
			return err
		}
		k.Parent = is
		p.change(tree.OpAttach, k, why)
	}
	return nil
}

// finish completes an action and adds it to the ledger entries of the batch.
func (c *Curation) finish(ctx context.Context, p *plan) (DecisionResult, error) {
	slices.SortFunc(p.act.Before, func(a, b ledger.Before) int { return cmp.Compare(a.ID, b.ID) })
	if !p.act.Purged {
		if err := c.lose(ctx, p); err != nil {
			return DecisionResult{}, err
		}
	}
	act := p.act
	p.batch.Entries = append(p.batch.Entries, ledger.Entry{At: p.at, Act: &act})
	p.batch.Entries = append(p.batch.Entries, p.also...)
	d := p.of
	d.Action, d.Changes, d.Stood = act, p.batch.Changes, []tree.Node{}
	if !p.stood {
		return d, nil
	}
	var err error
	d.Stood, err = c.standing(ctx, act.Before)
	for i := range d.Stood {
		for j := range d.Changes { // as they are from now on, with the cases that they lost
			if d.Changes[j].Node.ID == d.Stood[i].ID {
				d.Stood[i] = d.Changes[j].Node
			}
		}
	}
	return d, err
}

// standing returns the lessons in use that depend on one of the memories: experiences on cases, and strategies on these
// experiences.
func (c *Curation) standing(ctx context.Context, on []ledger.Before) ([]tree.Node, error) {
	ids := map[string]bool{}
	for _, b := range on {
		ids[b.ID] = true
	}
	out := []tree.Node{}
	for _, level := range []int{2, 3} {
		for n, err := range c.door.Tree.Scan(ctx, store.Filter{Level: level}) {
			if err != nil {
				return nil, err
			}
			rests := slices.Concat(n.Children, n.Provenance.Cites)
			if n.Live() && !ids[n.ID] && !c.door.Waits(&n) &&
				slices.ContainsFunc(rests, func(id string) bool { return ids[id] }) {
				out = append(out, n)
				ids[n.ID] = true
			}
		}
	}
	return out, nil
}
