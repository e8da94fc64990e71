package curation

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// AboutOptions lists the checks that a case does not concern, and those that it does.
type AboutOptions struct {
	Options
	Not []string // ids of checks that the misses of the case have
	Is  []string // ids of checks of the catalogue, or of the tree's own
}

// About sets which checks the case with this id concerns. The misses of the case change accordingly and are not
// analysed again; people's notes remain. Lessons lose or gain the case at the next evolution. Until then no run
// receives a lesson that has too few cases left.
func (c *Curation) About(ctx context.Context, id string, o AboutOptions) (DecisionResult, error) {
	return c.do(ctx, tree.DecisionAbout, id, o.Options, func() (*plan, error) {
		n, err := c.door.Tree.Get(ctx, id)
		if err != nil {
			return nil, err
		}
		if err := c.mayBeAbout(&n, o); err != nil {
			return nil, err
		}
		past, err := c.History(ctx, "")
		if err == nil {
			err = owned(past, tree.DecisionAbout, id, o.Options, tree.DecisionAbout)
		}
		if err != nil {
			return nil, err
		}
		p := c.begin(tree.DecisionAbout, id, o.Options, len(past), later(n.Decision, n.Provenance))
		was, is := n.Clone(), n.Clone()
		if err := c.move(ctx, &is, o); err != nil {
			return nil, err
		}
		if tree.Spelled(&is) == tree.Spelled(&was) {
			return nil, &RefusedError{Said: tree.DecisionAbout, ID: id, Why: Already}
		}
		is.Decision, is.Parent = p.touched(&n), ""
		is.Decision.Fresh = true
		is.Provenance.At, is.Provenance.Again = p.at, false
		c.door.Words(&is)
		p.put(tree.OpRevise, is, "a person said what it is about", ledger.Before{Mark: was.Mark, Decision: was.Decision,
			Content: &was.Content, Provenance: &was.Provenance, Case: was.CaseData, ErrorType: was.ErrorType})
		p.stood = true
		return p, nil
	})
}

// later returns the later of w and the node's last edit, as the decision that the next one must follow.
func later(w *tree.Decision, by tree.Provenance) *tree.Decision {
	if w != nil && w.At.After(by.At) {
		return w
	}
	return &tree.Decision{At: by.At}
}

// mayBeAbout returns why the checks of a node cannot be set, nil if they can.
func (c *Curation) mayBeAbout(n *tree.Node, o AboutOptions) error {
	switch {
	case n.Type != tree.Case:
		return &tree.FieldError{Field: "id", Problem: "is of a lesson; only a case is about checks: edit or ban the lesson"}
	case n.CaseData == nil:
		return &RefusedError{Said: tree.DecisionAbout, ID: n.ID, Why: Purged}
	case c.door.Waits(n):
		return &RefusedError{Said: tree.DecisionAbout, ID: n.ID, Why: Waiting}
	case n.Forgotten() || n.Mark == tree.Banned:
		return &RefusedError{Said: tree.DecisionAbout, ID: n.ID, Why: Archived, Now: string(n.Status) + " " + n.ArchivedFor}
	case len(o.Not)+len(o.Is) == 0:
		return &tree.FieldError{
			Field: "not", Problem: "is empty, and so is the other list; name a check that the case is not about, or is about",
		}
	}
	for _, check := range o.Not {
		if slices.Contains(o.Is, check) {
			return &tree.FieldError{
				Field: "not", Problem: fmt.Sprintf("names %q, and so does is; name it in one of them", check),
			}
		}
		denied := n.CaseData.About != nil && slices.Contains(n.CaseData.About.Not, check)
		if !n.Has(check) && !denied {
			return &tree.FieldError{
				Field: "not", Problem: fmt.Sprintf("is %q, which the case is not about; it is about: %s", check, named(n)),
			}
		}
	}
	return nil
}

// named returns the checks of a case, for error messages.
func named(n *tree.Node) string {
	var out []string
	for _, m := range n.CaseData.Misses {
		if m.Check != "" {
			out = append(out, m.Check)
		}
	}
	if len(out) == 0 {
		return "no check"
	}
	return strings.Join(out, ", ")
}

// move applies the options to the misses of a case. Checks in o.Is take over the things, notes and expectations of the
// misses that lose their check.
func (c *Curation) move(ctx context.Context, n *tree.Node, o AboutOptions) error {
	d := n.CaseData
	if d.About == nil {
		d.About = &tree.About{}
	}
	for _, check := range o.Not {
		d.About.Deny(check)
	}
	var freed []int // indexes of misses that lost their check
	for i := range d.Misses {
		if m := &d.Misses[i]; slices.Contains(o.Not, m.Check) {
			m.Check, m.ErrorType, m.Cause, m.Instead, m.Sure = "", taxonomy.OtherError, "", "", 0
			freed = append(freed, i)
		}
	}
	for _, check := range o.Is {
		errorType, err := c.door.TypeOf(ctx, check, n.Direction)
		if err != nil {
			return err
		}
		d.About.Affirm(check)
		switch at := slices.IndexFunc(d.Misses, func(m tree.Miss) bool { return m.Check == check }); {
		case at >= 0:
			d.Misses[at].Sure = 1
		case len(freed) > 0:
			m := &d.Misses[freed[0]]
			m.Check, m.ErrorType, m.Sure = check, errorType, 1
			freed = freed[1:]
		case len(d.Misses) >= tree.MaxMisses:
			return &tree.FieldError{Field: "is", Problem: "is one too many: a case has at most 32 misses"}
		default:
			d.Misses = append(d.Misses, tree.Miss{Check: check, ErrorType: errorType, From: tree.FromPerson, Sure: 1})
		}
	}
	for _, i := range freed { // without a check these have no meaning
		d.Misses[i].What, d.Misses[i].Expect, d.Misses[i].Claimed, d.Misses[i].Truth = nil, nil, "", ""
	}
	slices.SortStableFunc(d.Misses, func(a, b tree.Miss) int { return rank(o.Is, &a) - rank(o.Is, &b) })
	if n.ErrorType = taxonomy.OtherError; len(d.Misses) > 0 {
		n.ErrorType = d.Misses[0].ErrorType
	}
	return nil
}

// rank orders misses: checks that the person named, other checks, no check.
func rank(is []string, m *tree.Miss) int {
	switch {
	case slices.Contains(is, m.Check):
		return 0
	case m.Check != "":
		return 1
	}
	return 2
}
