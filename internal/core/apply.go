package core

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/retrieval"
	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/tree"
)

// Apply checks the batch b, commits it, durably and all or none, and updates the index. Every change of a node goes
// through Apply or ApplyIf. The error wraps store.ErrConflict if a node on which b was planned has changed since, or
// one of its evaluations got a verdict, see store.Batch.Read; the caller then has to plan again, see UntilFresh. If the
// index cannot be updated, Apply rebuilds it from the store.
func (c *Core) Apply(ctx context.Context, b store.Batch) error {
	return c.ApplyIf(ctx, b, func() bool { return true })
}

// ApplyIf is like Apply, but calls fresh just before the commit. If fresh returns false, it commits nothing and
// returns store.ErrConflict. No other Apply runs between fresh and the commit.
func (c *Core) ApplyIf(ctx context.Context, b store.Batch, fresh func() bool) error {
	nodes := make([]tree.Node, len(b.Changes))
	for i := range b.Changes {
		c := &b.Changes[i]
		if err := checkChange(c); err != nil {
			return fmt.Errorf("%s %s: %w", c.Op, c.Node.ID, err)
		}
		nodes[i] = c.Node
	}
	for i := range b.Entries {
		if err := b.Entries[i].Check(); err != nil {
			return err
		}
	}
	if err := c.checkLinks(ctx, nodes); err != nil {
		return err
	}
	ix := c.index.Load()
	ready, unready := ix.Prepare(ctx, nodes) // before locking, because it may take long
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("commit: %w", err)
	}
	c.door.Lock()
	defer c.door.Unlock()
	if !fresh() {
		return store.ErrConflict
	}
	if err := c.judgedSince(ctx, &b); err != nil {
		return err
	}
	if b.Purge != nil {
		return c.purge(context.WithoutCancel(ctx), &b, nodes) // what was derived has to follow a purge that was begun
	}
	version, err := c.store.Commit(ctx, b)
	if err != nil {
		return fmt.Errorf("commit: %w", err)
	}
	if _, shared := c.store.(store.Shared); shared {
		if c.followState.version+1 != version { // others have committed since
			return c.followDoor(context.WithoutCancel(ctx))
		}
		c.followState.version, c.followState.entries = version, c.followState.entries+uint64(len(b.Entries))
	}
	c.announce(&b, nodes)
	if spoken(&b, nodes) {
		if err := c.openRefused(context.WithoutCancel(ctx)); err != nil {
			return err
		}
	}
	if len(nodes) == 0 {
		return nil
	}
	return c.reindex(ctx, version, nodes, ix, ready, unready)
}

// judgedSince returns store.ErrConflict if the ledger has a verdict after b.Read on an evaluation that b has a verdict
// on. So neither a person's label nor a truth is overlooked that came after b was planned. The caller holds the door.
func (c *Core) judgedSince(ctx context.Context, b *store.Batch) error {
	if b.Read == 0 {
		return nil
	}
	about := b.Judged()
	if len(about) == 0 {
		return nil
	}
	for e, err := range c.store.Ledger(ctx, b.Read) {
		if err != nil {
			return fmt.Errorf("commit: %w", err)
		}
		if e.Verdict != nil && about[e.Verdict.Evaluation] {
			return fmt.Errorf("%w: %s was judged", store.ErrConflict, e.Verdict.Evaluation)
		}
	}
	return nil
}

// purge commits a batch with a purge, and forgets what was derived from what it removes, also if the store could not
// remove all bytes yet. Only ApplyIf calls it.
func (c *Core) purge(ctx context.Context, b *store.Batch, nodes []tree.Node) error {
	c.keeping.Lock() // nothing of before may be stored once the commit has removed it
	defer c.keeping.Unlock()
	_, err := c.store.Commit(ctx, *b)
	if err != nil {
		err = fmt.Errorf("commit: %w", err)
	}
	if !store.Purged(err) {
		return err
	}
	c.purges.Add(1)
	c.announce(b, nodes)
	return errors.Join(err, c.openRefused(ctx), c.forgetDerived(ctx))
}

// reindex brings the nodes of a commit into the index. ready is what ix has prepared of them, unready why it could not.
// The caller holds the door.
func (c *Core) reindex(ctx context.Context, version uint64, nodes []tree.Node, ix *retrieval.Index,
	ready *retrieval.Prepared, unready error) (err error) {
	c.changed.Add(1)
	switch now := c.index.Load(); {
	case now != ix: // the index was replaced in the meantime, so the preparation is void
		err = now.Update(ctx, version, nodes)
	case unready != nil:
		err = unready
	default:
		err = ix.Take(version, ready)
	}
	if err != nil {
		c.o.Logger.Warn("index fell behind, building it anew", "error", err)
		return c.buildIndex(context.WithoutCancel(ctx))
	}
	c.indexChanged()
	c.wantVectors()
	return nil
}

// announce makes a commit known to those who derive something from the tree.
func (c *Core) announce(b *store.Batch, nodes []tree.Node) {
	c.forgetFound(b, nodes)
	c.o.Commit(b, nodes)
}

// forgetFound invalidates cached search results that a commit of b may change.
func (c *Core) forgetFound(b *store.Batch, nodes []tree.Node) {
	c.suspects.changed(nodes)
	c.banned.changed(nodes)
	if slices.ContainsFunc(b.Entries, func(e ledger.Entry) bool { return e.Act != nil }) {
		c.decisions.Add(1)
	}
}

// checkChange checks one change alone: operation, reason, and the laws of its node.
func checkChange(c *tree.Change) error {
	if !c.Op.Valid() {
		return &tree.FieldError{Field: "op", Problem: fmt.Sprintf("is %q, which is no operation", c.Op)}
	}
	if c.Key == "" || c.Why == "" || c.By == "" {
		return &tree.FieldError{Field: "why", Problem: "is missing; a change says who makes it, why, and has a key"}
	}
	return tree.Check(&c.Node)
}

// checkLinks checks the laws between nodes, on the tree after the batch. If a node occurs twice, the last one is
// checked.
func (c *Core) checkLinks(ctx context.Context, nodes []tree.Node) error {
	after := make(map[string]*tree.Node, len(nodes))
	for i := range nodes {
		after[nodes[i].ID] = &nodes[i]
	}
	get := func(ctx context.Context, id string) (tree.Node, error) {
		if n := after[id]; n != nil {
			return *n, nil
		}
		return c.store.Get(ctx, id)
	}
	for i := range nodes {
		if n := after[nodes[i].ID]; n == &nodes[i] && (n.Parent != "" || len(n.Children) > 0) {
			if err := tree.CheckLinks(ctx, n, get); err != nil {
				return err
			}
		}
	}
	return nil
}

// mostPlans is the number of plans after which a conflict becomes an error.
const mostPlans = 8

// UntilFresh calls plan, which plans and applies a batch. If plan returns store.ErrConflict, because a node changed
// after planning, UntilFresh calls it again, up to 8 times in all.
func (c *Core) UntilFresh(plan func() error) error {
	for try := 1; ; try++ {
		err := plan()
		if !errors.Is(err, store.ErrConflict) || try == mostPlans {
			return err
		}
		c.conflicts.Add(1)
		c.o.Logger.Debug("plan was stale, planning again", "try", try)
	}
}
