package memtree

// The index is derived data. It is saved beside the store, and built anew from the nodes
// whenever the saved one cannot be used.

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/memtree/memtree/retrieval"
	"github.com/memtree/memtree/tree"
)

// indexName is the name of the index among a store's derived data.
const indexName = "index"

// openIndex loads the saved index and brings it up to the version of the store. If that fails,
// it builds the index anew. Missing vectors are made in the background.
func (m *Memory) openIndex(ctx context.Context) error {
	ix, err := m.loadIndex(ctx)
	if err == nil {
		m.index.Store(ix)
		m.saved = ix.Version()
		if err = m.catchUp(ctx, ix); err == nil {
			s := ix.Stats()
			if s.Note != "" && m.vectors == nil && !m.opts.ReadOnly {
				m.opts.Logger.Warn("the index answers by words until it is built anew", "reason", s.Note)
				m.mendIndex(ctx, m.withMissingVectors)
			}
			m.wantVectors()
			return nil
		}
	}
	if !errors.Is(err, tree.ErrNotFound) {
		m.opts.Logger.Info("building the index anew", "reason", err)
	}
	return m.buildIndex(ctx)
}

// loadIndex opens the saved index. Its file stays open until Close, since pages are read when
// they are needed.
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

// catchUp updates an index with all commits since its version.
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

// buildIndex replaces the index by one made from the nodes. The caller must hold the door, or
// be the only one who knows the memory, as Open is.
func (m *Memory) buildIndex(ctx context.Context) error {
	ix, err := m.newIndex(ctx)
	if err != nil {
		return err
	}
	m.index.Store(ix)
	m.wantVectors()
	return nil
}

// newIndex returns an index made from the nodes alone.
func (m *Memory) newIndex(ctx context.Context) (*retrieval.Index, error) {
	return m.fillIndex(ctx, retrieval.New(m.taxonomy, m.opts.Embedder))
}

// fillIndex puts all nodes into an index and returns it. If others write meanwhile, the index may
// have some of their changes and not others. Its version is that of the beginning, so catchUp
// adds them all.
func (m *Memory) fillIndex(ctx context.Context, ix *retrieval.Index) (*retrieval.Index, error) {
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

// saveIndex saves the index for the next Open, unless the saved one has the same version. A
// failure is logged and is no error.
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

// mendGrace is how long Close waits for a mend. That is enough for most trees; otherwise the next Open
// begins again.
const mendGrace = 2 * time.Second

// mendIndex makes a new index in the background by calling another, and puts it in the place of
// the present one. Writing and guidance go on meanwhile. Only one mend runs at a time: during
// one, mendIndex starts none. The channel that it returns closes when the mend is done.
func (m *Memory) mendIndex(ctx context.Context, another func(context.Context) (*retrieval.Index,
	error)) <-chan struct{} {
	m.mending.Lock()
	defer m.mending.Unlock()
	if m.mended != nil {
		return m.mended
	}
	done := make(chan struct{})
	m.mended = done
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	m.workers.Go(func() { // ends the mend some time after Close begins
		defer cancel()
		select {
		case <-done:
			return
		case <-m.closed:
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

// withMissingVectors returns a copy of the present index with the vectors that it lacks, from the
// built-in table.
func (m *Memory) withMissingVectors(ctx context.Context) (*retrieval.Index, error) {
	had := m.index.Load().Stats().Vectors
	ix, err := m.fillIndex(ctx, m.index.Load().Fork())
	if err == nil && ix.Stats().Vectors <= had {
		err = errors.New("the embedder gave no more vectors than there are")
	}
	return ix, err
}

// replaceIndex calls another for an index, brings that up to date, and puts it in the place of the
// present one.
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
	m.wantVectors()
	return nil
}

// waitMended waits until the present mend of the index ends, if there is one, or ctx ends.
func (m *Memory) waitMended(ctx context.Context) error {
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

// searchIndex asks the index. If the index turns out to be damaged, it is built anew in the
// background, and is asked again if that ends before ctx does.
func (m *Memory) searchIndex(ctx context.Context, q retrieval.Query, ask searchFunc) (retrieval.Result, error) {
	r, err := ask(m.index.Load(), ctx, q)
	if _, damaged := errors.AsType[*tree.CorruptError](err); !damaged {
		return r, err
	}
	m.opts.Logger.Warn("the index is damaged, building it anew", "error", err)
	select {
	case <-m.mendIndex(ctx, m.newIndex):
		return ask(m.index.Load(), ctx, q)
	case <-ctx.Done():
		return r, fmt.Errorf("%w; the index is being built anew", err)
	}
}
