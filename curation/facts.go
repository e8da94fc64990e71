package curation

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/memtree/memtree/knowledge"
	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/tree"
)

// The kinds of decisions on facts only. Edit and forget are decisions on facts and on memories.
const (
	DecisionState      tree.DecisionKind = "state"      // the fact holds
	DecisionConfirm    tree.DecisionKind = "confirm"    // the fact still holds
	DecisionContradict tree.DecisionKind = "contradict" // the fact does not hold
	DecisionSettle     tree.DecisionKind = "settle"     // the fact holds, and what contradicted it does not
)

// KnowFact states a fact about the product, which runs receive from then on. Stating it again with other pages adds
// these pages. If other facts contradict it, DecisionResult.Fact.Against names them. Runs then receive neither the fact
// nor these, until a person confirms them or settles one.
func (c *Curation) KnowFact(ctx context.Context, s ledger.Statement, o Options) (DecisionResult, error) {
	return c.know(ctx, DecisionState, "", o, func(b *knowledge.Base, k *ledger.FactEntry) (int, error) {
		says, redacted, err := knowledge.Clean(s, c.door.Secrets)
		if err != nil {
			return 0, err
		}
		k.Fact, k.Says = says.ID(), &says
		f, known := b.Get(k.Fact, c.door.Now())
		if !known && b.Len() >= knowledge.MostFacts {
			return 0, &tree.FieldError{Field: "statement",
				Problem: fmt.Sprintf("is one more than the %d facts of a tree; forget some first", knowledge.MostFacts)}
		}
		if known && voted(&f, o.By, true) && f.State == knowledge.Active && covered(says.Pages, f.Pages) {
			return 0, &RefusedError{Said: DecisionState, ID: k.Fact, Why: Already}
		}
		return redacted, nil
	})
}

// ConfirmFact records that the fact with this id still holds. If the person has stated or confirmed the fact before,
// its trust does not rise. If another person contradicted the fact, ConfirmFact refuses it, but with Options.Over it
// does what SettleFact does with a fact that is disputed or archived.
func (c *Curation) ConfirmFact(ctx context.Context, id string, o Options) (DecisionResult, error) {
	if o.Over {
		d, err := c.SettleFact(ctx, id, o)
		if r, ok := errors.AsType[*RefusedError](err); !ok || r.Why != Uncontested {
			return d, err
		}
	}
	return c.decide(ctx, DecisionConfirm, id, o, func(f *knowledge.Fact) error {
		if voted(f, o.By, true) && f.State == knowledge.Active {
			return &RefusedError{Said: DecisionConfirm, ID: id, Why: Already}
		}
		return others(f, DecisionConfirm, o)
	})
}

// ContradictFact records that the fact with this id does not hold. No run receives it any more: it becomes disputed if
// another person stated or confirmed it, else archived.
func (c *Curation) ContradictFact(ctx context.Context, id string, o Options) (DecisionResult, error) {
	return c.decide(ctx, DecisionContradict, id, o, func(f *knowledge.Fact) error {
		if voted(f, o.By, false) {
			return &RefusedError{Said: DecisionContradict, ID: id, Why: Already}
		}
		return nil
	})
}

// SettleFact records that the fact with this id holds, and that the facts that contradict it do not. It refuses a fact
// that is neither disputed nor archived, and without Options.Over one that another person contradicted.
func (c *Curation) SettleFact(ctx context.Context, id string, o Options) (DecisionResult, error) {
	return c.decide(ctx, DecisionSettle, id, o, func(f *knowledge.Fact) error {
		if f.State != knowledge.Disputed && f.State != knowledge.Archived {
			return &RefusedError{Said: DecisionSettle, ID: id, Why: Uncontested}
		}
		return others(f, DecisionSettle, o)
	})
}

// ForgetFact takes the fact with this id out of use. Reading the notes that it came from does not find it
// again. With Options.Purge the store also loses its statement, the statements that it replaced, and all that people
// wrote about them.
func (c *Curation) ForgetFact(ctx context.Context, id string, o Options) (DecisionResult, error) {
	if o.Purge {
		return c.purgeFact(ctx, id, o)
	}
	return c.decide(ctx, tree.DecisionForget, id, o, func(f *knowledge.Fact) error {
		if f.State == knowledge.Archived {
			return &RefusedError{Said: tree.DecisionForget, ID: id, Why: Already}
		}
		return nil
	})
}

// purgeFact plans the purge of a fact and of those that it replaced, and has it applied.
func (c *Curation) purgeFact(ctx context.Context, id string, o Options) (DecisionResult, error) {
	return c.do(ctx, tree.DecisionForget, id, o, func() (*plan, error) {
		gone := &store.Purge{}
		if err := c.door.Facts(ctx, func(b *knowledge.Base) { gone.Nodes = b.Line(id) }); err != nil {
			return nil, err
		}
		if len(gone.Nodes) == 0 {
			return nil, tree.ErrNotFound
		}
		p, err := c.next(ctx, tree.DecisionForget, id, o, nil)
		if err != nil {
			return nil, err
		}
		p.act.Purged, p.act.Why = true, ""
		p.batch.Purge = gone
		return p, nil
	})
}

// EditFact replaces the statement of the fact with this id. change receives the statement and modifies it. If change
// modifies the text, scope or agent, the result is a new fact with another id and the notes of the old one, which it
// supersedes. Otherwise the fact keeps its id.
func (c *Curation) EditFact(
	ctx context.Context, id string, change func(*ledger.Statement), o Options,
) (DecisionResult, error) {
	return c.know(ctx, tree.DecisionEdit, id, o, func(b *knowledge.Base, k *ledger.FactEntry) (int, error) {
		f, known := b.Get(id, c.door.Now())
		if !known {
			return 0, tree.ErrNotFound
		}
		was := f.Statement
		change(&f.Statement)
		says, redacted, err := knowledge.Clean(f.Statement, c.door.Secrets)
		if err != nil {
			return 0, err
		}
		if fmt.Sprintf("%+v", says) == fmt.Sprintf("%+v", was) {
			return 0, &RefusedError{Said: tree.DecisionEdit, ID: id, Why: Already}
		}
		k.Says = &says
		return redacted, others(&f, tree.DecisionEdit, o)
	})
}

// decide plans a decision on a fact that is there.
func (c *Curation) decide(
	ctx context.Context, said tree.DecisionKind, id string, o Options, refuses func(*knowledge.Fact) error,
) (DecisionResult, error) {
	return c.know(ctx, said, id, o, func(b *knowledge.Base, _ *ledger.FactEntry) (int, error) {
		f, known := b.Get(id, c.door.Now())
		if !known {
			return 0, tree.ErrNotFound
		}
		return 0, refuses(&f)
	})
}

// know plans a decision on a fact and has it applied: an act, and beside it the entry on the fact.
func (c *Curation) know(
	ctx context.Context, said tree.DecisionKind, id string, o Options,
	fact func(*knowledge.Base, *ledger.FactEntry) (int, error),
) (DecisionResult, error) {
	at := id
	d, err := c.do(ctx, said, id, o, func() (*plan, error) {
		k := ledger.FactEntry{Op: ledger.KnownOp(said), Fact: id, Source: ledger.FromTeam, By: o.By, Why: o.Why}
		redacted, err := 0, error(nil)
		if viewed := c.door.Facts(ctx, func(b *knowledge.Base) { redacted, err = fact(b, &k) }); viewed != nil {
			return nil, viewed
		}
		if err != nil {
			return nil, err
		}
		p, err := c.next(ctx, said, k.Fact, o, nil)
		if err != nil {
			return nil, err
		}
		k.Act, p.of.Redacted = p.act.ID, redacted
		p.also = []ledger.Entry{{At: p.at, Known: &k}}
		if k.Says != nil {
			at = k.Says.ID()
		}
		return p, k.Check()
	})
	if err != nil || o.DryRun {
		return d, err
	}
	err = c.door.Facts(ctx, func(b *knowledge.Base) {
		if f, known := b.Get(at, c.door.Now()); known {
			d.Fact = &f
		}
	})
	if err != nil {
		return DecisionResult{}, wrap(said, at, err)
	}
	return d, nil
}

// voted reports whether a person's last decision on a fact is that one.
func voted(f *knowledge.Fact, by string, holds bool) bool {
	return slices.ContainsFunc(f.People, func(v knowledge.Vote) bool { return v.By == by && v.Holds == holds })
}

// others returns why a person's decision is not taken: another person contradicted the fact.
func others(f *knowledge.Fact, said tree.DecisionKind, o Options) error {
	for i := range f.People {
		if v := &f.People[i]; !v.Holds && v.By != o.By && !o.Over {
			return theirs(said, f.ID, &Past{Action: ledger.Action{Kind: DecisionContradict, Node: f.ID, By: v.By}, At: v.At})
		}
	}
	return nil
}

// covered reports whether a fact names all of the pages; one without pages holds on all.
func covered(pages, of []string) bool {
	return len(of) == 0 || !slices.ContainsFunc(pages, func(p string) bool { return !slices.Contains(of, p) })
}
