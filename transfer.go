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

// ExportOptions say what leaves. The zero value, and nil, are everything that is
// not archived and not an import that waits to be promoted.
type ExportOptions struct {
	transfer.Choice      // its Redactor is not looked at
	Redact          bool // take secrets, addresses and names out, in the file alone
}

// Export chooses what leaves and says what that is; transfer.Write writes the
// selection's Nodes. Nothing is changed here.
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

// redactor finds secrets as recording does.
type redactor struct{}

func (redactor) Text(s string) (string, int) { return formation.RedactText(s) }

func (redactor) JSON(r tree.Raw) (tree.Raw, int) {
	e, n := formation.Redact(tree.Evaluation{GroundTruth: r})
	return e.GroundTruth, n
}

// ImportOptions say how far what comes is trusted. The zero value, and nil, are
// for somebody else's file: what it brings waits in quarantine.
type ImportOptions struct {
	DryRun bool // plan, write nothing
	Trust  bool // one's own backup or branch: in use at once, merged with what is here
}

// importBatch bounds the bytes of nodes in one commit of an import.
const importBatch = 2 << 20

// Import takes nodes, such as those of a transfer.File, into the tree. Nothing is
// written before they ended without an error, so that a file that is not whole
// changes nothing; and what breaks a law of the tree is left out and listed.
// Importing the same twice changes nothing. nodes is ranged over again when
// somebody changed the tree meanwhile.
func (m *Memory) Import(ctx context.Context, nodes iter.Seq2[tree.Node, error], o *ImportOptions) (transfer.Plan, error) {
	if o == nil {
		o = &ImportOptions{}
	}
	if m.opts.ReadOnly && !o.DryRun {
		return transfer.Plan{}, fmt.Errorf("import: %w", tree.ErrReadOnly)
	}
	var plan transfer.Plan
	var err error
	for try := range formRetries {
		if plan, err = m.importOnce(ctx, nodes, o); !errors.Is(err, tree.ErrConflict) {
			break
		}
		m.counts.conflicts.Add(1)
		m.opts.Logger.Debug("plan was stale, planning again", "try", try+1)
	}
	if err != nil {
		return transfer.Plan{}, fmt.Errorf("import: %w", err)
	}
	return plan, nil
}

func (m *Memory) importOnce(ctx context.Context, nodes iter.Seq2[tree.Node, error], o *ImportOptions) (_ transfer.Plan, err error) {
	p := transfer.NewPlanner(m.store, transfer.PlanOptions{Trust: o.Trust, Origin: m.origin.ID})
	defer func() { err = errors.Join(err, p.Close()) }()
	for n, err := range nodes {
		if err == nil {
			err = p.Add(ctx, n)
		}
		if err != nil {
			return transfer.Plan{}, err
		}
	}
	plan, err := p.Plan(ctx)
	if err != nil || o.DryRun {
		return plan, err
	}
	for changes, err := range p.Batches(importBatch) {
		if err != nil {
			return transfer.Plan{}, err
		}
		if err := m.apply(ctx, tree.Batch{Changes: changes}); err != nil {
			return transfer.Plan{}, err
		}
	}
	return plan, nil
}

// PromoteOptions name what is let out of quarantine: nodes, or all of an error
// type or an origin. Without any of them nothing is.
type PromoteOptions struct {
	IDs       []string
	ErrorType string
	Origin    string // id or label
	DryRun    bool
	By        string // the person who says so; "": a person
}

// Promoted is what a promotion did, or with DryRun would do.
type Promoted struct {
	Changes []tree.Change `json:"changes"`
	Refused []tree.Node   `json:"refused"` // rest on nothing that is here, or are out of use where they come from
}

// Promote lets imported nodes be used, on probation, with the cases they rest on.
// It is a person's act: nothing else in memory calls it.
func (m *Memory) Promote(ctx context.Context, o PromoteOptions) (Promoted, error) {
	out := Promoted{Changes: []tree.Change{}, Refused: []tree.Node{}}
	if m.opts.ReadOnly && !o.DryRun {
		return out, fmt.Errorf("promote: %w", tree.ErrReadOnly)
	}
	var waiting map[string]tree.Node
	var err error
	if waiting, err = m.waiting(ctx); err != nil {
		return out, fmt.Errorf("promote: %w", err)
	}
	changes, refused := transfer.Promote(waiting, func(n *tree.Node) bool {
		byKind := (o.ErrorType != "" || o.Origin != "") &&
			(o.ErrorType == "" || n.ErrorType == o.ErrorType) && (o.Origin == "" || n.Origin.ID == o.Origin || n.Origin.Label == o.Origin)
		return byKind || slices.Contains(o.IDs, n.ID)
	}, o.By)
	out.Changes, out.Refused = append(out.Changes, changes...), append(out.Refused, refused...)
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

// waiting returns the imports that nobody has promoted.
func (m *Memory) waiting(ctx context.Context) (map[string]tree.Node, error) {
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

// ExplainQuarantined answers as Explain does from the imports that wait alone:
// what they would have to say. It has an index of its own, so that what waits
// has no part in any other answer.
func (m *Memory) ExplainQuarantined(ctx context.Context, q Query) (Explanation, error) {
	waiting, err := m.waiting(ctx)
	if err != nil {
		return Explanation{}, fmt.Errorf("explain: %w", err)
	}
	ix := retrieval.New(m.taxonomy, m.opts.Embedder)
	batch := make([]tree.Node, 0, len(waiting))
	for _, n := range waiting {
		n.Status = tree.Probation // here it may be found
		batch = append(batch, n)
	}
	slices.SortFunc(batch, func(a, b tree.Node) int { return cmp.Compare(a.ID, b.ID) })
	if err := ix.Update(ctx, 0, batch); err != nil {
		return Explanation{}, fmt.Errorf("explain: %w", err)
	}
	x, err := m.answer(ctx, q, func(_ *retrieval.Index, ctx context.Context, q retrieval.Query) (retrieval.Result, error) {
		return ix.Explain(ctx, q)
	})
	if err != nil {
		return Explanation{}, fmt.Errorf("explain: %w", err)
	}
	return x, nil
}

// trusted is the tree as those see it who learn: without imports that wait. So
// nobody can keep this tree from learning something by sending it first.
type trusted struct{ tree.Store }

// Scan implements evolution.View.
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

// Get hides imports that wait.
func (t trusted) Get(ctx context.Context, id string) (tree.Node, error) {
	n, err := t.Store.Get(ctx, id)
	if err == nil && transfer.Waits(&n) {
		return tree.Node{}, fmt.Errorf("get %s: %w", id, tree.ErrNotFound)
	}
	return n, err
}

// displace plans additions again on the imports that wait under the same ids:
// what was learned here takes their place. What waits lets go of that, and of
// nodes that get another error type.
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
	waiting, err := m.waiting(ctx)
	if err != nil {
		return nil, err
	}
	return transfer.Displace(changes, taken, waiting), nil
}
