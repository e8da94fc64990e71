package memtree

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"

	"github.com/memtree/memtree/formation"
	"github.com/memtree/memtree/retrieval"
	"github.com/memtree/memtree/transfer"
	"github.com/memtree/memtree/tree"
)

// Transfer is how nodes travel: Export, Import into quarantine, and Promote out of it.
// Advanced.
func (m *Memory) Transfer() *transfer.Exchange { return transfer.NewExchange(door{m.store, m}) }

// door is what a transfer may do with a memory.
type door struct {
	transfer.Tree
	m *Memory
}

func (d door) Apply(ctx context.Context, changes []tree.Change) error {
	return d.m.apply(ctx, tree.Batch{Changes: changes})
}

func (d door) UntilFresh(plan func() error) error { return d.m.untilFresh(plan) }
func (d door) Redactor() transfer.Redactor        { return redactor{} }
func (d door) Origin() string                     { return d.m.origin.ID }
func (d door) Tally(ctx context.Context, product string) (*tree.Tally, error) {
	return d.m.tally(ctx, product)
}
func (d door) Believe(ctx context.Context, t *tree.Tally) error { return d.m.believe(ctx, t) }
func (d door) ReadOnly() bool                                   { return d.m.opts.ReadOnly }

// redactor removes the same secrets from an export as Record removes.
type redactor struct{}

func (redactor) Text(s string) (string, int) { return formation.RedactText(s) }

func (redactor) JSON(r tree.Raw) (tree.Raw, int) {
	e, n := formation.Redact(tree.Evaluation{GroundTruth: r})
	return e.GroundTruth, n
}

// quarantine returns an index of the waiting imports only. They have one of their own so that
// they have no part in any other answer.
func (m *Memory) quarantine(ctx context.Context) (*retrieval.Index, error) {
	waiting, err := transfer.Waiting(ctx, m.store)
	if err != nil {
		return nil, err
	}
	return m.indexOf(ctx, slices.Collect(maps.Values(waiting)))
}

// indexOf returns an index of nodes that are not in use, for a question about them alone.
func (m *Memory) indexOf(ctx context.Context, nodes []tree.Node) (*retrieval.Index, error) {
	for i := range nodes {
		nodes[i].Status = tree.Probation // so that the index finds it; the store has the node unchanged
	}
	slices.SortFunc(nodes, func(a, b tree.Node) int { return cmp.Compare(a.ID, b.ID) })
	ix := retrieval.New(m.taxonomy, m.opts.Embedder)
	return ix, ix.Update(ctx, 0, nodes)
}

// trusted is the tree as learning sees it, without waiting imports. Otherwise somebody could
// keep this tree from learning something by sending it first.
type trusted struct{ tree.Store }

// Scan implements evolution.Scanner.
func (t trusted) Scan(ctx context.Context, f tree.Filter) iter.Seq2[tree.Node, error] {
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

// displace changes a plan so that what was learned here takes the place of waiting imports with
// the same ids. The other waiting imports lose their links to these nodes, and to nodes that
// get another error type.
func (m *Memory) displace(ctx context.Context, changes []tree.Change) ([]tree.Change, error) {
	taken, moved := map[string]tree.Node{}, false
	for i := range changes {
		c := &changes[i]
		if c.Basis[c.Node.ID] != 0 && c.Op != tree.OpRevise {
			continue
		}
		n, err := m.store.Get(ctx, c.Node.ID)
		if errors.Is(err, tree.ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if transfer.Waits(&n) {
			taken[n.ID] = n
		}
		moved = moved || n.ErrorType != c.Node.ErrorType
	}
	if len(taken) == 0 && !moved {
		return changes, nil
	}
	waiting, err := transfer.Waiting(ctx, m.store)
	if err != nil {
		return nil, err
	}
	return transfer.Displace(changes, taken, waiting), nil
}
