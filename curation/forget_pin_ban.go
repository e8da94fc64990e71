package curation

import (
	"context"
	"slices"
	"strings"

	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/tree"
)

// Forget takes the memory with this id out of use and archives it. The next evolution writes the lessons that rest on
// it again, without it. A forgotten case does not return if the same evidence is recorded or imported again. A
// forgotten lesson is not learned again from the same cases. With Options.Purge the bytes of the memory are removed
// too.
func (c *Curation) Forget(ctx context.Context, id string, o Options) (DecisionResult, error) {
	return c.say(ctx, tree.DecisionForget, id, o)
}

// Pin protects the memory with this id: learning, measured effects and pruning neither take it out of use nor change
// its text. Exception: a lesson goes out of use when no case of it is left.
func (c *Curation) Pin(ctx context.Context, id string, o Options) (DecisionResult, error) {
	return c.say(ctx, tree.DecisionPin, id, o)
}

// Ban excludes the memory with this id from all guidance. Nothing is learned from a banned case. A banned lesson about
// a check is never learned again. A banned lesson without a check is not learned again from a group of cases if at
// least half of them are its own. No other strategy replaces a banned one.
func (c *Curation) Ban(ctx context.Context, id string, o Options) (DecisionResult, error) {
	return c.say(ctx, tree.DecisionBan, id, o)
}

// say plans a decision on one node and applies it.
func (c *Curation) say(ctx context.Context, said tree.DecisionKind, id string, o Options) (DecisionResult, error) {
	return c.do(ctx, said, id, o, func() (*plan, error) {
		n, err := c.door.Tree.Get(ctx, id)
		if err != nil {
			return nil, err
		}
		if err := c.refuses(said, &n); err != nil && !(o.Purge && (n.Decision == nil || !n.Decision.Purged)) {
			return nil, err // a forgotten memory can still be purged
		}
		if w := n.Decision; !o.Over && w != nil && (n.Mark == tree.Pinned || n.Mark == tree.Banned) && w.By != o.By {
			return nil, theirs(said, id, &Past{Action: ledger.Action{Kind: w.Kind, Node: id, By: w.By}, At: w.At})
		}
		p, err := c.next(ctx, said, id, o, n.Decision)
		if err != nil {
			return nil, err
		}
		if p.stood = said != tree.DecisionPin; o.Purge && said == tree.DecisionForget {
			return p, c.purge(ctx, p, n)
		}
		if p.word(n); said != tree.DecisionPin {
			err = c.disown(ctx, p, &n)
		}
		return p, err
	})
}

// owned returns an error if another person made the latest decision of the given kinds on a memory.
func owned(past []Past, said tree.DecisionKind, id string, o Options, kinds ...tree.DecisionKind) error {
	for i := range past {
		p := &past[i]
		if p.Gone || p.Node != id || !slices.Contains(kinds, p.Kind) {
			continue
		}
		if p.By != o.By && !o.Over {
			return theirs(said, id, p)
		}
		return nil
	}
	return nil
}

// refuses returns why a decision cannot be made on a node, nil if it can.
func (c *Curation) refuses(said tree.DecisionKind, n *tree.Node) error {
	no := func(why RefusalReason, now string) error {
		return &RefusedError{Said: said, ID: n.ID, Why: why, Now: now}
	}
	switch {
	case n.Decision != nil && n.Decision.Purged:
		return no(Purged, "")
	case n.Decision.Is(said):
		return no(Already, "")
	case n.Forgotten():
		return no(Archived, n.ArchivedFor)
	case said != tree.DecisionPin:
		return nil
	case c.door.Waits(n):
		return no(Waiting, "")
	case n.Status == tree.Archived || n.Status == tree.Retired:
		return no(Archived, strings.TrimSuffix(string(n.Status)+": "+n.ArchivedFor, ": "))
	}
	return nil
}
