// Package embed caches the vectors of an embedder, in memory or as derived data of a store, so that a text is seldom
// embedded twice. The embedder itself is that of package use, a model, or a recording of one. FORMAT.md describes the
// files.
package embed

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/memtree/memtree/llm"
	"github.com/memtree/memtree/store"
)

// The names of the files among a store's derived data. New vectors are written to the small file. When it reaches a
// quarter of the size of the large one, both are merged into the large one. So a save writes little.
const (
	largeName = "vectors"
	smallName = "vectors-new"
)

// The bounds of the cache. The oldest vectors are evicted first.
const (
	mostKept  = 200_000
	mostBytes = 512 << 20
	mostFresh = 64 << 20 // bytes in memory that are not saved
	leastMove = 4 << 20  // bytes of the small file before it is worth moving
	askAtOnce = 64       // texts in a call of the embedder
)

// CachedEmbedder is an llm.Embedder that calls another one, and caches its vectors by its id and a hash of the text. It
// removes secrets from every text first: the texts of a tree contain none, but a prompt in a query may, and the other
// embedder may be a service of a third party.
//
// With a store the cache outlives the process, as derived data: it holds no text, and nothing that cannot be computed
// again. Unreadable data is treated as absent.
//
// A vector is rounded to 16 bits a number before it is first returned, so that later calls return the same vector. It
// is not cached if it is empty or not finite, if its text is blank, or if the unsaved vectors would have more than
// 64 MiB. A CachedEmbedder is safe for concurrent use.
type CachedEmbedder struct {
	of    llm.Embedder
	clean func(string) string
	store store.Store // nil: in memory only
	local int         // see NewLocal; 0 for embedders that others run

	mu     sync.RWMutex
	fresh  map[textKey][]byte // not saved
	size   int                // bytes of fresh
	files  [2]keptFile        // large, small
	open   []io.Closer
	purges int // a request that began before a purge does not store its vectors after it

	saving sync.Mutex // held while files are replaced; taken before mu
}

var _ llm.Embedder = (*CachedEmbedder)(nil)

// NewCache returns a CachedEmbedder of e that caches in memory only. clean removes secrets from a text.
func NewCache(e llm.Embedder, clean func(string) string) *CachedEmbedder {
	return &CachedEmbedder{of: e, clean: clean, fresh: map[textKey][]byte{}}
}

// NewLocal returns a CachedEmbedder that caches in memory only, for an embedder that is part of this program. Its Known
// computes missing vectors itself if at most few are missing; if more are missing, it computes none. No text leaves the
// program, so none is cleaned.
func NewLocal(e llm.Embedder, few int) *CachedEmbedder {
	c := NewCache(e, func(s string) string { return s })
	c.local = few
	return c
}

// OpenCache returns a CachedEmbedder of e whose vectors are derived data of s. clean removes secrets from a text.
// OpenCache reads none of the vectors yet.
func OpenCache(ctx context.Context, s store.Store, e llm.Embedder, clean func(string) string) (*CachedEmbedder, error) {
	c := NewCache(e, clean)
	c.store = s
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.reopen(ctx); err != nil {
		return nil, errors.Join(err, c.closeFiles())
	}
	return c, nil
}

// ID returns the ID of the other embedder.
func (c *CachedEmbedder) ID() string { return c.of.ID() }

// Dims returns the Dims of the other embedder.
func (c *CachedEmbedder) Dims() int { return c.of.Dims() }

func (c *CachedEmbedder) cleaned(texts []string) []string {
	out := make([]string, len(texts))
	for i, t := range texts {
		out[i] = c.clean(t)
	}
	return out
}

// Known returns the cached vectors of texts, nil for texts that have none. It waits for no service. A CachedEmbedder of
// NewLocal computes missing vectors if they are few.
func (c *CachedEmbedder) Known(texts []string) [][]float32 {
	out := c.known(c.cleaned(texts))
	missing := 0
	for _, v := range out {
		if v == nil {
			missing++
		}
	}
	if missing == 0 || missing > c.local {
		return out
	}
	if all, err := c.Embed(context.Background(), texts); err == nil {
		return all
	}
	return out
}

func (c *CachedEmbedder) known(texts []string) [][]float32 {
	id := c.ID()
	c.mu.RLock()
	defer c.mu.RUnlock()
	out := make([][]float32, len(texts))
	for i, t := range texts {
		k := keyOf(id, t)
		if b := c.fresh[k]; b != nil {
			out[i] = unpack(b)
			continue
		}
		for j := range c.files {
			if out[i] == nil && c.files[j].count > 0 {
				out[i] = c.files[j].find(k)
			}
		}
	}
	return out
}

// Embed returns one vector for each text, cached or from the other embedder. See llm.Embedder. After a failure, the
// vectors received before it stay cached.
func (c *CachedEmbedder) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	texts = c.cleaned(texts)
	out := c.known(texts)
	var ask []string
	places := map[string][]int{}
	for i, t := range texts {
		if out[i] == nil {
			if places[t] == nil {
				ask = append(ask, t)
			}
			places[t] = append(places[t], i)
		}
	}
	for some := range slices.Chunk(ask, askAtOnce) {
		c.mu.RLock()
		purges := c.purges
		c.mu.RUnlock()
		got, err := c.ask(ctx, some)
		if err == nil && len(got) != len(some) {
			err = &llm.Error{Kind: llm.KindNoAnswer, Err: fmt.Errorf("%d vectors came for %d texts", len(got), len(some))}
		}
		if err != nil {
			return nil, err
		}
		for i, v := range c.keep(some, got, purges) {
			for _, at := range places[some[i]] {
				out[at] = slices.Clone(v)
			}
		}
	}
	return out, nil
}

// ask calls the other embedder. A panic in its code becomes an error.
func (c *CachedEmbedder) ask(ctx context.Context, texts []string) (got [][]float32, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &llm.Error{Kind: llm.KindNoAnswer, Err: fmt.Errorf("the embedder's code panicked: %v", p)}
		}
	}()
	return c.of.Embed(ctx, texts)
}

// keep caches the vectors of the embedder and returns them as later calls will return them.
func (c *CachedEmbedder) keep(texts []string, got [][]float32, purges int) [][]float32 {
	id := c.ID()
	c.mu.Lock()
	defer c.mu.Unlock()
	out := slices.Clone(got)
	for i, t := range texts {
		b := pack(got[i])
		if b == nil {
			continue
		}
		out[i] = unpack(b)
		if strings.TrimSpace(t) == "" || purges != c.purges || c.size+len(b) > mostFresh {
			continue
		}
		k := keyOf(id, t)
		c.size += len(b) - len(c.fresh[k])
		c.fresh[k] = b
	}
	return out
}
