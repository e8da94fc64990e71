// Package core is a store with its search index, and the only access to both. Writes go through [Core.Apply]
// (apply.go). [Core.Read] (read.go) reads memories that agents may see; it omits what people refused. The index is
// derived data (index.go), stored in pieces (index_saved.go); a store that others write is followed (follow.go). The
// vectors of an embedder are made in the background (vectors.go, vectors_make.go). Learning does not see imports that
// wait for a person (trusted.go), and memories under suspicion have an index of their own (suspects.go). Banned cases,
// which no index has, are known by their tests (banned.go). [NewCache] holds often-read nodes in memory, in front of a
// store (cache.go).
package core

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/memtree/memtree/evolution"
	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/llm"
	"github.com/memtree/memtree/retrieval"
	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// Options configures Open.
type Options struct {
	Store    store.Store
	Taxonomy *taxonomy.Taxonomy
	ReadOnly bool // neither the index nor vectors are saved
	Logger   *slog.Logger
	Embedder llm.Embedder                    // makes the vectors of the index; nil: the built-in encoder
	Counting func(llm.Embedder) llm.Embedder // wraps Embedder, to count its use; not called if that is nil

	// Commit is called after each commit of Apply with the batch and its nodes, before the index has them. It must not
	// call Apply. See Follow for the commits of other processes.
	Commit func(b *store.Batch, nodes []tree.Node)
}

// Core is an open store with its search index. It is safe for concurrent use.
type Core struct {
	o        Options
	store    store.Store
	embedder llm.Embedder
	index    atomic.Pointer[retrieval.Index]
	refused  atomic.Pointer[tree.Refused] // people's refusals; see openRefused
	suspects suspects
	banned   bannedCases

	door        sync.Mutex    // held by Apply: one commit at a time, so that the index sees versions in order
	followState               // how far a store that others write was followed; guarded by door
	following   chan struct{} // of capacity 1, full while Latest follows the store and once Close has begun

	changed   atomic.Uint64 // number of commits that changed nodes
	decisions atomic.Uint64 // number of commits with a person's decision
	purges    atomic.Uint64 // number of purges; grows within Apply or Follow, after the commit
	conflicts atomic.Int64

	mending sync.Mutex
	mended  chan struct{} // closes when the present mend ends, see mendIndex; nil without one; guarded by mending
	keeping sync.Mutex    // held while the index or vectors are stored, and during a purge; locked after door
	files   []io.Closer   // the files that the index is read from
	stale   chan struct{} // wakes keepIndex
	vectors *indexVectors // the embedder

	stop    context.CancelFunc
	workers sync.WaitGroup
	closed  chan struct{} // closed by Shut
	shut    sync.Once
}

// Open opens the index of o.Store, or builds it, and reads what people refused. The caller closes the store after the
// core.
func Open(ctx context.Context, o Options) (_ *Core, err error) {
	c := &Core{o: o, store: o.Store, closed: make(chan struct{}), stale: make(chan struct{}, 1),
		following: make(chan struct{}, 1)}
	defer func() {
		if err != nil {
			err = errors.Join(err, c.closeVectors(context.WithoutCancel(ctx)))
		}
	}()
	if err = c.openEmbedder(ctx); err != nil {
		return nil, err
	}
	info, err := c.store.Info(ctx)
	if err != nil {
		return nil, err
	}
	c.followState = followState{info.Version, info.Entries, 0}
	if err = c.openRefused(ctx); err != nil {
		return nil, err
	}
	run, stop := context.WithCancel(context.WithoutCancel(ctx))
	c.stop = stop
	if err = c.openIndex(ctx); err != nil {
		stop()
		return nil, err
	}
	if !o.ReadOnly {
		c.workers.Go(func() { c.keepIndex(run) })
	}
	if !o.ReadOnly {
		c.workers.Go(func() { c.keepVectors(run) })
	}
	return c, nil
}

// Shut begins to close c: WaitVectors returns store.ErrClosed, and a rebuild of the index ends soon. Other work goes
// on; Close ends the workers and waits for them.
func (c *Core) Shut() { c.shut.Do(func() { close(c.closed) }) }

// Close ends the workers and waits for them, saves the index and the vectors, and closes their files. The store stays
// open.
func (c *Core) Close(ctx context.Context) error {
	c.Shut()
	c.stop()
	c.following <- struct{}{}
	c.workers.Wait()
	c.closeIndex(ctx)
	var err error
	for _, f := range c.files {
		err = errors.Join(err, f.Close())
	}
	return errors.Join(err, c.closeVectors(ctx))
}

// Wait returns once the commit that is running now, if there is one, is in the index too.
func (c *Core) Wait() {
	c.door.Lock()
	defer c.door.Unlock()
}

// Index returns the present search index. A rebuild replaces it.
func (c *Core) Index() *retrieval.Index { return c.index.Load() }

// Embedder returns the embedder whose vectors the index has.
func (c *Core) Embedder() llm.Embedder { return c.embedder }

// Refused returns the checks and texts that people refused.
func (c *Core) Refused() *tree.Refused { return c.refused.Load() }

// Changed returns a number that grows with each commit that changes nodes, except a purge. Commits of other processes
// that Follow reads at once may count as one; those that it cannot read one by one do not count.
func (c *Core) Changed() uint64 { return c.changed.Load() }

// Decisions returns a number that grows with each commit that contains a decision of a person. Several commits of other
// processes may count as one.
func (c *Core) Decisions() uint64 { return c.decisions.Load() }

// Conflicts returns how often UntilFresh planned again because of store.ErrConflict.
func (c *Core) Conflicts() int64 { return c.conflicts.Load() }

// Poke sends on wake without blocking, to wake a worker. wake has capacity 1, so a worker that is busy runs once more.
func Poke(wake chan<- struct{}) {
	select {
	case wake <- struct{}{}:
	default:
	}
}

// openRefused reads people's refusals. It runs after every commit that may change them. The caller holds the door, or
// has the only reference to the core.
func (c *Core) openRefused(ctx context.Context) error {
	var lessons []tree.Node
	above := string(tree.Experience[:1]) // by their ids, strategies come after experiences, and cases before
	for n, err := range (c.Trusted()).Scan(ctx, store.Filter{After: above}) {
		if err != nil {
			return fmt.Errorf("read what people refused: %w", err)
		}
		if n.Type != tree.Case {
			lessons = append(lessons, n)
		}
	}
	c.refused.Store(tree.NewRefused(lessons, evolution.RefusalRules(c.o.Taxonomy)))
	return nil
}

// spoken reports whether a commit may change people's refusals.
func spoken(b *store.Batch, nodes []tree.Node) bool {
	word := func(n tree.Node) bool {
		return n.Type != tree.Case && (n.Decision != nil || n.Provenance.By == tree.ByPerson)
	}
	act := func(e ledger.Entry) bool { return e.Act != nil }
	return b.Purge != nil || slices.ContainsFunc(b.Entries, act) || slices.ContainsFunc(nodes, word)
}
