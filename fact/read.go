package fact

import (
	"slices"
	"strings"

	"github.com/memtree/memtree/tree"
)

// Expect reads what should be true of a page from a note: a defect, or a list of them in one text.
// prompt is the task; what it quotes is how things should read. It reads sure forms only, each
// from words that stand next to each other: “X instead of Y”, a quotation or number that was seen
// and one that should have been, a control that is disabled, a missing element, price times
// quantity. A note that says the same in other words gives nothing. It returns at most
// tree.MaxExpectations.
func Expect(note, prompt string) []tree.Expectation {
	r := &reader{}
	r.task = items(r.lift(firstBytes(prompt, maxRead)))
	for _, item := range items(r.lift(firstBytes(note, maxRead))) {
		for _, u := range clausesOf(item) {
			if len(u) > maxUnit {
				continue // a story, and no defect
			}
			r.pairs(u)
			r.products(u)
			for _, clause := range strings.FieldsFunc(u, betweenClauses) {
				r.control(clause, u)
				r.missing(clause, u)
			}
		}
	}
	return r.out
}

func betweenClauses(r rune) bool { return strings.ContainsRune("，,：:（）()", r) }

// The most bytes that are read of a text, and of a unit of it.
const (
	maxRead = 8 << 10
	maxUnit = 600
)

// reader reads the units of a note.
type reader struct {
	quotes
	task []string // the points of the task, with slots in place of quotations
	out  []tree.Expectation
}

// add adds what was read from a unit, unless it is incomplete or there already.
func (r *reader) add(e tree.Expectation, unit string) {
	e.From = firstBytes(r.fill(unit, true), tree.MaxNodeLine)
	same := func(o tree.Expectation) bool {
		o.From = e.From
		return o == e
	}
	if len(r.out) < tree.MaxExpectations && e.Check() == nil && !slices.ContainsFunc(r.out, same) {
		r.out = append(r.out, e)
	}
}

// products reads a sentence about price times quantity.
func (r *reader) products(unit string) {
	if slices.ContainsFunc(tokens(unit), func(t token) bool { return t.sort == product }) {
		r.add(tree.Expectation{Property: tree.OfRelation, Expected: tree.Product}, unit)
	}
}
