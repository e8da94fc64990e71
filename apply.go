package memtree

import (
	"context"
	"fmt"

	"github.com/memtree/memtree/tree"
)

// apply is the one door. It checks a batch (pure), commits it (durable, all or
// none) and updates the index (derived). A stale plan comes back as
// tree.ErrConflict, to be planned again by whoever made it; an index that
// cannot follow is built anew from the store, and nothing is lost.
func (m *Memory) apply(ctx context.Context, b tree.Batch) error {
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
	ready, unready := ix.Prepare(ctx, nodes) // before the door: an embedder may take its time
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("commit: %w", err)
	}
	m.door.Lock()
	defer m.door.Unlock()
	version, err := m.store.Commit(ctx, b)
	if err != nil {
		return fmt.Errorf("commit: %w", err)
	}
	if len(nodes) == 0 {
		return nil
	}
	switch now := m.index.Load(); {
	case now != ix: // it was built anew meanwhile
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
	return nil
}

func checkChange(c *tree.Change) error {
	if !c.Op.Valid() {
		return &tree.FieldError{Field: "op", Problem: fmt.Sprintf("is %q, which is no operation", c.Op)}
	}
	if c.Key == "" || c.Why == "" || c.By == "" {
		return &tree.FieldError{Field: "why", Problem: "is missing; a change says who makes it, why, and has a key"}
	}
	return tree.Check(&c.Node)
}

// checkLinks holds the laws between nodes, as they will be after the batch.
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
