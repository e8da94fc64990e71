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
package fact

import (
	"slices"
	"strings"

	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// Of returns what should be true of a page according to a case: the expectations of its misses, each
// once. A node that is no case gives none.
func Of(n *tree.Node) []Expected {
	var out []Expected
	for _, m := range OfMisses(n) {
		for _, e := range m.Expected {
			if !slices.Contains(out, e) {
				out = append(out, e)
			}
		}
	}
	return out
}

// Missed is what should be true of a page according to one miss of a case.
type Missed struct {
	Expected []Expected
	// Complete says that each defect that the miss tells of has an expectation. In a text that
	// lists nothing a clause may be a defect of its own, so each clause must have one. Of a note
	// beside listed defects these say it.
	Complete bool
}

// OfMisses returns what should be true of a page according to each miss of a case, in their order. A
// miss that was stored before misses had expectations is read here, and nowhere else: after a
// missed defect its defects and its note. After a false alarm these say what was right.
func OfMisses(n *tree.Node) []Missed {
	if n.CaseData == nil {
		return nil
	}
	d := n.CaseData
	var task quotes
	task.lift(firstBytes(d.TestCase.Prompt, maxRead))
	out := make([]Missed, len(d.Misses))
	var from []string // the words that expectations were read from
	listed := false
	for i := range d.Misses {
		m := &d.Misses[i]
		all := m.Expect
		if len(all) == 0 && n.Direction != taxonomy.FalseFail {
			all = Expect(m.Truth+"\n"+m.How, d.TestCase.Prompt)
		}
		for _, x := range all {
			e := resolve(x, task)
			e.Check = m.Check
			out[i].Expected = append(out[i].Expected, e)
			from = append(from, folding(x.From))
		}
		listed = listed || m.Truth != ""
	}
	for i := range out {
		told := d.Misses[i].Truth
		if told == "" {
			told = d.EvaluatorReason
		}
		out[i].Complete = listed && d.Misses[i].Truth == "" || isSaid(told, isListed(n), from)
	}
	return out
}

// isSaid reports whether every item of a text, or every clause of one that is no list, has an
// expectation that was read from it. It is false for a text without words.
func isSaid(told string, list bool, from []string) bool {
	var q quotes
	all := items(q.lift(firstBytes(told, maxRead)))
	for _, item := range all {
		parts := []string{item}
		if !list {
			parts = clausesOf(item)
		}
		for _, part := range parts {
			part = folding(q.fill(part, true))
			read := func(f string) bool { return strings.Contains(part, f) || strings.Contains(f, part) }
			if !slices.ContainsFunc(from, read) {
				return false
			}
		}
	}
	return len(all) > 0 && len(told) <= maxRead
}

// isListed reports whether the truth of a case lists several defects, each by itself.
func isListed(n *tree.Node) bool {
	return slices.ContainsFunc(n.CaseData.Misses, func(m tree.Miss) bool {
		return slices.ContainsFunc(m.At, func(at string) bool { return strings.HasSuffix(at, "[1]") })
	})
}

// resolve says how an expectation is decided. Of a property that nothing decides the kind is "". task
// has the quotations of the task.
func resolve(x tree.Expectation, task quotes) Expected {
	e := Expected{
		Thing: x.Where.Name, Role: x.Where.Role, Want: x.Expected, Got: x.Seen,
		Scoped: x.Where.Page != "", Later: x.Where.After != "",
	}
	switch x.Property {
	case tree.OfText:
		e.Kind, e.Asked = Text, e.Want != "" && !e.Later && task.have(e.Want)
	case tree.OfValue:
		e.Kind = Value
	case tree.OfRelation:
		e.Kind, e.Want, e.Got = Product, "", ""
	case tree.OfAttribute:
		e.Want, _ = strings.CutPrefix(x.Expected, "type=")
		e.Got, _ = strings.CutPrefix(x.Seen, "type=")
		if (e.Want == "" || inputType(e.Want)) && (e.Got == "" || inputType(e.Got)) {
			e.Kind = Input
		}
	case tree.OfState:
		e.state()
		e.Asked = e.Kind == There && isQuotedIn(x.From, e.Thing)
	}
	return e
}

// state chooses the kind for an element that should be in a state.
func (e *Expected) state() {
	switch e.Want {
	case tree.On, tree.Off:
		e.Kind = Set
	case tree.Enabled:
		e.Kind, e.Want, e.Got = Control, "", ""
	case tree.Present:
		e.Kind, e.Want, e.Got = There, "", ""
	}
}

// isQuotedIn reports whether a text quotes words.
func isQuotedIn(s, words string) bool {
	var q quotes
	q.lift(firstBytes(s, maxRead))
	return q.have(words)
}

// have reports whether words are one of the quotations.
func (q *quotes) have(words string) bool {
	for _, x := range *q {
		if x.inner == words {
			return true
		}
	}
	return false
}

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

// IsNumber reports whether s is a number, perhaps with a sign of money or a unit.
func IsNumber(s string) bool {
	all := tokens(s)
	return len(all) == 1 && all[0].sort == literal && digits(s) != "" && all[0].start == 0 && all[0].end == len(s)
}
