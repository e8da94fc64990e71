package core

// The index is stored in pieces: segments that are written once, and a head that names them. A worker stores what is
// new after some updates, and Close stores the rest, so that a crash loses few updates, which openIndex makes again.

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/memtree/memtree/retrieval"
	"github.com/memtree/memtree/store"
)

const (
	indexName  = "index"     // the head of the index among a store's derived data
	storeAfter = 1024        // changed nodes after which the index is stored before Close
	mergeRest  = time.Second // delay before a merge, so that a short-lived process begins none in vain
	mostParts  = 32          // segments with which Close stores the index without merging them
	inFile     = 16 << 20    // bytes from which on a segment is merged into a file and not held in memory
)

// loadIndex opens the stored index. Its files remain open until Close, because pages are read on demand.
func (c *Core) loadIndex(ctx context.Context) (ix *retrieval.Index, err error) {
	err = store.OpenPieces(ctx, c.store, indexName, func(head *store.Derived, open openPiece) (err error) {
		ix, err = c.tryLoad(head, open)
		return err
	})
	return ix, err
}

type openPiece = func(name string) (*store.Derived, error)

func (c *Core) tryLoad(head *store.Derived, open openPiece) (*retrieval.Index, error) {
	b, err := io.ReadAll(io.NewSectionReader(head, 0, head.Size))
	if err = errors.Join(err, head.Closer.Close()); err != nil {
		return nil, err
	}
	had := len(c.files)
	ix, err := retrieval.LoadPieces(b, func(name string) (io.ReaderAt, int64, error) {
		piece, err := open(name)
		if err != nil {
			return nil, 0, err
		}
		c.files = append(c.files, piece.Closer)
		return piece, piece.Size, nil
	}, c.o.Taxonomy, c.embedder)
	if err != nil {
		for _, f := range c.files[had:] {
			err = errors.Join(err, f.Close())
		}
		c.files = c.files[:had]
		return nil, err
	}
	ix.MergeInto(c.scratch, inFile)
	return ix, nil
}

// indexChanged wakes keepIndex if there is enough to do.
func (c *Core) indexChanged() {
	ix := c.index.Load()
	if nodes, _ := ix.Unsaved(); nodes >= storeAfter || ix.Due() {
		Poke(c.stale)
	}
}

// keepIndex merges segments, and stores the index after some updates, until ctx ends.
func (c *Core) keepIndex(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-c.stale:
		}
		if nodes, _ := c.index.Load().Unsaved(); nodes >= storeAfter {
			c.storeIndex(ctx)
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(mergeRest):
		}
		if err := c.mergeIndex(ctx, 0); err != nil && ctx.Err() == nil {
			c.o.Logger.Warn("the index could not be merged", "error", err)
		}
	}
}

// mergeIndex merges segments until none is due, or no more than most are left.
func (c *Core) mergeIndex(ctx context.Context, most int) error {
	for {
		ix := c.index.Load()
		if ix.Stats().Segments <= most {
			return nil
		}
		if more, err := ix.Merge(ctx); err != nil || !more {
			return err
		}
	}
}

// closeIndex stores the index for the next Open. Where it has very many segments, it merges some before.
func (c *Core) closeIndex(ctx context.Context) {
	if c.o.ReadOnly || c.index.Load() == nil {
		return
	}
	if err := c.mergeIndex(ctx, mostParts); err != nil {
		c.o.Logger.Warn("the index could not be merged", "error", err)
	}
	c.storeIndex(ctx)
}

// storeIndex stores what is new of the present index. It only logs a failure: the index is derived data, and what is
// stored stays as it was.
func (c *Core) storeIndex(ctx context.Context) {
	c.keeping.Lock()
	defer c.keeping.Unlock()
	ix := c.index.Load()
	if _, changed := ix.Unsaved(); !changed {
		return
	}
	p, err := ix.Pieces()
	if err == nil {
		err = store.SavePieces(ctx, c.store, indexName, p)
	}
	if err != nil {
		c.o.Logger.Warn("the index was not stored, and what is new is made again", "error", err)
		return
	}
	ix.Saved(p)
}
