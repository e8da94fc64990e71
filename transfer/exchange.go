package transfer

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/memtree/memtree/tree"
)

// Door is what an Exchange needs of the memory whose nodes travel: to read them, and the
// one way to change them.
type Door interface {
	Tree
	// Apply makes changes durable, all or none. If a node is not what they were planned on
	// any more, the error is tree.ErrConflict.
	Apply(ctx context.Context, changes []tree.Change) error
	// UntilFresh calls plan, which plans and applies, again while that error comes.
	UntilFresh(plan func() error) error
	// Redactor finds secrets.
	Redactor() Redactor
	// Origin is the id of the tree.
	Origin() string
	// Tally counts the verdicts of a product; "": of all.
	Tally(ctx context.Context, product string) (*tree.Tally, error)
	// Believe keeps what another tree counted; one without rows takes out what it said before.
	Believe(ctx context.Context, t *tree.Tally) error
	// ReadOnly reports whether nothing may be written.
	ReadOnly() bool
}

// Exchange is what nodes travel by: out of one tree, into another, and out of its
// quarantine.
type Exchange struct{ door Door }

// NewExchange returns the Exchange of a memory.
func NewExchange(door Door) *Exchange { return &Exchange{door} }

// ExportOptions say what leaves. Nil, and the zero value, are all that is in use.
type ExportOptions struct {
	Choice      // but for its Redactor
	Risk   bool // say how many verdicts of each judge, product and type of scene were right
	Redact bool // take secrets, addresses and names out, in the file alone
}

// ImportOptions say how far what comes is trusted. Nil, and the zero value, have it wait.
type ImportOptions struct {
	DryRun bool // plan, write nothing
	Trust  bool // a backup or branch of one's own: in use at once, merged with what is here
}

// importBatch is about how many bytes of nodes one commit of an import has.
const importBatch = 2 << 20

// Export chooses what leaves and says what that is; Write writes the selection's Nodes.
func (x *Exchange) Export(ctx context.Context, o *ExportOptions) (*Selection, error) {
	c := Choice{}
	if o != nil {
		c = o.Choice
		if c.Redactor = nil; o.Redact {
			c.Redactor = x.door.Redactor()
		}
	}
	s, err := choose(ctx, x.door, c)
	if err != nil {
		return nil, fmt.Errorf("export: %w", err)
	}
	if o != nil && o.Risk {
		if s.Risk, err = x.door.Tally(ctx, c.Scope.Product); err != nil {
			return nil, fmt.Errorf("export: %w", err)
		}
		if c.Redactor != nil {
			redactTally(s.Risk, c.Redactor)
		}
	}
	return s, nil
}

// redactTally removes the rows that name a product, or hold a secret or an address.
func redactTally(t *tree.Tally, by Redactor) {
	t.Rows = slices.DeleteFunc(t.Rows, func(row tree.Row) bool {
		r := &redaction{by: by}
		r.machine(&row.Name, &row.Model)
		return row.Of == tree.OfProduct || r.found > 0
	})
}

// ErrOwnRisk says that a tally is of this very tree, which knows its own verdicts.
var ErrOwnRisk = errors.New("these are the verdicts of this tree itself")

// Believe takes over what another tree counted of its verdicts, in the place of what it said
// before. It changes in which order verdicts are read until own truths outweigh it.
func (x *Exchange) Believe(ctx context.Context, t *tree.Tally) error {
	err := t.Check()
	switch {
	case err != nil:
	case t.Origin == x.door.Origin():
		err = ErrOwnRisk
	case x.door.ReadOnly():
		err = tree.ErrReadOnly
	default:
		err = x.door.Believe(ctx, t)
	}
	if err != nil {
		return fmt.Errorf("import what was counted of verdicts: %w", err)
	}
	return nil
}

// Forget takes out what the tree with this id said.
func (x *Exchange) Forget(ctx context.Context, origin string) error {
	return x.Believe(ctx, &tree.Tally{Origin: origin, Rows: []tree.Row{}})
}

// Import takes nodes, such as those of a File, into quarantine. Nothing is written before
// they ended without an error; what breaks a law of the tree is left out and listed. They
// are ranged over again when somebody changed the tree meanwhile.
func (x *Exchange) Import(
	ctx context.Context, nodes iter.Seq2[tree.Node, error], o *ImportOptions,
) (ImportPlan, error) {
	if o == nil {
		o = &ImportOptions{}
	}
	if x.door.ReadOnly() && !o.DryRun {
		return ImportPlan{}, fmt.Errorf("import: %w", tree.ErrReadOnly)
	}
	var plan ImportPlan
	var err error
	if err = x.door.UntilFresh(func() error {
		plan, err = x.importOnce(ctx, nodes, o)
		return err
	}); err != nil {
		return ImportPlan{}, fmt.Errorf("import: %w", err)
	}
	return plan, nil
}

// importOnce plans an import on the tree as it is now, and applies it unless it is a dry run.
func (x *Exchange) importOnce(
	ctx context.Context, nodes iter.Seq2[tree.Node, error], o *ImportOptions,
) (_ ImportPlan, err error) {
	p := NewPlanner(x.door, PlannerOptions{Trust: o.Trust, Origin: x.door.Origin()})
	defer func() { err = errors.Join(err, p.Close()) }()
	for n, err := range nodes {
		if err == nil {
			err = p.Add(ctx, n)
		}
		if err != nil {
			return ImportPlan{}, err
		}
	}
	plan, err := p.Plan(ctx)
	if err != nil || o.DryRun {
		return plan, err
	}
	for changes, err := range p.Batches(importBatch) {
		if err != nil {
			return ImportPlan{}, err
		}
		if err := x.door.Apply(ctx, changes); err != nil {
			return ImportPlan{}, err
		}
	}
	return plan, nil
}

// Promote lets imported nodes be used, on probation, with the cases they rest on: a
// person's act, which nothing else in memory does.
func (x *Exchange) Promote(ctx context.Context, o *PromoteOptions) (Promotion, error) {
	if o == nil {
		o = &PromoteOptions{}
	}
	out := Promotion{Changes: []tree.Change{}, Refused: []tree.Node{}}
	if x.door.ReadOnly() && !o.DryRun {
		return out, fmt.Errorf("promote: %w", tree.ErrReadOnly)
	}
	waiting, err := Waiting(ctx, x.door)
	if err != nil {
		return out, fmt.Errorf("promote: %w", err)
	}
	out = Promote(waiting, *o)
	if o.DryRun {
		return out, nil
	}
	for _, changes := range Families(out.Changes, importBatch) {
		if err := x.door.Apply(ctx, changes); err != nil {
			return out, fmt.Errorf("promote: %w", err)
		}
	}
	return out, nil
}

// Waiting returns the imported nodes that nobody has promoted yet, by id.
func Waiting(ctx context.Context, view Tree) (map[string]tree.Node, error) {
	out := map[string]tree.Node{}
	for n, err := range view.Scan(ctx, tree.Filter{Status: tree.Quarantined}) {
		if err != nil {
			return nil, err
		}
		if Waits(&n) {
			out[n.ID] = n
		}
	}
	return out, nil
}
