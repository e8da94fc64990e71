// Package fact holds remembered misses against a page as it is now, without a
// model: a text is there or another one is, a control can be used or is disabled,
// an element is missing, an input shows what is typed, a value is not what it has
// to be. Each is decided by one line of what was observed, or it is unknown.
//
// An old finding says what was; a judge that is told of it takes it for what is,
// and is wrong as soon as the page was repaired. What is decided here is true of
// this very observation, on a broken page and on a repaired one.
//
// # The law
//
// Unknown is the answer wherever a page may look like this and be right as well as
// wrong: an undo button is disabled while nothing is to be undone, a text is absent
// because nobody opened the dialog. Few decided, none wrong.
//
// Both inputs are from outside: reading them is bounded, cannot fail and never
// panics. The same inputs give the same facts.
package fact

import (
	"slices"

	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// Of reads from a case what should be so: after a missed defect from the defects, after a
// false alarm from what the agent claimed to be wrong. Each miss gives the kinds of its check;
// one of no known check all of them. Nothing but a case expects anything.
func Of(n *tree.Node, tax *taxonomy.Taxonomy) []Expected {
	if n.CaseData == nil {
		return nil
	}
	var out []Expected
	for i := range n.CaseData.Misses {
		m := &n.CaseData.Misses[i]
		said := []string{m.Truth, m.How}
		if n.Direction == taxonomy.FalseFail {
			said = []string{m.Claimed}
		}
		var kinds []Kind
		if c, known := tax.Check(m.Check); known {
			if len(c.Facts) == 0 {
				continue
			}
			for _, k := range c.Facts {
				kinds = append(kinds, Kind(k))
			}
		}
		for _, e := range Expect(said, n.CaseData.TestCase.Prompt, kinds...) {
			e.Check = m.Check
			if !slices.Contains(out, e) {
				out = append(out, e)
			}
		}
	}
	return out
}

// State is what becomes of an expectation on a page.
type State int

// The states.
const (
	Unknown State = iota // the observation does not settle it
	Holds                // it is as it should be
	Broken               // it is not
)

// String is the name of a state in JSON.
func (s State) String() string { return [...]string{"unknown", "holds", "broken"}[s] }

// Kind is what an expectation is about, and so how it is decided.
type Kind string

// The kinds, as taxonomy.FactKinds lists them: each check names those that can settle it.
const (
	Text    Kind = "text"    // a text reads so, and not otherwise
	Value   Kind = "value"   // beside a label stands this number
	Control Kind = "control" // a control can be used
	There   Kind = "there"   // an element is on the page
	Input   Kind = "input"   // an input field is of a type
	Set     Kind = "set"     // a box, switch, tab or option is on, or off
	Product Kind = "product" // price times quantity is what stands behind them
)

// How a Set control is.
const (
	On  = "on"
	Off = "off"
)

// Expected is one thing that should be so, as a remembered miss tells it.
type Expected struct {
	Check string // id of the check it was missed as, "" for none
	Kind  Kind
	Thing string // its name on the page, or the label beside it; "" of a text that stands by itself
	Role  string // an ARIA role that it has, as far as a word such as “button” says; "" for any
	Want  string // how it should read: the text, the number, the type; "" where only Got is known
	Got   string // how it read when it was wrong; "" where nobody said

	Typo   bool // Got is spelled wrongly: it is right nowhere
	Asked  bool // the task itself quotes Want, as something to be seen at once
	Scoped bool // it belongs to one part of the page: one elsewhere is another
	// Later is whether something has to be done before it can be seen: its absence shows nothing.
	Later bool
}

// Fact is an expectation, held against a page.
type Fact struct {
	Expected
	State State
	Have  string // what the page has in its place: a number, a type, on or off; never a text of the page's own
	Line  int    // of the observation, from 1, that shows it; 0 where none does
	Seen  string // that line
	Why   string // why it is unknown: a sentence
}
