package memtree

import (
	"context"
	"fmt"
	"slices"

	"github.com/memtree/memtree/tree"
)

// apply is the one door: every write to the tree goes through it. It checks a batch (pure),
// commits it (durable, all or none) and updates the index (derived). If the batch was planned on
// nodes that changed since, the error is tree.ErrConflict and the caller plans again, see
// untilFresh. If the index cannot take the batch, it is built anew from the store.
func (m *Memory) apply(ctx context.Context, b tree.Batch) error {
	return m.applyIf(ctx, b, func() bool { return true })
}

// applyIf is apply for a batch that is stale, as of tree.ErrConflict, unless fresh says otherwise just before the
// commit.
func (m *Memory) applyIf(ctx context.Context, b tree.Batch, fresh func() bool) error {
	nodes := make([]tree.Node, len(b.Changes))
	for i := range b.Changes {
		c := &b.Changes[i]
		if err := checkChange(c); err != nil {
			return fmt.Errorf("%s %s: %w", c.Op, c.Node.ID, err)
		}
		nodes[i] = c.Node
	}
	if err := m.checkLinks(ctx, nodes); err != nil {
		return err
	}
	ix := m.index.Load()
	ready, unready := ix.Prepare(ctx, nodes) // outside of the lock, since it may take long
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("commit: %w", err)
	}
	m.door.Lock()
	defer m.door.Unlock()
	if !fresh() {
		return tree.ErrConflict
	}
	version, err := m.store.Commit(ctx, b)
	if err != nil {
		return fmt.Errorf("commit: %w", err)
	}
	m.noteInbox(b.Entries)
	m.forgetFound(&b, nodes)
	if spoken(&b, nodes) {
		if err := m.openRefused(context.WithoutCancel(ctx)); err != nil {
			return err
		}
	}
	if b.Purge != nil {
		return m.forgetDerived(context.WithoutCancel(ctx))
	}
	if slices.ContainsFunc(b.Entries, func(e tree.Entry) bool { return e.Outcome != nil }) {
		m.learned.fresh.Store(true)
	}
	if len(nodes) == 0 {
		return nil
	}
	m.changed.Add(1)
	switch now := m.index.Load(); {
	case now != ix: // the index was replaced meanwhile, so what was prepared is of no use
		err = now.Update(ctx, version, nodes)
	case unready != nil:
		err = unready
	default:
		err = ix.Take(version, ready)
	}
	if err != nil {
		m.opts.Logger.Warn("index fell behind, building it anew", "error", err)
		return m.buildIndex(context.WithoutCancel(ctx))
	}
	m.wantVectors()
	return nil
}

// forgetFound forgets what was found in the tree before a commit of b and may be another now.
func (m *Memory) forgetFound(b *tree.Batch, nodes []tree.Node) {
	m.suspects.changed(nodes)
	lesson := func(n tree.Node) bool { return n.Type != tree.Case }
	said := func(e tree.Entry) bool { return e.Act != nil }
	if slices.ContainsFunc(b.Entries, said) {
		m.said.Add(1)
	}
	if b.Purge != nil || slices.ContainsFunc(nodes, lesson) || slices.ContainsFunc(b.Entries, said) {
		m.drafts.Forget()
	}
}

// checkChange checks one change by itself: operation, reason, and the laws of its node.
func checkChange(c *tree.Change) error {
	if !c.Op.Valid() {
		return &tree.FieldError{Field: "op", Problem: fmt.Sprintf("is %q, which is no operation", c.Op)}
	}
	if c.Key == "" || c.Why == "" || c.By == "" {
		return &tree.FieldError{Field: "why", Problem: "is missing; a change says who makes it, why, and has a key"}
	}
	return tree.Check(&c.Node)
}

// checkLinks checks the laws between nodes, on the tree as it will be after the batch. Of a node
// that occurs twice the last counts.
func (m *Memory) checkLinks(ctx context.Context, nodes []tree.Node) error {
	after := make(map[string]*tree.Node, len(nodes))
	for i := range nodes {
		after[nodes[i].ID] = &nodes[i]
	}
	get := func(ctx context.Context, id string) (tree.Node, error) {
		if n := after[id]; n != nil {
			return *n, nil
		}
		return m.store.Get(ctx, id)
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
