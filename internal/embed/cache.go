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
	"github.com/memtree/memtree/tree"
)

// The names of the files among a store's derived data. What is new goes to the small one; when that has
// grown to a quarter of the large one, both become the large one. So a save writes little.
const (
	largeName = "vectors"
	smallName = "vectors-new"
)

// The bounds of what is kept, oldest out.
const (
	mostKept  = 200_000
	mostBytes = 512 << 20
	mostFresh = 64 << 20 // bytes in memory that are not saved
	leastMove = 4 << 20  // bytes of the small file before it is worth moving
	askAtOnce = 64       // texts in a call of the embedder
)

// Cache is an embedder that keeps what another one gave, by that one's id and a hash of the text, and
// asks it for nothing twice. Every text is cleaned first: what is in a tree has no secrets, but a
// prompt that is asked about may, and the other embedder may be somebody else's.
//
// Beside a store it does so for good, as derived data: no text, and nothing
// that cannot be asked for again. What cannot be read is as if it were not there.
//
// A vector is rounded to 16 bits a number before it is given for the first time, so that it is the same
// ever after. A Cache is safe for concurrent use.
type Cache struct {
	of    llm.Embedder
	clean func(string) string
	store tree.Store // nil: in memory only

	mu     sync.RWMutex
	fresh  map[textKey][]byte // not saved
	size   int                // bytes of fresh
	files  [2]keptFile        // large, small
	open   []io.Closer
	purges int // so that what was asked for before a purge is not kept after it

	saving sync.Mutex // held while files are replaced; taken before mu
}

var _ llm.Embedder = (*Cache)(nil)

// NewCache returns a Cache that keeps vectors in memory.
func NewCache(e llm.Embedder, clean func(string) string) *Cache {
	return &Cache{of: e, clean: clean, fresh: map[textKey][]byte{}}
}

// OpenCache returns a Cache that keeps vectors beside a store. It reads none of them yet.
func OpenCache(ctx context.Context, s tree.Store, e llm.Embedder, clean func(string) string) (*Cache, error) {
	c := NewCache(e, clean)
	c.store = s
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.reopen(ctx); err != nil {
		return nil, errors.Join(err, c.closeFiles())
	}
	return c, nil
}

// ID returns that of the other embedder.
func (c *Cache) ID() string { return c.of.ID() }

// Dims returns that of the other embedder.
func (c *Cache) Dims() int { return c.of.Dims() }

func (c *Cache) cleaned(texts []string) []string {
	out := make([]string, len(texts))
	for i, t := range texts {
		out[i] = c.clean(t)
	}
	return out
}

// Known returns the vectors that are kept, and nil for every other text. It asks nobody.
func (c *Cache) Known(texts []string) [][]float32 { return c.known(c.cleaned(texts)) }

func (c *Cache) known(texts []string) [][]float32 {
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

// Embed implements llm.Embedder. What came before a failure is kept.
func (c *Cache) Embed(ctx context.Context, texts []string) ([][]float32, error) {
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

// ask asks the other embedder. A panic in its code becomes an error.
func (c *Cache) ask(ctx context.Context, texts []string) (got [][]float32, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &llm.Error{Kind: llm.KindNoAnswer, Err: fmt.Errorf("the embedder's code panicked: %v", p)}
		}
	}()
	return c.of.Embed(ctx, texts)
}

// keep takes in what the embedder gave, and returns it as it will be given from now on.
func (c *Cache) keep(texts []string, got [][]float32, purges int) [][]float32 {
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
