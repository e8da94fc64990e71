package memtree

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/memtree/memtree/formation"
	"github.com/memtree/memtree/retrieval"
	"github.com/memtree/memtree/transfer"
	"github.com/memtree/memtree/tree"
)

// ExportOptions say what leaves. Nil, and the zero value, are all that is in use.
type ExportOptions struct {
	transfer.Choice      // but for its Redactor
	Redact          bool // take secrets, addresses and names out, in the file alone
}

// Export chooses what leaves and says what that is; transfer.Write writes the selection's
// Nodes. Advanced.
func (m *Memory) Export(ctx context.Context, o *ExportOptions) (*transfer.Selection, error) {
	c := transfer.Choice{}
	if o != nil {
		c = o.Choice
		if c.Redactor = nil; o.Redact {
			c.Redactor = redactor{}
		}
	}
	s, err := transfer.Choose(ctx, m.store, c)
	if err != nil {
		return nil, fmt.Errorf("export: %w", err)
	}
	return s, nil
}

// redactor removes the same secrets from an export as Record removes.
type redactor struct{}

func (redactor) Text(s string) (string, int) { return formation.RedactText(s) }

func (redactor) JSON(r tree.Raw) (tree.Raw, int) {
	e, n := formation.Redact(tree.Evaluation{GroundTruth: r})
	return e.GroundTruth, n
}

// ImportOptions say how far what comes is trusted. Nil, and the zero value, have it wait.
type ImportOptions struct {
	DryRun bool // plan, write nothing
	Trust  bool // a backup or branch of one's own: in use at once, merged with what is here
}

// importBatch is about how many bytes of nodes one commit of an import has.
const importBatch = 2 << 20

// Import takes nodes, such as those of a transfer.File, into quarantine. Nothing is written
// before they ended without an error; what breaks a law of the tree is left out and listed.
// They are ranged over again when somebody changed the tree meanwhile. Advanced.
func (m *Memory) Import(
	ctx context.Context, nodes iter.Seq2[tree.Node, error], o *ImportOptions,
) (transfer.ImportPlan, error) {
	if o == nil {
		o = &ImportOptions{}
	}
	if m.opts.ReadOnly && !o.DryRun {
		return transfer.ImportPlan{}, fmt.Errorf("import: %w", tree.ErrReadOnly)
	}
	var plan transfer.ImportPlan
	var err error
	if err = m.untilFresh(func() error {
		plan, err = m.importOnce(ctx, nodes, o)
		return err
	}); err != nil {
		return transfer.ImportPlan{}, fmt.Errorf("import: %w", err)
	}
	return plan, nil
}

// importOnce plans an import on the tree as it is now, and applies it unless it is a dry run.
func (m *Memory) importOnce(
	ctx context.Context, nodes iter.Seq2[tree.Node, error], o *ImportOptions,
) (_ transfer.ImportPlan, err error) {
	p := transfer.NewPlanner(m.store, transfer.PlannerOptions{Trust: o.Trust, Origin: m.origin.ID})
	defer func() { err = errors.Join(err, p.Close()) }()
	for n, err := range nodes {
		if err == nil {
			err = p.Add(ctx, n)
		}
		if err != nil {
			return transfer.ImportPlan{}, err
		}
	}
	plan, err := p.Plan(ctx)
	if err != nil || o.DryRun {
		return plan, err
	}
	for changes, err := range p.Batches(importBatch) {
		if err != nil {
			return transfer.ImportPlan{}, err
		}
		if err := m.apply(ctx, tree.Batch{Changes: changes}); err != nil {
			return transfer.ImportPlan{}, err
		}
	}
	return plan, nil
}

// Promote lets imported nodes be used, on probation, with the cases they rest on: a
// person's act, which nothing else in memory does. Advanced.
func (m *Memory) Promote(ctx context.Context, o *transfer.PromoteOptions) (transfer.Promotion, error) {
	if o == nil {
		o = &transfer.PromoteOptions{}
	}
	out := transfer.Promotion{Changes: []tree.Change{}, Refused: []tree.Node{}}
	if m.opts.ReadOnly && !o.DryRun {
		return out, fmt.Errorf("promote: %w", tree.ErrReadOnly)
	}
	waiting, err := m.waitingImports(ctx)
	if err != nil {
		return out, fmt.Errorf("promote: %w", err)
	}
	out = transfer.Promote(waiting, *o)
	if o.DryRun {
		return out, nil
	}
	for _, changes := range transfer.Families(out.Changes, importBatch) {
		if err := m.apply(ctx, tree.Batch{Changes: changes}); err != nil {
			return out, fmt.Errorf("promote: %w", err)
		}
	}
	return out, nil
}

// waitingImports returns the imported nodes that nobody has promoted yet, by id.
func (m *Memory) waitingImports(ctx context.Context) (map[string]tree.Node, error) {
	out := map[string]tree.Node{}
	for n, err := range m.store.Scan(ctx, tree.Filter{Status: tree.Quarantined}) {
		if err != nil {
			return nil, err
		}
		if transfer.Waits(&n) {
			out[n.ID] = n
		}
	}
	return out, nil
}

// quarantine returns an index of the waiting imports only. They have one of their own so that
// they have no part in any other answer.
func (m *Memory) quarantine(ctx context.Context) (*retrieval.Index, error) {
	waiting, err := m.waitingImports(ctx)
	if err != nil {
		return nil, err
	}
	batch := make([]tree.Node, 0, len(waiting))
	for _, n := range waiting {
		n.Status = tree.Probation // so that this index finds it; the store has the node unchanged
		batch = append(batch, n)
	}
	slices.SortFunc(batch, func(a, b tree.Node) int { return cmp.Compare(a.ID, b.ID) })
	ix := retrieval.New(m.taxonomy, m.opts.Embedder)
	return ix, ix.Update(ctx, 0, batch)
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
	waiting, err := m.waitingImports(ctx)
	if err != nil {
		return nil, err
	}
	return transfer.Displace(changes, taken, waiting), nil
}
