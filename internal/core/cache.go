package core

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"sync"
	"sync/atomic"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/tree"
)

// leastCached is the smallest cache: 2Q needs two queues of at least one node each.
const leastCached = 2

// cache is a store that answers Get from memory if it can; see NewCache.
type cache struct {
	below  store.Store
	nodes  *lru.TwoQueueCache[string, *tree.Node] // the nodes in it are never changed
	closed atomic.Bool

	mu      sync.Mutex
	writing map[string]int       // number of running commits, by the id of each node they change
	reading map[string]*nodeRead // running reads of the store below, by id
}

// nodeRead is one or more running reads of a node. If a commit of the node begins before they end, their result may be
// older than that commit and must not be cached.
type nodeRead struct {
	readers int
	stale   bool
}

var (
	_ store.Store    = (*cache)(nil)
	_ store.Deriver  = (*cache)(nil)
	_ store.Verifier = (*cache)(nil)
	_ store.Knower   = (*cache)(nil)
)

// NewCache returns a store that answers Get from memory if it can, and passes everything else to s. nodes is the most
// nodes that it holds, at least 2. It is a 2Q cache (Johnson and Shasha, "2Q: A Low Overhead High Performance Buffer
// Management Replacement Algorithm", VLDB 1994): nodes that were read only once take at most about a quarter of it
// from nodes that were read more often.
//
// The cache satisfies the contract of store.Store as long as all writes to s go through it; a store to which another
// process writes must not be cached. The cache is also a store.Deriver, store.Scratcher, store.Verifier and
// store.Knower. If s is not, the methods of the first three return errors.ErrUnsupported, and Knows knows no key. The
// cache owns s: Close closes it.
func NewCache(s store.Store, nodes int) store.Store {
	c := &cache{below: s, writing: map[string]int{}, reading: map[string]*nodeRead{}}
	c.nodes, _ = lru.New2Q[string, *tree.Node](max(nodes, leastCached)) // fails only for smaller sizes
	return c
}

// Get returns a node; see store.Store.
func (c *cache) Get(ctx context.Context, id string) (tree.Node, error) {
	n, err := c.Shared(ctx, id)
	if err != nil {
		return tree.Node{}, err
	}
	return n.Clone(), nil
}

// Shared is Get without a copy: callers must not change the node. A lesson lists all of its cases, so a copy can be
// long.
func (c *cache) Shared(ctx context.Context, id string) (*tree.Node, error) {
	if c.closed.Load() {
		return nil, fmt.Errorf("get %s: %w", id, store.ErrClosed)
	}
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("get %s: %w", id, err)
	}
	if n, ok := c.nodes.Get(id); ok {
		return n, nil
	}
	r := c.beginRead(id)
	var keep *tree.Node
	n, err := c.below.Get(ctx, id)
	if err == nil {
		keep = &n
	}
	if r != nil {
		c.endRead(id, r, keep)
	}
	return keep, err
}

// beginRead announces that the caller will read the node from the store below. It returns nil if the node is being
// written; then the caller must not cache the result.
func (c *cache) beginRead(id string) *nodeRead {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.writing[id] > 0 {
		return nil
	}
	r := c.reading[id]
	if r == nil {
		r = &nodeRead{}
		c.reading[id] = r
	}
	r.readers++
	return r
}

// endRead ends a read and caches n, unless it is nil or may be older than a commit.
func (c *cache) endRead(id string, r *nodeRead, n *tree.Node) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if r.readers--; r.readers == 0 && c.reading[id] == r {
		delete(c.reading, id)
	}
	if n != nil && !r.stale && !c.nodes.Contains(id) {
		c.nodes.Add(id, n)
	}
}

// Commit writes a batch; see store.Store. It evicts the nodes of the batch and caches none of them until it returns, so
// later reads see its result.
func (c *cache) Commit(ctx context.Context, b store.Batch) (uint64, error) {
	ids := make([]string, len(b.Changes)) // a copy: endWrite needs the same ids even if the caller changes b
	for i := range b.Changes {
		ids[i] = b.Changes[i].Node.ID
	}
	c.beginWrite(ids)
	defer c.endWrite(ids)
	return c.below.Commit(ctx, b)
}

// beginWrite evicts the nodes and prevents running reads from caching them again.
func (c *cache) beginWrite(ids []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, id := range ids {
		c.writing[id]++
		if r := c.reading[id]; r != nil {
			r.stale = true
			delete(c.reading, id)
		}
		c.nodes.Remove(id)
	}
}

func (c *cache) endWrite(ids []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, id := range ids {
		if c.writing[id]--; c.writing[id] == 0 {
			delete(c.writing, id)
		}
	}
}

// Scan reads from the store below and caches nothing, because a scan of all nodes does not show which of them are read
// often.
func (c *cache) Scan(ctx context.Context, f store.Filter) iter.Seq2[tree.Node, error] {
	return c.below.Scan(ctx, f)
}

// Accept calls the store below.
func (c *cache) Accept(ctx context.Context, es []tree.Evaluation) ([]store.Receipt, error) {
	return c.below.Accept(ctx, es)
}

// Lease calls the store below.
func (c *cache) Lease(ctx context.Context, n int) ([]tree.Evaluation, error) {
	return c.below.Lease(ctx, n)
}

// Release calls the store below.
func (c *cache) Release(ctx context.Context, keys []string) error { return c.below.Release(ctx, keys) }

// Ledger calls the store below.
func (c *cache) Ledger(ctx context.Context, after uint64) iter.Seq2[ledger.Entry, error] {
	return c.below.Ledger(ctx, after)
}

// CountedLedger calls the store below.
func (c *cache) CountedLedger(ctx context.Context) iter.Seq2[ledger.Entry, error] {
	return store.LedgerCounts(ctx, c.below)
}

// DeadLetters calls the store below.
func (c *cache) DeadLetters(ctx context.Context) iter.Seq2[store.DeadLetter, error] {
	return c.below.DeadLetters(ctx)
}

// Changes calls the store below.
func (c *cache) Changes(ctx context.Context, after uint64) iter.Seq2[store.Commit, error] {
	return c.below.Changes(ctx, after)
}

// Info calls the store below.
func (c *cache) Info(ctx context.Context) (store.Info, error) { return c.below.Info(ctx) }

// Close drops all nodes and closes the store below.
func (c *cache) Close() error {
	c.closed.Store(true)
	err := c.below.Close()
	c.nodes.Purge()
	return err
}

// Len returns the number of nodes in memory.
func (c *cache) Len() int { return c.nodes.Len() }

// SaveDerived calls the store below; see store.Deriver.
func (c *cache) SaveDerived(ctx context.Context, name string, version uint64, write func(io.Writer) error) error {
	d, ok := c.below.(store.Deriver)
	if !ok {
		return fmt.Errorf("save derived data: %w", errors.ErrUnsupported)
	}
	return d.SaveDerived(ctx, name, version, write)
}

// OpenDerived calls the store below; see store.Deriver.
func (c *cache) OpenDerived(ctx context.Context, name string) (*store.Derived, error) {
	d, ok := c.below.(store.Deriver)
	if !ok {
		return nil, fmt.Errorf("open derived data: %w", errors.ErrUnsupported)
	}
	return d.OpenDerived(ctx, name)
}

// KeepDerived calls the store below; see store.Deriver.
func (c *cache) KeepDerived(ctx context.Context, names []string) ([]string, error) {
	d, ok := c.below.(store.Deriver)
	if !ok {
		return nil, fmt.Errorf("keep derived data: %w", errors.ErrUnsupported)
	}
	return d.KeepDerived(ctx, names)
}

// DropDerived calls the store below; see store.Deriver.
func (c *cache) DropDerived(ctx context.Context, prefix string, but []string) error {
	d, ok := c.below.(store.Deriver)
	if !ok {
		return fmt.Errorf("drop derived data: %w", errors.ErrUnsupported)
	}
	return d.DropDerived(ctx, prefix, but)
}

// Scratch calls the store below; see store.Scratcher.
func (c *cache) Scratch() (*os.File, error) {
	s, ok := c.below.(store.Scratcher)
	if !ok {
		return nil, fmt.Errorf("open a temporary file: %w", errors.ErrUnsupported)
	}
	return s.Scratch()
}

// Verify calls the store below; see store.Verifier.
func (c *cache) Verify(ctx context.Context, found func(problem error)) (store.Verified, error) {
	v, ok := c.below.(store.Verifier)
	if !ok {
		return store.Verified{}, fmt.Errorf("verify: %w", errors.ErrUnsupported)
	}
	return v.Verify(ctx, found)
}

// Knows asks the store below; see store.Knower. If that is no Knower, the answer is false for every key.
func (c *cache) Knows(ctx context.Context, keys []string) ([]bool, error) {
	k, ok := c.below.(store.Knower)
	if !ok {
		return make([]bool, len(keys)), nil
	}
	return k.Knows(ctx, keys)
}
