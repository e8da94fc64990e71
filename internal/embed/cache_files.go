package embed

import (
	"cmp"
	"context"
	"errors"
	"io"
	"slices"

	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/tree"
)

// reopen opens the files of the last save. The caller holds mu.
func (c *CachedEmbedder) reopen(ctx context.Context) error {
	err := c.closeFiles()
	for i, name := range []string{largeName, smallName} {
		kept, openErr := store.OpenDerived(ctx, c.store, name)
		if errors.Is(openErr, tree.ErrNotFound) {
			continue
		}
		if openErr != nil {
			return errors.Join(err, openErr)
		}
		c.open = append(c.open, kept.Closer)
		c.files[i], _ = openKept(kept, kept.Size)
	}
	return err
}

func (c *CachedEmbedder) closeFiles() error {
	var err error
	for _, f := range c.open {
		err = errors.Join(err, f.Close())
	}
	c.open, c.files = nil, [2]keptFile{}
	return err
}

// Close closes the files from which vectors are read. It saves nothing.
func (c *CachedEmbedder) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.closeFiles()
}

// Unsaved returns the size in bytes of the vectors that are not saved yet.
func (c *CachedEmbedder) Unsaved() int {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.size
}

// Save writes the new vectors to the store, if there are any; without a store they stay in memory. A CachedEmbedder of
// NewLocal drops them instead, because it computes vectors faster than it would read them.
func (c *CachedEmbedder) Save(ctx context.Context) error {
	c.saving.Lock()
	defer c.saving.Unlock()
	if c.local > 0 {
		c.mu.Lock()
		defer c.mu.Unlock()
		clear(c.fresh)
		c.size = 0
		return nil
	}
	c.mu.RLock()
	large, small := c.files[0], c.files[1]
	fresh := c.freshVectors(max(large.next, small.next))
	c.mu.RUnlock()
	if len(fresh) == 0 || c.store == nil {
		return nil
	}
	next := max(large.next, small.next) + 1
	kept := append(vectorsOf(&small), fresh...)
	all := large.count + len(kept)
	bytes := sizeOf(kept)
	var err error
	if bytes > max(leastMove, large.size/4) || all > mostKept || bytes+large.size > mostBytes {
		if err = c.write(ctx, largeName, newest(append(vectorsOf(&large), kept...), mostKept, mostBytes), next); err == nil {
			kept = nil
		}
	}
	if err == nil {
		err = c.write(ctx, smallName, kept, next)
	}
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.reopen(ctx); err != nil || c.files[0].count+c.files[1].count == 0 {
		return err // the store holds no derived data: the vectors stay in memory
	}
	for i := range fresh {
		k := &fresh[i]
		c.size -= len(c.fresh[k.key])
		delete(c.fresh, k.key)
	}
	return nil
}

// freshVectors returns the vectors that are not saved yet. The caller holds mu.
func (c *CachedEmbedder) freshVectors(save uint64) []keptVector {
	out := make([]keptVector, 0, len(c.fresh))
	for k, b := range c.fresh {
		r := keptRow{key: k, save: save, size: uint32(len(b))} //nolint:gosec // at most mostDims numbers
		out = append(out, keptVector{keptRow: r, bytes: b})
	}
	return out
}

func vectorsOf(f *keptFile) []keptVector {
	rows := f.rows()
	out := make([]keptVector, len(rows))
	for i, r := range rows {
		out[i] = keptVector{keptRow: r, file: f}
	}
	return out
}

func sizeOf(vectors []keptVector) int64 {
	var n int64
	for i := range vectors {
		n += int64(vectors[i].size) + int64(rowSize)
	}
	return n
}

// newest returns all vectors if they are within the bounds, else the newest, up to nine tenths of the bounds.
func newest(vectors []keptVector, most int, bytes int64) []keptVector {
	size := sizeOf(vectors)
	if len(vectors) <= most && size <= bytes {
		return vectors
	}
	slices.SortFunc(vectors, func(x, y keptVector) int {
		return cmp.Or(cmp.Compare(y.save, x.save), slices.Compare(x.key[:], y.key[:]))
	})
	vectors = vectors[:min(len(vectors), most/10*9)]
	for size = sizeOf(vectors); size > bytes/10*9; vectors = vectors[:len(vectors)-1] {
		size -= sizeOf(vectors[len(vectors)-1:])
	}
	return vectors
}

func (c *CachedEmbedder) write(ctx context.Context, name string, vectors []keptVector, next uint64) error {
	info, err := c.store.Info(ctx)
	if err != nil {
		return err
	}
	return store.SaveDerived(ctx, c.store, name, info.Version, func(w io.Writer) error {
		return writeKept(w, vectors, next)
	})
}

// Purge drops every vector except those of texts, from memory and from the files. Otherwise a person who guesses a
// purged text could use its hash to confirm that it was there.
func (c *CachedEmbedder) Purge(ctx context.Context, texts []string) error {
	id, stay := c.ID(), map[textKey]bool{}
	for _, t := range c.cleaned(texts) {
		stay[keyOf(id, t)] = true
	}
	c.saving.Lock()
	defer c.saving.Unlock()
	c.mu.Lock() // blocks readers: a purge is rare and must be complete
	defer c.mu.Unlock()
	c.purges++
	for k, b := range c.fresh {
		if !stay[k] {
			c.size -= len(b)
			delete(c.fresh, k)
		}
	}
	if c.store == nil {
		return nil
	}
	next := max(c.files[0].next, c.files[1].next)
	var kept []keptVector
	for i := range c.files {
		for _, v := range vectorsOf(&c.files[i]) {
			if stay[v.key] {
				kept = append(kept, v)
			}
		}
	}
	err := c.write(ctx, largeName, kept, next)
	if err == nil {
		err = c.write(ctx, smallName, nil, next)
	}
	return errors.Join(err, c.reopen(ctx))
}
