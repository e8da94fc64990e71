package core

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"

	"github.com/memtree/memtree/retrieval"
	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/transfer"
	"github.com/memtree/memtree/tree"
)

// Quarantine builds an index of the imports that wait for a person, and of nothing else. The imports have an index of
// their own, so that they affect no other result.
func (c *Core) Quarantine(ctx context.Context) (*retrieval.Index, error) {
	waiting, err := transfer.Waiting(ctx, c.store)
	if err != nil {
		return nil, err
	}
	return c.indexOf(ctx, slices.Collect(maps.Values(waiting)))
}

// indexOf returns an index of nodes that are not in use, for searches among them alone.
func (c *Core) indexOf(ctx context.Context, nodes []tree.Node) (*retrieval.Index, error) {
	for i := range nodes {
		nodes[i].Status = tree.Probation // so that the index finds it; the stored node is unchanged
	}
	slices.SortFunc(nodes, func(a, b tree.Node) int { return cmp.Compare(a.ID, b.ID) })
	ix := retrieval.New(c.o.Taxonomy, c.embedder)
	return ix, ix.Update(ctx, 0, nodes)
}

// Trusted returns the store as learning reads it: Scan and Get omit imports that wait for a person.
func (c *Core) Trusted() store.Store { return trusted{c.store} }

// trusted is the tree without waiting imports. With them, a sender could prevent this tree from learning something by
// sending it first.
type trusted struct{ store.Store }

// Scan omits waiting imports. It implements evolution.Scanner.
func (t trusted) Scan(ctx context.Context, f store.Filter) iter.Seq2[tree.Node, error] {
	return func(yield func(tree.Node, error) bool) {
		for n, err := range t.Store.Scan(ctx, f) {
			if err == nil && transfer.Waits(&n) {
				continue
			}
			if !yield(n, err) {
				return
			}
		}
	}
}

// Get returns tree.ErrNotFound for a waiting import.
func (t trusted) Get(ctx context.Context, id string) (tree.Node, error) {
	n, err := t.Store.Get(ctx, id)
	if err == nil && transfer.Waits(&n) {
		return tree.Node{}, fmt.Errorf("get %s: %w", id, tree.ErrNotFound)
	}
	return n, err
}

// Displace adapts changes so that newly learned nodes replace waiting imports with the same ids. It adds changes of
// other waiting imports, which remove their links to the changed nodes where these no longer fit. If changes affect no
// waiting import, it returns them as they are.
func (c *Core) Displace(ctx context.Context, changes []tree.Change) ([]tree.Change, error) {
	taken, moved := map[string]tree.Node{}, false
	for i := range changes {
		x := &changes[i]
		if x.Basis[x.Node.ID] != 0 && x.Op != tree.OpRevise {
			continue
		}
		n, err := c.store.Get(ctx, x.Node.ID)
		if errors.Is(err, tree.ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if transfer.Waits(&n) {
			taken[n.ID] = n
		}
		moved = moved || n.ErrorType != x.Node.ErrorType
	}
	if len(taken) == 0 && !moved {
		return changes, nil
	}
	waiting, err := transfer.Waiting(ctx, c.store)
	if err != nil {
		return nil, err
	}
	return transfer.Displace(changes, taken, waiting), nil
}
