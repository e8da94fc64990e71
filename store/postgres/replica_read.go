package postgres

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"slices"

	"github.com/tidwall/btree"

	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/tree"
)

// Get returns the node with an id from memory. See store.Store.
func (r *Replica) Get(ctx context.Context, id string) (n tree.Node, err error) {
	if err := r.usable(ctx); err != nil {
		return n, fmt.Errorf("get %.64s: %w", id, err)
	}
	r.mu.RLock()
	h, ok := r.nodes.Get(id)
	r.mu.RUnlock()
	if !ok {
		return n, fmt.Errorf("get %.64q: %w", id, tree.ErrNotFound)
	}
	return n, json.Unmarshal(h.raw, &n)
}

// Info returns version and counts of the tree as far as r has read the database. See store.Store.
func (r *Replica) Info(ctx context.Context) (store.Info, error) {
	if err := r.usable(ctx); err != nil {
		return store.Info{}, fmt.Errorf("info: %w", err)
	}
	if now := r.accepts.Load(); now != r.counted.Load() && r.isAway() == nil {
		if err := r.poll(ctx); err != nil && ctx.Err() != nil {
			return store.Info{}, fmt.Errorf("info: %w", err)
		}
		r.counted.Store(now) // after the poll, so that no other question meanwhile has the counts of before
	}
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.info, nil
}

// Scan yields the nodes that f selects, from memory, sorted by id. See store.Store.
func (r *Replica) Scan(ctx context.Context, f store.Filter) iter.Seq2[tree.Node, error] {
	return func(yield func(tree.Node, error) bool) {
		err := r.usable(ctx)
		if err != nil {
			yield(tree.Node{}, fmt.Errorf("scan: %w", err))
			return
		}
		nodes := r.snapshot()
		nodes.Ascend(f.After, func(_ string, h *cachedNode) bool {
			if !f.Match(&h.node) {
				return true
			}
			var n tree.Node
			if err = r.usable(ctx); err == nil {
				err = json.Unmarshal(h.raw, &n)
			}
			if err != nil {
				yield(tree.Node{}, fmt.Errorf("scan: %w", err))
				return false
			}
			return yield(n, nil)
		})
	}
}

// snapshot returns the nodes as they are now. It costs the same for any number of them.
func (r *Replica) snapshot() *btree.Map[string, *cachedNode] {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.nodes.Copy()
}

// Ledger yields the entries of the ledger after a sequence number, 0 for all. The newest are in memory; older ones
// come from the database. See store.Store.
func (r *Replica) Ledger(ctx context.Context, after uint64) iter.Seq2[ledger.Entry, error] {
	return func(yield func(ledger.Entry, error) bool) {
		rows, ok, err := r.recent(ctx, &r.entries, after)
		if err == nil && !ok {
			r.below.Ledger(ctx, after)(yield)
			return
		}
		yieldRows(rows, err, "read the ledger", yield, func(_ uint64, e *ledger.Entry) any { return e })
	}
}

// DeadLetters yields the dead letters in the database. See store.Store.
func (r *Replica) DeadLetters(ctx context.Context) iter.Seq2[store.DeadLetter, error] {
	if err := r.usable(ctx); err != nil {
		return func(yield func(store.DeadLetter, error) bool) { yield(store.DeadLetter{}, err) }
	}
	return r.below.DeadLetters(ctx)
}

// Changes yields the commits that changed nodes, after a version. The newest are in memory; older ones come from the
// database. See store.Store.
func (r *Replica) Changes(ctx context.Context, after uint64) iter.Seq2[store.Commit, error] {
	return func(yield func(store.Commit, error) bool) {
		rows, ok, err := r.recent(ctx, &r.commits, after)
		if err == nil && !ok {
			r.below.Changes(ctx, after)(yield)
			return
		}
		yieldRows(rows, err, "read the changes", yield, func(n uint64, c *store.Commit) any {
			c.Version = n
			return &c.Changes
		})
	}
}

// recent returns the rows of a list after a number, false if some of them are not in memory.
func (r *Replica) recent(ctx context.Context, of *recentCommits, after uint64) ([]feedRow, bool, error) {
	if err := r.usable(ctx); err != nil {
		return nil, false, err
	}
	r.mu.RLock()
	defer r.mu.RUnlock()
	i, _ := slices.BinarySearchFunc(of.rows, after+1, func(x feedRow, n uint64) int { return cmp.Compare(x.N, n) })
	return of.rows[i:], after >= of.from, nil
}

// yieldRows decodes rows into what into returns of a value, and yields the values.
func yieldRows[T any](rows []feedRow, err error, doing string, yield func(T, error) bool,
	into func(n uint64, v *T) any) {
	for _, row := range rows {
		var v T
		if err = json.Unmarshal(row.JSON, into(row.N, &v)); err != nil {
			break
		}
		if !yield(v, nil) {
			return
		}
	}
	if err != nil {
		var none T
		yield(none, fmt.Errorf("%s: %w", doing, err))
	}
}
