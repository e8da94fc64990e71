package core

// The index is derived data. It is stored beside the nodes (index_saved.go), and rebuilt from them if what is stored
// cannot be used.

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/memtree/memtree/retrieval"
	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/tree"
)

// openIndex loads the stored index and updates it to the version of the store. If that fails, it rebuilds the index.
// Missing vectors are made in the background.
func (c *Core) openIndex(ctx context.Context) error {
	ix, err := c.loadIndex(ctx)
	if err == nil {
		c.index.Store(ix)
		if err = c.catchUp(ctx, ix); err == nil {
			c.indexChanged()
			c.wantVectors()
			return nil
		}
	}
	if !errors.Is(err, tree.ErrNotFound) {
		c.o.Logger.Info("building the index anew", "reason", err)
	}
	return c.buildIndex(ctx)
}

// catchUp updates an index with all commits after its version.
func (c *Core) catchUp(ctx context.Context, ix *retrieval.Index) error {
	info, err := c.store.Info(ctx)
	if err != nil || ix.Version() == info.Version {
		return err
	}
	if ix.Version() > info.Version {
		return fmt.Errorf("the index is of version %d, and the store of %d", ix.Version(), info.Version)
	}
	for commit, err := range c.store.Changes(ctx, ix.Version()) {
		if errors.Is(err, store.ErrCompacted) {
			return c.catchUpBy(ctx, ix, info.Version)
		}
		if err != nil {
			return err
		}
		nodes := make([]tree.Node, len(commit.Changes))
		for i := range commit.Changes {
			nodes[i] = commit.Changes[i].Node
		}
		if err := ix.Update(ctx, commit.Version, nodes); err != nil {
			return err
		}
	}
	return nil
}

// catchUpBy updates an index where the store no longer has the changes one by one: it compares all nodes. It must not
// get an index from before a purge: an update leaves the terms of replaced nodes in the index until a merge.
func (c *Core) catchUpBy(ctx context.Context, ix *retrieval.Index, version uint64) error {
	var nodes []tree.Node
	for n, err := range c.store.Scan(ctx, store.Filter{}) {
		if err != nil {
			return err
		}
		if !ix.Has(n.ID, n.Revision) {
			nodes = append(nodes, n)
		}
	}
	return ix.Update(ctx, version, nodes)
}

// buildIndex replaces the index by one built from the nodes. The caller holds the door, or has the only reference to
// the core, as Open does.
func (c *Core) buildIndex(ctx context.Context) error {
	ix, err := c.newIndex(ctx)
	if err != nil {
		return err
	}
	c.index.Store(ix)
	c.indexChanged()
	c.wantVectors()
	return nil
}

// newIndex returns an index built from the nodes alone. During concurrent commits, it may have only some of their
// changes. Its version is that of the beginning, so catchUp adds them all.
func (c *Core) newIndex(ctx context.Context) (*retrieval.Index, error) {
	ix := retrieval.New(c.o.Taxonomy, c.embedder)
	ix.MergeInto(c.scratch, inFile)
	info, err := c.store.Info(ctx)
	if err != nil {
		return nil, err
	}
	var nodes []tree.Node
	for n, err := range c.store.Scan(ctx, store.Filter{}) {
		if err != nil {
			return nil, fmt.Errorf("build the index: %w", err)
		}
		if nodes = append(nodes, n); len(nodes) == 1024 {
			if err := c.addNodes(ctx, ix, 0, nodes); err != nil {
				return nil, err
			}
			nodes = nodes[:0]
		}
	}
	return ix, c.addNodes(ctx, ix, info.Version, nodes)
}

// addNodes updates an index that is not in use yet, and merges at once. Where no file can be written for a merge, the
// index has more segments.
func (c *Core) addNodes(ctx context.Context, ix *retrieval.Index, version uint64, nodes []tree.Node) error {
	err := ix.Update(ctx, version, nodes)
	for more := true; err == nil && more; {
		more, err = ix.Merge(ctx)
	}
	if _, full := errors.AsType[*fs.PathError](err); full {
		c.o.Logger.Warn("the index could not be merged", "error", err)
		return nil
	}
	if err != nil {
		return fmt.Errorf("build the index: %w", err)
	}
	return nil
}

// scratch returns a new file without a name, for a large merge of the index. It is beside the nodes where the store has
// room for it, else in the system's folder for temporary files.
func (c *Core) scratch() (*os.File, error) {
	if s, ok := c.store.(store.Scratcher); ok && !c.o.ReadOnly {
		if f, err := s.Scratch(); !errors.Is(err, errors.ErrUnsupported) {
			return f, err
		}
	}
	f, err := os.CreateTemp("", "memtree-*")
	if err != nil {
		return nil, err
	}
	if err := os.Remove(f.Name()); err != nil { // a system on which an open file has to have a name
		return nil, errors.Join(errors.ErrUnsupported, err, f.Close(), os.Remove(f.Name()))
	}
	return f, nil
}

// mendGrace is how long Close waits for a mend. That suffices for most trees; otherwise the next Open starts again.
const mendGrace = 2 * time.Second

// mendIndex replaces the index in the background by one built from the nodes. Writes and guidance continue. Only one
// mend runs at a time: during one, mendIndex starts none. The returned channel closes when the mend ends.
func (c *Core) mendIndex(ctx context.Context) <-chan struct{} {
	c.mending.Lock()
	defer c.mending.Unlock()
	if c.mended != nil {
		return c.mended
	}
	done := make(chan struct{})
	c.mended = done
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	c.workers.Go(func() { // ends the mend mendGrace after Close begins
		defer cancel()
		select {
		case <-done:
			return
		case <-c.closed:
		}
		select {
		case <-done:
		case <-time.After(mendGrace):
		}
	})
	c.workers.Go(func() {
		defer close(done)
		if err := c.replaceIndex(ctx, c.newIndex); err != nil {
			c.o.Logger.Error("the index could not be built anew", "error", err)
		}
		c.mending.Lock()
		defer c.mending.Unlock()
		c.mended = nil
	})
	return done
}

// replaceIndex replaces the index by the result of another, updated to the store. After a purge in the meantime it
// calls another again, because an update of the index leaves the purged terms in it until a merge.
func (c *Core) replaceIndex(ctx context.Context, another func(context.Context) (*retrieval.Index, error)) error {
	for {
		purges := c.purges.Load()
		ix, err := another(ctx)
		if err != nil {
			return err
		}
		if done, err := c.replaceBy(ctx, ix, purges); done || err != nil {
			return err
		}
	}
}

// replaceBy replaces the index by ix, updated to the store, and returns true. After more purges than purges it returns
// false and changes nothing.
func (c *Core) replaceBy(ctx context.Context, ix *retrieval.Index, purges uint64) (bool, error) {
	c.door.Lock()
	defer c.door.Unlock()
	if c.purges.Load() != purges {
		return false, nil
	}
	if err := c.catchUp(ctx, ix); err != nil {
		if ix, err = c.newIndex(ctx); err != nil {
			return false, err
		}
	}
	c.index.Store(ix)
	c.indexChanged()
	c.wantVectors()
	return true, nil
}

// WaitMended waits until a running rebuild of the index has ended, or until ctx ends. If none is running, it returns at
// once.
func (c *Core) WaitMended(ctx context.Context) error {
	c.mending.Lock()
	done := c.mended
	c.mending.Unlock()
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

// Asking is a function that queries an index, such as (*retrieval.Index).Search.
type Asking func(*retrieval.Index, context.Context, retrieval.Query) (retrieval.Result, error)

// Search calls ask with the present index and q. If the index is damaged, c rebuilds it in the background. Search
// calls ask again with the new index if the rebuild ends before ctx does, and otherwise returns the error.
func (c *Core) Search(ctx context.Context, q retrieval.Query, ask Asking) (retrieval.Result, error) {
	r, err := ask(c.index.Load(), ctx, q)
	if _, damaged := errors.AsType[*store.CorruptError](err); !damaged {
		return r, err
	}
	c.o.Logger.Warn("the index is damaged, building it anew", "error", err)
	select {
	case <-c.mendIndex(ctx):
		return ask(c.index.Load(), ctx, q)
	case <-ctx.Done():
		return r, fmt.Errorf("%w; the index is being built anew", err)
	}
}

// forgetDerived rebuilds the index after a purge, and removes the vectors of texts that no longer exist. The caller
// holds the door.
func (c *Core) forgetDerived(ctx context.Context) error {
	c.suspects.forget()
	if err := errors.Join(c.purgeVectors(ctx), c.buildIndex(ctx)); err != nil {
		return fmt.Errorf("purge: %w", err)
	}
	return nil
}
