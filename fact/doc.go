// Package fact checks the expectations of remembered mistakes against a page as it is now, without a model. An
// expectation is, for example, that a text is present and another one is not, that a control is enabled, that an
// element exists, that an input is of a type, or that a value is the right one. One line of the observation decides
// each of these, or it is unknown.
//
// An old finding reports what was true then. A judge that receives it assumes that it is still true, and is wrong as
// soon as the page has been repaired. A result of this package is true of the observation it was read from, whether the
// page is broken or repaired.
//
// # The law
//
// The result is Unknown whenever a right page and a wrong page can both look like this one: an undo button is disabled
// while there is nothing to undo, a text is absent because the dialog is closed. Few expectations are decided, and none
// wrongly.
//
// Both inputs come from outside. Reading them is bounded, cannot fail and never panics. The same inputs give the same
// results.
//
// # Where to look
//
//   - misses.go, read.go, pairs.go, states.go: the expectations of a case, read from its texts
//   - snapshot.go, match.go, words.go: an observation, and finding a text or control in it
//   - hold.go, value.go, sums.go: the result; why.go: why it is unknown
//   - answer.go: answers of a program
package fact

import "github.com/memtree/memtree/tree"

// CheckState is whether a page meets an expectation.
type CheckState int

// The states of a Finding.
const (
	Unknown CheckState = iota // the observation does not show whether the page meets the expectation
	Holds                     // the page meets the expectation
	Broken                    // the page violates the expectation
)

// String returns "unknown", "holds" or "broken", as JSON has it.
func (s CheckState) String() string { return [...]string{"unknown", "holds", "broken"}[s] }

// ExpectationKind is the kind of an expectation, which determines how it is decided.
type ExpectationKind string

// The kinds of expectations, equal to taxonomy.FactKinds, each with what the page should be like. Each check of the
// taxonomy lists the kinds that can decide it.
const (
	Text    ExpectationKind = "text"    // the right text is present, and the wrong one is not
	Value   ExpectationKind = "value"   // the right number is next to its label
	Control ExpectationKind = "control" // a control is enabled
	There   ExpectationKind = "there"   // an element is on the page
	Input   ExpectationKind = "input"   // an input field has the right type
	Set     ExpectationKind = "set"     // a box, switch, tab or option is on, or is off
	Product ExpectationKind = "product" // an amount is its price times its quantity
)

// The states of a control whose expectation is of kind Set.
const (
	On  = tree.On  // the control is checked, selected or switched on
	Off = tree.Off // the control is not checked, selected or switched on
)

// Expected is one property that a page should have, as read from a remembered mistake.
type Expected struct {
	Check string // id of the missed check, "" for none
	Kind  ExpectationKind
	Thing string // name of the element on the page, or its label; "" for a text without either
	Role  string // ARIA role of the element, if a term such as “button” gives one; "" for any
	Want  string // the right value: a text, a number, a type, on or off; "" if unknown or not needed
	Got   string // the wrong value that was observed; "" if unknown or not needed

	Asked  bool // the task quotes Want as visible at once, or the defect quotes Thing
	Scoped bool // the element is in one part of the page; the same name elsewhere is another element
	Later  bool // the element is visible only after an action, so its absence is no evidence
}

// Finding is the result of checking one expectation against a page.
type Finding struct {
	Expected
	State CheckState
	Have  string // value on the page: a number, a type, on or off; never a text of the page
	Line  int    // line of the observation that decides the state, from 1; 0 for none
	Seen  string // text of that line
	Why   string // why the state is Unknown: one of Reasons
}
