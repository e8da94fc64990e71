// Package fact holds remembered misses against a page as it is now, without a
// model. A text is there or another one is; a control can be used or is disabled; an
// element is missing; an input shows what is typed; a value is not what it must be.
// One line of the observation decides each of these, or it is unknown.
//
// An old finding says what was true then. A judge that is told of it believes that
// it is true now, and is wrong as soon as the page has been repaired. A fact of this
// package is true of the observation it was read from, whether the page is broken or
// repaired.
//
// # The law
//
// The answer is Unknown whenever a right page and a wrong page can both look like
// this one: an undo button is disabled while there is nothing to undo, a text is
// absent because nobody opened the dialog. Few facts are decided, and none wrongly.
//
// Both inputs come from outside. Reading them is bounded, cannot fail and never
// panics. The same inputs give the same facts.
//
// # Where to look
//
//   - of.go, read.go, pairs.go, states.go: what a case expects, read from its texts
//   - page.go, match.go, words.go: an observation, and finding a text or control in it
//   - hold.go, value.go, sums.go: the answer; why.go: why it is unknown
//   - ground.go, answer.go: expectations that a model proposes, and answers that a program gives
package fact

import "github.com/memtree/memtree/tree"

// State says whether a page is as an expectation says.
type State int

// The states.
const (
	Unknown State = iota // the observation does not settle it
	Holds                // the page is as it should be
	Broken               // the page is not
)

// String is the name of a state in JSON.
func (s State) String() string { return [...]string{"unknown", "holds", "broken"}[s] }

// Kind says what an expectation is about, and so how it is decided.
type Kind string

// The kinds, those of taxonomy.FactKinds. Each check names the kinds that can settle it.
const (
	Text    Kind = "text"    // one text stands there, and not another
	Value   Kind = "value"   // beside a label stands this number
	Control Kind = "control" // a control can be used
	There   Kind = "there"   // an element is on the page
	Input   Kind = "input"   // an input field is of a type
	Set     Kind = "set"     // a box, switch, tab or option is on, or off
	Product Kind = "product" // price times quantity is what stands behind them
)

// The states of a Set control.
const (
	On  = tree.On
	Off = tree.Off
)

// Expected is one thing that should be true of a page, as a remembered miss tells it.
type Expected struct {
	Check string // id of the check that was missed, "" for none
	Kind  Kind
	Thing string // its name on the page, or the label beside it; "" for a text that stands by itself
	Role  string // its ARIA role, if a word such as “button” names one; "" for any
	Want  string // how it should read: the text, the number, the type; "" if only Got is known
	Got   string // how it read when it was wrong; "" if nobody said

	Asked  bool // the task quotes Want as something to be seen at once, or the defect quotes Thing
	Scoped bool // it belongs to one part of the page; an element of its name elsewhere is another
	Later  bool // something must be done before it can be seen, so its absence shows nothing
}

// Fact is the result of holding an expectation against a page.
type Fact struct {
	Expected
	State State
	Have  string // what the page has in its place: a number, a type, on or off; never a text of the page
	Line  int    // the line of the observation that shows it, from 1; 0 if none does
	Seen  string // that line
	Why   string // why the state is Unknown: one of Reasons
}
