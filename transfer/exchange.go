package transfer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/tree"
)

// treeDoor is the access of an Exchange to a memory: to read nodes, and the one way to change them.
type treeDoor interface {
	Tree
	// Apply makes changes durable, all or none. If a node has changed since they were planned, the error is
	// store.ErrConflict.
	Apply(ctx context.Context, changes []tree.Change) error
	// UntilFresh calls plan, which plans changes and applies them, and calls plan again after a store.ErrConflict.
	UntilFresh(plan func() error) error
	// Redactor returns the Redactor for redacted exports.
	Redactor() Redactor
	// Origin is the id of the tree.
	Origin() string
	// Tally counts the right and wrong verdicts on a product, or on all products for "".
	Tally(ctx context.Context, product string) (*ledger.Tally, error)
	// Facts returns the facts in use about a product, or about all products for "".
	Facts(ctx context.Context, product string) ([]ledger.Statement, error)
	// Believe stores the tally of another tree; one without rows removes the earlier one.
	Believe(ctx context.Context, t *ledger.Tally) error
	// Labelled returns, by evaluation that a person labelled, the case that it is in, "" for none.
	Labelled(ctx context.Context) (map[string]string, error)
	// ReadOnly reports whether nothing may be written.
	ReadOnly() bool
}

// Exchange exports nodes of one memory, imports nodes into it, and promotes imported nodes out of quarantine.
type Exchange struct{ door treeDoor }

// NewExchange returns the Exchange of the memory behind door.
func NewExchange(door treeDoor) *Exchange { return &Exchange{door} }

// ExportOptions selects what to export. Nil and the zero value select the nodes of a zero ExportChoice, and all facts
// whose state is active.
type ExportOptions struct {
	ExportChoice      // its Redactor is ignored: see Redact
	Risk         bool // include how many verdicts of each judge, product and scene type were right
	Redact       bool // remove secrets, addresses and names; omit facts, and also cases unless Cases is set
	Cases        bool // with Redact: include cases, redacted

	// NoFacts omits the facts about products. Export also omits them with Redact, and if the choice is by error
	// type, level, confidence, time, suite or test.
	NoFacts bool
}

// ImportOptions sets how far an import is trusted. Nil and the zero value trust nothing: new nodes go into quarantine.
type ImportOptions struct {
	DryRun bool // return the plan and write nothing
	Trust  bool // a backup or branch of one's own: use it at once and merge it with the nodes here
}

// importBatch is the approximate size of the nodes in one commit of an import, in bytes.
const importBatch = 2 << 20

// Export selects the nodes to export and returns the selection with its summary. Pass its Nodes and Beside to Write.
// The error for a MinConfidence outside 0 to 1 is a *tree.FieldError.
func (x *Exchange) Export(ctx context.Context, o *ExportOptions) (*Selection, error) {
	c := ExportChoice{}
	if o != nil {
		c = o.ExportChoice
		if c.Redactor = nil; o.Redact {
			c.Redactor = x.door.Redactor()
			c.NoCases = c.NoCases || !o.Cases
		}
	}
	if !(c.MinConfidence >= 0 && c.MinConfidence <= 1) { // also NaN
		return nil, &tree.FieldError{Field: "minConfidence", Problem: "is no confidence; use a number from 0 to 1"}
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
	if withFacts(o) {
		if s.Facts, err = x.door.Facts(ctx, c.Scope.Product); err != nil {
			return nil, fmt.Errorf("export: %w", err)
		}
		slices.SortFunc(s.Facts, byID)
	}
	return s, nil
}

// withFacts reports whether the facts leave with the nodes.
func withFacts(o *ExportOptions) bool {
	return o == nil || !o.NoFacts && !o.Redact && len(o.ErrorTypes) == 0 && o.Level == 0 && o.MinConfidence == 0 &&
		o.Since.IsZero() && o.Scope.Suite == "" && o.Scope.Test == ""
}

// redactTally removes the rows that name a product, or hold a secret or an address.
func redactTally(t *ledger.Tally, by Redactor) {
	t.Rows = slices.DeleteFunc(t.Rows, func(row ledger.TallyRow) bool {
		r := &redaction{by: by}
		r.machine(&row.Name, &row.Model)
		return row.Of == ledger.OfProduct || r.found > 0
	})
}

// ErrOwnRisk is the error of Exchange.Believe for a tally of the tree itself, which knows its own verdicts.
var ErrOwnRisk = errors.New("these are the verdicts of this tree itself")

// Believe stores another tree's tally of right and wrong verdicts, in place of an earlier one of that tree. It affects
// the order in which a person reviews verdicts, until this tree's own labels outweigh it.
func (x *Exchange) Believe(ctx context.Context, t *ledger.Tally) error {
	err := t.Check()
	switch {
	case err != nil:
	case t.Origin == x.door.Origin():
		err = ErrOwnRisk
	case x.door.ReadOnly():
		err = store.ErrReadOnly
	default:
		err = x.door.Believe(ctx, t)
	}
	if err != nil {
		return fmt.Errorf("import what was counted of verdicts: %w", err)
	}
	return nil
}

// Forget removes the tally of the tree with the id origin.
func (x *Exchange) Forget(ctx context.Context, origin string) error {
	return x.Believe(ctx, &ledger.Tally{Origin: origin, Rows: []ledger.TallyRow{}})
}

// Import puts nodes, such as those of a File, into quarantine, or with Trust into use. It writes nothing before the
// sequence has ended without an error. Nodes that break a law of the tree are left out, and listed in the plan. If the
// tree changes meanwhile, Import ranges over the nodes again. An error while it writes may leave part of them imported.
func (x *Exchange) Import(
	ctx context.Context, nodes iter.Seq2[tree.Node, error], o *ImportOptions,
) (ImportPlan, error) {
	o = cmp.Or(o, &ImportOptions{})
	if x.door.ReadOnly() && !o.DryRun {
		return ImportPlan{}, fmt.Errorf("import: %w", store.ErrReadOnly)
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

// importOnce plans an import on the present tree, and applies it unless it is a dry run.
func (x *Exchange) importOnce(
	ctx context.Context, nodes iter.Seq2[tree.Node, error], o *ImportOptions,
) (_ ImportPlan, err error) {
	labelled, err := x.door.Labelled(ctx)
	if err != nil {
		return ImportPlan{}, err
	}
	p := NewPlanner(x.door, PlannerOptions{Trust: o.Trust, Origin: x.door.Origin(), Labelled: labelled})
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

// Promote releases imported nodes from quarantine: they are used, on probation, with the cases they rest on. Call it
// only for a person who decided so; memtree never promotes by itself. If one of the IDs names no node that waits, the
// error is a *tree.FieldError, and nothing is promoted.
func (x *Exchange) Promote(ctx context.Context, o *PromoteOptions) (Promotion, error) {
	o = cmp.Or(o, &PromoteOptions{})
	out := Promotion{Changes: []tree.Change{}, Refused: []tree.Node{}}
	if x.door.ReadOnly() && !o.DryRun {
		return out, fmt.Errorf("promote: %w", store.ErrReadOnly)
	}
	waiting, err := Waiting(ctx, x.door)
	if err != nil {
		return out, fmt.Errorf("promote: %w", err)
	}
	for i, id := range o.IDs {
		if _, ok := waiting[id]; !ok {
			return out, x.notWaiting(ctx, i, id)
		}
	}
	out = Promote(waiting, *o)
	if o.DryRun {
		return out, nil
	}
	for _, changes := range changeFamilies(out.Changes, importBatch) {
		if err := x.door.Apply(ctx, changes); err != nil {
			return out, fmt.Errorf("promote: %w", err)
		}
	}
	return out, nil
}

// notWaiting returns the error for the i-th id of a promotion, which names no node that waits.
func (x *Exchange) notWaiting(ctx context.Context, i int, id string) error {
	n, err := x.door.Get(ctx, id)
	problem := ""
	switch {
	case errors.Is(err, tree.ErrNotFound):
		problem = fmt.Sprintf("is %.80q, and no memory has this id", id)
	case err != nil:
		return fmt.Errorf("promote: %w", err)
	case n.Entombed():
		problem = fmt.Sprintf("is %s, which a person banned or forgot here; undo that first", id)
	default:
		problem = fmt.Sprintf("is %s, which does not wait in quarantine: it is %s", id, n.Standing())
	}
	return &tree.FieldError{Field: fmt.Sprintf("ids[%d]", i), Problem: problem}
}

// Waiting returns the imports in view that wait in quarantine (see Waits), by id.
func Waiting(ctx context.Context, view Tree) (map[string]tree.Node, error) {
	out := map[string]tree.Node{}
	for n, err := range view.Scan(ctx, store.Filter{Status: tree.Quarantined}) {
		if err != nil {
			return nil, err
		}
		if Waits(&n) {
			out[n.ID] = n
		}
	}
	return out, nil
}
