package memtree

import (
	"context"
	"errors"
	"fmt"

	"github.com/memtree/memtree/retrieval"
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
	m.door.Lock()
	defer m.door.Unlock()
	version, err := m.store.Commit(ctx, b)
	if err != nil {
		return fmt.Errorf("commit: %w", err)
	}
	if len(nodes) == 0 {
		return nil
	}
	if err := m.index.Load().Update(ctx, version, nodes); err != nil {
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

const indexName = "index"

// openIndex reads the index that was kept and catches up with the store, or
// builds it anew where that cannot be done.
func (m *Memory) openIndex(ctx context.Context) error {
	ix, err := m.loadIndex(ctx)
	if err == nil {
		m.index.Store(ix)
		m.saved = ix.Version()
		if err = m.catchUp(ctx, ix); err == nil {
			return nil
		}
	}
	if !errors.Is(err, tree.ErrNotFound) {
		m.opts.Logger.Info("building the index anew", "reason", err)
	}
	return m.buildIndex(ctx)
}

func (m *Memory) loadIndex(ctx context.Context) (*retrieval.Index, error) {
	d, ok := m.store.(tree.Deriver)
	if !ok {
		return nil, tree.ErrNotFound
	}
	kept, err := d.OpenDerived(ctx, indexName)
	if err != nil {
		return nil, err
	}
	ix, err := retrieval.Load(kept, kept.Size, m.taxonomy, m.opts.Embedder)
	if err != nil {
		return nil, errors.Join(err, kept.Closer.Close())
	}
	return ix, nil
}

func (m *Memory) catchUp(ctx context.Context, ix *retrieval.Index) error {
	info, err := m.store.Info(ctx)
	if err != nil || ix.Version() == info.Version {
		return err
	}
	for c, err := range m.store.Changes(ctx, ix.Version()) {
		if err != nil {
			return err
		}
		nodes := make([]tree.Node, len(c.Changes))
		for i := range c.Changes {
			nodes[i] = c.Changes[i].Node
		}
		if err := ix.Update(ctx, c.Version, nodes); err != nil {
			return err
		}
	}
	return nil
}

// buildIndex makes the index from the nodes. The caller holds the door, or is
// alone.
func (m *Memory) buildIndex(ctx context.Context) error {
	info, err := m.store.Info(ctx)
	if err != nil {
		return err
	}
	ix := retrieval.New(m.taxonomy, m.opts.Embedder)
	var nodes []tree.Node
	for n, err := range m.store.Scan(ctx, tree.Filter{}) {
		if err != nil {
			return fmt.Errorf("build the index: %w", err)
		}
		if nodes = append(nodes, n); len(nodes) == 1024 {
			if err := ix.Update(ctx, 0, nodes); err != nil {
				return fmt.Errorf("build the index: %w", err)
			}
			nodes = nodes[:0]
		}
	}
	if err := ix.Update(ctx, info.Version, nodes); err != nil {
		return fmt.Errorf("build the index: %w", err)
	}
	m.index.Store(ix)
	return nil
}

// saveIndex keeps the index for the next Open, unless little has changed in
// much: then catching up is cheaper than writing all of it.
func (m *Memory) saveIndex(ctx context.Context) error {
	d, ok := m.store.(tree.Deriver)
	ix := m.index.Load()
	if !ok || m.opts.ReadOnly || ix == nil {
		return nil
	}
	m.door.Lock()
	defer m.door.Unlock()
	if ix.Version() == m.saved {
		return nil
	}
	if err := d.SaveDerived(ctx, indexName, ix.Version(), ix.Save); err != nil {
		m.opts.Logger.Warn("the index was not kept and will be built anew", "error", err)
		return nil // derived data: losing it loses nothing
	}
	m.saved = ix.Version()
	return nil
}
