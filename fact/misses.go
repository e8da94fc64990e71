package fact

import (
	"cmp"
	"slices"
	"strings"

	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// Of returns the expectations of all misses of the case n, each once. It returns nil for other nodes.
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

// Missed holds the expectations of one miss of a case, and whether every defect in it has one.
type Missed struct {
	Expected []Expected
	// Complete means that every defect in the text of the miss has an expectation. If the text is not a list, every
	// clause may be a defect, so every clause needs an expectation. A note next to listed defects counts as complete.
	Complete bool
}

// OfMisses returns the expectations of each miss of the case n, in order; nil for other nodes. If a miss has none
// stored, as in an older format, OfMisses reads them from the texts of the miss. It does so only after a missed defect,
// because after a false alarm these texts describe what was right.
func OfMisses(n *tree.Node) []Missed {
	if n.CaseData == nil {
		return nil
	}
	d := n.CaseData
	var task maskedQuotes
	task.lift(firstBytes(d.TestCase.Prompt, maxRead))
	out := make([]Missed, len(d.Misses))
	var from []string // the texts from which expectations were read
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
		told := cmp.Or(d.Misses[i].Truth, d.EvaluatorReason)
		out[i].Complete = listed && d.Misses[i].Truth == "" || isSaid(told, isListed(n), from)
	}
	return out
}

// isSaid reports whether every item of a text, or every clause of one that is not a list, has an expectation that was
// read from it. It is false for an empty text.
func isSaid(told string, list bool, from []string) bool {
	var q maskedQuotes
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

// isListed reports whether the truth of a case is a list of several defects.
func isListed(n *tree.Node) bool {
	return slices.ContainsFunc(n.CaseData.Misses, func(m tree.Miss) bool {
		return slices.ContainsFunc(m.At, func(at string) bool { return strings.HasSuffix(at, "[1]") })
	})
}

// resolve converts an expectation to the form in which it is decided. The kind is "" for a property that nothing
// decides. task holds the quotations of the task.
func resolve(x tree.Expectation, task maskedQuotes) Expected {
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

// state sets the kind for an element that should be in a state.
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

// isQuotedIn reports whether a text contains a quotation that equals words.
func isQuotedIn(s, words string) bool {
	var q maskedQuotes
	q.lift(firstBytes(s, maxRead))
	return q.have(words)
}

// have reports whether words are one of the quotations.
func (q *maskedQuotes) have(words string) bool {
	for _, x := range *q {
		if x.inner == words {
			return true
		}
	}
	return false
}
