package ledger

import (
	"cmp"
	"fmt"

	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// Tally counts the right and wrong verdicts of a tree by judge, product and scene type. It has the names of judges,
// products and scene types, but no case, no text of a run and no hash of a text. An export has a Tally only on request.
// A Tally in the ledger came from another tree.
type Tally struct {
	Origin   string     `json:"origin"`   // id of the tree that counted
	Verdicts int        `json:"verdicts"` // number of all labelled verdicts
	Rows     []TallyRow `json:"rows"`     // in the order of CompareRows; none: the earlier counts of Origin are void

	// Shapes has at most two elements: first the verdicts without an observation, then those with one.
	Shapes []Shape `json:"shapes,omitempty"`
}

// TallyRow counts the verdicts of one judge, product or scene type, or all verdicts.
type TallyRow struct {
	Of    RowOf  `json:"of"`
	Name  string `json:"name,omitempty"`  // name of the judge, product or scene type; "" for OfAll
	Model string `json:"model,omitempty"` // only for OfJudge: the judge's model; "": every model
	Value string `json:"value,omitempty"` // value of the counted verdicts, such as pass; "": every value
	Right int    `json:"right"`
	Wrong int    `json:"wrong"`

	// Direction is the most frequent direction of the wrong verdicts; None if there are none.
	Direction taxonomy.Direction `json:"direction,omitempty"`
}

// RowOf is what a TallyRow is about.
type RowOf string

// The subjects of a TallyRow.
const (
	OfAll     RowOf = "all"     // all verdicts
	OfJudge   RowOf = "judge"   // the verdicts of one agent
	OfProduct RowOf = "product" // the verdicts on one product
	OfScene   RowOf = "scene"   // the verdicts on one scene type
)

// Limits of a Tally.
const (
	LeastCounted = 5   // fewest verdicts of a row
	MaxRows      = 512 // most rows of one Tally
	MaxRowName   = 200 // bytes of Name, Model or Value of a row
	maxCounted   = 1_000_000
)

// About returns the subject of r: Of, Name, Model and Value, with all other fields zero.
func (r *TallyRow) About() TallyRow {
	return TallyRow{Of: r.Of, Name: r.Name, Model: r.Model, Value: r.Value}
}

// CompareRows orders rows by Of, Name, Model and Value. It returns a negative number if a is before b, 0 if a and b are
// equal in all four, else a positive number.
func CompareRows(a, b TallyRow) int {
	return cmp.Or(cmp.Compare(a.Of, b.Of), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Model, b.Model),
		cmp.Compare(a.Value, b.Value))
}

// Check returns a *tree.FieldError for the first field that breaks a limit or contradicts another field; else nil.
func (t *Tally) Check() error {
	if err := tree.CheckText("risk.origin", t.Origin, MaxRowName); err != nil {
		return err
	}
	switch {
	case t.Origin == "":
		return &tree.FieldError{Field: "risk.origin", Problem: "is missing; say which tree counted"}
	case t.Verdicts < 0 || t.Verdicts > maxCounted:
		return &tree.FieldError{Field: "risk.verdicts", Problem: fmt.Sprintf("is %d; use 0 to %d", t.Verdicts, maxCounted)}
	case len(t.Rows) > MaxRows:
		return &tree.FieldError{Field: "risk.rows", Problem: fmt.Sprintf("are %d; the most is %d", len(t.Rows), MaxRows)}
	}
	for i := range t.Rows {
		r := &t.Rows[i]
		if err := r.check(t.Verdicts); err != nil {
			return err
		}
		if i > 0 && CompareRows(t.Rows[i-1], *r) >= 0 {
			return &tree.FieldError{Field: "risk.rows", Problem: "has " + quoted(r.Name) + " twice or out of order"}
		}
	}
	return checkShapes(t.Shapes)
}

func (r *TallyRow) check(verdicts int) error {
	for _, f := range []struct{ name, text string }{{"name", r.Name}, {"model", r.Model}, {"value", r.Value}} {
		if err := tree.CheckText("risk.rows."+f.name, f.text, MaxRowName); err != nil {
			return err
		}
	}
	switch {
	case r.Of != OfAll && r.Of != OfJudge && r.Of != OfProduct && r.Of != OfScene:
		return &tree.FieldError{Field: "risk.rows.of", Problem: "is " + quoted(string(r.Of)) +
			"; use all, judge, product or scene"}
	case (r.Of == OfAll) != (r.Name == "") || r.Of != OfJudge && r.Model != "":
		return &tree.FieldError{Field: "risk.rows.name", Problem: "or model does not go with " + quoted(string(r.Of))}
	case r.Right < 0 || r.Wrong < 0 || r.Right > verdicts || r.Wrong > verdicts-r.Right:
		return &tree.FieldError{Field: "risk.rows.right", Problem: fmt.Sprintf("and wrong are %d and %d of %d verdicts",
			r.Right, r.Wrong, verdicts)}
	case r.Right+r.Wrong < LeastCounted:
		return &tree.FieldError{Field: "risk.rows.right",
			Problem: fmt.Sprintf("and wrong are %d and %d; a row has %d or more",
				r.Right, r.Wrong, LeastCounted)}
	case r.Direction != taxonomy.None && !r.Direction.Valid():
		return &tree.FieldError{Field: "risk.rows.direction", Problem: "is " + quoted(string(r.Direction)) +
			"; use false_pass, false_fail or other"}
	}
	return nil
}
