package core

// A store that other processes write to is followed: their commits come into the index, and are announced as this
// process's own are. A shared store is followed in the background, a folder that is only read before each question.

import (
	"context"
	"errors"
	"fmt"

	"github.com/memtree/memtree/retrieval"
	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/tree"
)

// followState is how far the core has followed a store that others write; guarded by door.
type followState struct {
	version uint64 // of the last commit
	entries uint64 // number of the last entry of the ledger
	anew    int    // how often the history was read anew
}

// news is what others have committed.
type news struct {
	batch   store.Batch
	nodes   []tree.Node
	now     followState
	rebuild bool // the changes cannot be read one by one
}

// Follow reads what other processes committed to a shared store, updates the index, and calls Options.Commit once for
// all of it. After a purge, or if it cannot read the commits one by one, it rebuilds the index and passes a batch with
// an empty Purge to Options.Commit; with Options.ReadOnly it rebuilds the index in the background. It does nothing for
// a store to which no other process writes.
func (c *Core) Follow(ctx context.Context) error {
	if _, shared := c.store.(store.Shared); !shared && !c.o.ReadOnly {
		return nil
	}
	for {
		c.door.Lock()
		from := c.followState
		c.door.Unlock()
		n, err := c.news(ctx, from)
		if err != nil || n.now == from {
			return err
		}
		ix := c.index.Load()
		ready, unready := ix.Prepare(ctx, n.nodes) // before locking, because it may take long
		c.door.Lock()
		if c.followState == from && c.index.Load() == ix {
			err = c.take(ctx, n, ix, ready, unready)
			c.door.Unlock()
			return err
		}
		c.door.Unlock() // a commit of this process has followed meanwhile
	}
}

// Latest calls Follow before a question, if the core only reads a store that is not store.Shared. If ctx ends before
// Follow has, Latest returns an error, and Follow goes on for later questions.
func (c *Core) Latest(ctx context.Context) error {
	if _, shared := c.store.(store.Shared); shared || !c.o.ReadOnly {
		return nil
	}
	select {
	case c.following <- struct{}{}:
	case <-c.closed:
		return store.ErrClosed
	case <-ctx.Done():
		return fmt.Errorf("follow: %w", ctx.Err())
	}
	done := make(chan error, 1)
	go func() { // ends before Close does, which takes following
		defer func() { <-c.following }()
		done <- c.Follow(context.WithoutCancel(ctx))
	}()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return fmt.Errorf("follow: %w", ctx.Err())
	}
}

// followDoor is Follow for a caller that holds the door.
func (c *Core) followDoor(ctx context.Context) error {
	n, err := c.news(ctx, c.followState)
	if err != nil || n.now == c.followState {
		return err
	}
	ix := c.index.Load()
	ready, unready := ix.Prepare(ctx, n.nodes)
	return c.take(ctx, n, ix, ready, unready)
}

// news reads what was committed after a version.
func (c *Core) news(ctx context.Context, from followState) (*news, error) {
	info, err := c.store.Info(ctx)
	if err != nil {
		return nil, fmt.Errorf("follow: %w", err)
	}
	n := &news{now: followState{info.Version, info.Entries, 0}}
	if s, ok := c.store.(store.Shared); ok {
		n.now.anew = s.Following().Anew
	}
	if n.now == from {
		return n, nil
	}
	n.rebuild = n.now.anew != from.anew || info.Version < from.version || info.Entries < from.entries
	if n.rebuild {
		return n, nil
	}
	for commit, err := range c.store.Changes(ctx, from.version) {
		if errors.Is(err, store.ErrCompacted) {
			n.rebuild, n.nodes = true, nil
			return n, nil
		}
		if err != nil {
			return nil, fmt.Errorf("follow: %w", err)
		}
		n.batch.Changes = append(n.batch.Changes, commit.Changes...)
		n.now.version = max(n.now.version, commit.Version)
	}
	for i := range n.batch.Changes {
		n.nodes = append(n.nodes, n.batch.Changes[i].Node)
	}
	for e, err := range c.store.Ledger(ctx, from.entries) {
		if err != nil {
			return nil, fmt.Errorf("follow: %w", err)
		}
		n.batch.Entries = append(n.batch.Entries, e)
		n.now.entries = max(n.now.entries, e.Seq)
		n.rebuild = n.rebuild || e.Act != nil && e.Act.Purged
	}
	return n, nil
}

// take announces news and brings them into the index. The caller holds the door.
func (c *Core) take(ctx context.Context, n *news, ix *retrieval.Index, ready *retrieval.Prepared, unready error) error {
	ctx = context.WithoutCancel(ctx) // what was followed is not read again
	c.followState = n.now
	if n.rebuild {
		n.batch.Purge = &store.Purge{} // whatever was derived may be of another tree
		c.suspects.forget()
		c.banned.forget()
		c.purges.Add(1)
	}
	c.announce(&n.batch, n.nodes)
	if n.rebuild || spoken(&n.batch, n.nodes) {
		if err := c.openRefused(ctx); err != nil {
			return err
		}
	}
	if n.rebuild && !c.o.ReadOnly {
		return c.buildIndex(ctx)
	}
	if n.rebuild {
		c.mendIndex(ctx) // until then the index finds what the store has no more, which is not given
	}
	if len(n.nodes) == 0 {
		return nil
	}
	return c.reindex(ctx, n.now.version, n.nodes, ix, ready, unready)
}
