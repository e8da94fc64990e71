package memtree

// The index: derived data, kept beside the store, and built anew whenever it
// cannot be trusted.

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/memtree/memtree/retrieval"
	"github.com/memtree/memtree/tree"
)

const indexName = "index"

// openIndex reads the index that was kept and catches up with the store, or
// builds it anew where that cannot be done.
func (m *Memory) openIndex(ctx context.Context) error {
	ix, err := m.loadIndex(ctx)
	if err == nil {
		m.index.Store(ix)
		m.saved = ix.Version()
		if err = m.catchUp(ctx, ix); err == nil {
			if s := ix.Stats(); m.lacksVectors(s) && !m.opts.ReadOnly {
				m.opts.Logger.Warn("the index answers by words until it is built anew", "reason", s.Note)
				m.mend(ctx, m.completed)
			}
			return nil
		}
	}
	if !errors.Is(err, tree.ErrNotFound) {
		m.opts.Logger.Info("building the index anew", "reason", err)
	}
	return m.buildIndex(ctx)
}

func (m *Memory) loadIndex(ctx context.Context) (*retrieval.Index, error) {
	kept, err := tree.OpenDerived(ctx, m.store, indexName)
	if err != nil {
		return nil, err
	}
	ix, err := retrieval.Load(kept, kept.Size, m.taxonomy, m.opts.Embedder)
	if err != nil {
		return nil, errors.Join(err, kept.Closer.Close())
	}
	m.kept = kept.Closer
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
	ix, err := m.newIndex(ctx)
	if err != nil {
		return err
	}
	m.index.Store(ix)
	return nil
}

func (m *Memory) newIndex(ctx context.Context) (*retrieval.Index, error) {
	return m.fill(ctx, retrieval.New(m.taxonomy, m.opts.Embedder))
}

// fill puts all nodes into an index and returns it. Where others write meanwhile,
// it may have some of what they wrote, and has to catch up from its version.
func (m *Memory) fill(ctx context.Context, ix *retrieval.Index) (*retrieval.Index, error) {
	info, err := m.store.Info(ctx)
	if err != nil {
		return nil, err
	}
	var nodes []tree.Node
	for n, err := range m.store.Scan(ctx, tree.Filter{}) {
		if err != nil {
			return nil, fmt.Errorf("build the index: %w", err)
		}
		if nodes = append(nodes, n); len(nodes) == 1024 {
			if err := ix.Update(ctx, 0, nodes); err != nil {
				return nil, fmt.Errorf("build the index: %w", err)
			}
			nodes = nodes[:0]
		}
	}
	if err := ix.Update(ctx, info.Version, nodes); err != nil {
		return nil, fmt.Errorf("build the index: %w", err)
	}
	return ix, nil
}

// saveIndex keeps the index for the next Open, unless little has changed in
// much: then catching up is cheaper than writing all of it.
func (m *Memory) saveIndex(ctx context.Context) error {
	ix := m.index.Load()
	if m.opts.ReadOnly || ix == nil {
		return nil
	}
	m.door.Lock()
	defer m.door.Unlock()
	if ix.Version() == m.saved {
		return nil
	}
	if err := tree.SaveDerived(ctx, m.store, indexName, ix.Version(), ix.Save); err != nil {
		m.opts.Logger.Warn("the index was not kept and will be built anew", "error", err)
		return nil // derived data: losing it loses nothing
	}
	m.saved = ix.Version()
	return nil
}

// lacksVectors reports whether an index has fewer vectors than the embedder
// would give: it was made with another, or this one failed. The built-in table
// has none for a text without a word it knows, which is no lack.
func (m *Memory) lacksVectors(s retrieval.Stats) bool {
	return s.Note != "" || !m.tableBuiltIn() && s.Vectors < s.Nodes
}

// mendGrace is how long Close lets a mend go on: the built-in table does most
// trees in this time. What needs an embedder far away is begun again later.
const mendGrace = 2 * time.Second

// mend has another index made in the background, once at a time, while writing
// and guidance go on. The channel closes when it is done.
func (m *Memory) mend(ctx context.Context, another func(context.Context) (*retrieval.Index, error)) <-chan struct{} {
	m.mending.Lock()
	defer m.mending.Unlock()
	if m.mended != nil {
		return m.mended
	}
	done := make(chan struct{})
	m.mended = done
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	m.workers.Go(func() {
		defer cancel()
		select {
		case <-done:
			return
		case <-m.closed:
		}
		if !m.tableBuiltIn() {
			return
		}
		select {
		case <-done:
		case <-time.After(mendGrace):
		}
	})
	m.workers.Go(func() {
		defer close(done)
		if err := m.replaceIndex(ctx, another); err != nil {
			m.opts.Logger.Error("the index could not be built anew", "error", err)
		}
		m.mending.Lock()
		defer m.mending.Unlock()
		m.mended = nil
	})
	return done
}

// completed returns an index like the present one with the vectors that it lacks:
// what it has is not asked for again.
func (m *Memory) completed(ctx context.Context) (*retrieval.Index, error) {
	had := m.index.Load().Stats().Vectors
	ix, err := m.fill(ctx, m.index.Load().Fork())
	if err == nil && ix.Stats().Vectors <= had {
		err = errors.New("the embedder gave no more vectors than there are")
	}
	return ix, err
}

// replaceIndex puts another index in the place of the present one.
func (m *Memory) replaceIndex(ctx context.Context, another func(context.Context) (*retrieval.Index, error)) error {
	ix, err := another(ctx)
	if err != nil {
		return err
	}
	m.door.Lock()
	defer m.door.Unlock()
	if err := m.catchUp(ctx, ix); err != nil {
		if ix, err = m.newIndex(ctx); err != nil {
			return err
		}
	}
	m.index.Store(ix)
	m.saved = 0 // so that Close keeps it
	return nil
}

// note says why memories are found by words alone, or some of them; "" where
// all is as it should be.
func (m *Memory) note() string {
	s := m.index.Load().Stats()
	if s.Note == "" && m.lacksVectors(s) {
		return fmt.Sprintf("%d of %d memories are found by words alone: the embedder %s gave no vector for them",
			s.Nodes-s.Vectors, s.Nodes, m.opts.Embedder.ID())
	}
	return s.Note
}

// mendedBy waits for a mend under way, if there is one.
func (m *Memory) mendedBy(ctx context.Context) error {
	m.mending.Lock()
	done := m.mended
	m.mending.Unlock()
	if done == nil {
		return nil
	}
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("wait for the index: %w", ctx.Err())
	}
}

// find asks the index. One whose file turns out to be damaged is built anew,
// and asked again if there is time.
func (m *Memory) find(ctx context.Context, q retrieval.Query, ask searchFunc) (retrieval.Result, error) {
	r, err := ask(m.index.Load(), ctx, q)
	if _, damaged := errors.AsType[*tree.CorruptError](err); !damaged {
		return r, err
	}
	m.opts.Logger.Warn("the index is damaged, building it anew", "error", err)
	select {
	case <-m.mend(ctx, m.newIndex):
		return ask(m.index.Load(), ctx, q)
	case <-ctx.Done():
		return r, fmt.Errorf("%w; the index is being built anew", err)
	}
}
