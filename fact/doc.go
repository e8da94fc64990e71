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
	if n.CaseData == nil {
		return nil
	}
	for i := range n.CaseData.Misses {
		for _, e := range OfMiss(n, i) {
			if !slices.Contains(out, e) {
				out = append(out, e)
			}
		}
	}
	return out
}

// OfMiss returns what should be true of a page according to miss i of a case.
func OfMiss(n *tree.Node, i int) []Expected {
	m, prompt := &n.CaseData.Misses[i], n.CaseData.TestCase.Prompt
	var out []Expected
	for _, x := range expectations(n.Direction, m, prompt) {
		e := resolve(x, prompt)
		e.Check = m.Check
		out = append(out, e)
	}
	return out
}

// expectations returns those of a miss. One that was stored before misses had any is read here, and
// nowhere else: after a missed defect the defects and the notes, after a false alarm what the
// agent claimed to be wrong.
func expectations(d taxonomy.Direction, m *tree.Miss, prompt string) []tree.Expectation {
	if len(m.Expect) > 0 {
		return m.Expect
	}
	note := m.Truth + "\n" + m.How
	if d == taxonomy.FalseFail {
		note = m.Claimed
	}
	return Expect(note, prompt)
}

// Complete reports whether the expectations of miss i of a case say all that was wrong: each defect
// that it tells of has one. In a text that lists nothing a clause may be a defect of its own, so
// each clause must have one. Of a note beside listed defects the defects say it.
func Complete(n *tree.Node, i int) bool {
	d := n.CaseData
	told := d.Misses[i].Truth
	if told == "" {
		if slices.ContainsFunc(d.Misses, func(m tree.Miss) bool { return m.Truth != "" }) {
			return true
		}
		told = d.EvaluatorReason
	}
	var from []string
	for k := range d.Misses {
		for _, x := range expectations(n.Direction, &d.Misses[k], d.TestCase.Prompt) {
			from = append(from, folding(x.From))
		}
	}
	var q quotes
	for _, item := range items(q.lift(told)) {
		parts := []string{item}
		if !isListed(n) {
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
	return len(from) > 0
}

// isListed reports whether the truth of a case lists several defects, each by itself.
func isListed(n *tree.Node) bool {
	return slices.ContainsFunc(n.CaseData.Misses, func(m tree.Miss) bool {
		return slices.ContainsFunc(m.At, func(at string) bool { return strings.HasSuffix(at, "[1]") })
	})
}

// resolve says how an expectation is decided. Of a property that nothing decides the kind is "".
func resolve(x tree.Expectation, prompt string) Expected {
	e := Expected{
		Thing: x.Where.Name, Role: x.Where.Role, Want: x.Expected, Got: x.Seen,
		Scoped: x.Where.Page != "", Later: x.Where.After != "",
	}
	switch x.Property {
	case tree.OfText:
		e.Kind, e.Asked = Text, e.Want != "" && !e.Later && isQuotedIn(prompt, e.Want)
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

// isQuotedIn reports whether a task quotes a text.
func isQuotedIn(prompt, text string) bool {
	var q quotes
	q.lift(firstBytes(prompt, maxRead))
	for _, x := range q {
		if x.inner == text {
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
