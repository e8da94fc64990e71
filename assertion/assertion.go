package assertion

import (
	"cmp"
	"slices"

	"github.com/memtree/memtree/fact"
	"github.com/memtree/memtree/tree"
)

// Assertion is one property that a page should have, as a sentence and as code for test tools.
type Assertion struct {
	ID        string               `json:"id"`              // a_ and 16 hexadecimal digits; equal for equal expectations
	Kind      fact.ExpectationKind `json:"kind"`            // text, value, control, there, input, product or set
	Says      string               `json:"says"`            // a sentence in the requested language
	Role      string               `json:"role,omitempty"`  // ARIA role of the element
	Name      string               `json:"name,omitempty"`  // name of the element, or its label
	Want      string               `json:"want,omitempty"`  // the right value on the page
	Got       string               `json:"got,omitempty"`   // the wrong value that was observed
	Later     bool                 `json:"later"`           // even a right page may have the property only after an action
	Check     string               `json:"check,omitempty"` // id of the check that agents missed
	ErrorType string               `json:"errorType"`       // error type of one of the cases
	Cases     []string             `json:"cases"`           // ids of the cases with this expectation, sorted

	// Playwright is one line of TypeScript, Look is the same check as data, and ARIA is a template for
	// toMatchAriaSnapshot. Playwright and ARIA are "", and Look is nil, if they cannot express the expectation. Why is the
	// reason why Playwright is "", else "".
	Playwright string     `json:"playwright"`
	Look       *PageCheck `json:"look,omitempty"`
	ARIA       string     `json:"aria"`
	Why        string     `json:"why,omitempty"`

	State string `json:"state,omitempty"` // holds, broken or unknown on the observed page; "" if no page was observed
	Line  int    `json:"line,omitempty"`  // the line of the observation that shows it, from 1
}

// On sets State and Line of a from f, the result of checking its expectation against an observed page.
func (a *Assertion) On(f *fact.Finding) { a.State, a.Line = f.State.String(), f.Line }

// Of returns the expectation e of the case n as an Assertion. says is e as a sentence.
func Of(e *fact.Expected, n *tree.Node, says string) Assertion {
	a := Assertion{
		ID:   e.ID(),
		Kind: e.Kind, Says: says, Role: e.Role, Name: e.Thing, Want: e.Want, Got: e.Got,
		Later: !e.AtOnce(), Check: e.Check, ErrorType: n.ErrorType, Cases: []string{n.ID},
	}
	if a.Later {
		a.Why = laterWhy
		return a
	}
	if a.Look, a.Why = lookFor(e); a.Look != nil {
		a.Playwright = a.Look.code()
	}
	a.ARIA = aria(e)
	return a
}

// Merge joins assertions with equal ids into one with all their cases. Each assertion in all has one case, as [Of]
// returns it. In the result, assertions with code come first; otherwise the order stays.
func Merge(all []Assertion) []Assertion {
	at := map[string]int{}
	out := []Assertion{}
	for _, a := range all {
		i, known := at[a.ID]
		if !known {
			at[a.ID] = len(out)
			out = append(out, a)
			continue
		}
		if !slices.Contains(out[i].Cases, a.Cases[0]) {
			out[i].Cases = append(out[i].Cases, a.Cases[0])
		}
	}
	for i := range out {
		slices.Sort(out[i].Cases)
	}
	slices.SortStableFunc(out, func(a, b Assertion) int {
		return cmp.Compare(min(1, len(b.Playwright)), min(1, len(a.Playwright)))
	})
	return out
}

// Reasons why an expectation has no code. Reasons lists them.
const (
	laterWhy  = "it is seen only after a step, or a right page looks so too at times"
	valueWhy  = "the number stands beside a label, and its place on the page is not known"
	shortWhy  = "the text is too short to be found by itself"
	roleWhy   = "what kind of element it is, nobody said"
	nameWhy   = "such an element is named by a label, and the page may have another one"
	sumWhy    = "it is a product of numbers on the page"
	swapWhy   = "the text may stand elsewhere on a right page"
	unknowWhy = "what it should be, nobody said"
)

// Reasons returns all sentences that Assertion.Why can have, so that a program can translate them.
func Reasons() []string {
	return []string{laterWhy, valueWhy, shortWhy, roleWhy, nameWhy, sumWhy, swapWhy, unknowWhy}
}
