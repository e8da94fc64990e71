package fact

import (
	"slices"
	"strings"

	"github.com/memtree/memtree/tree"
)

// Expect reads expectations about a page from a note: a defect, or a list of them in one text. prompt is the task; its
// quotations are right values. It reads only recognized forms, each from adjacent words: “X instead of Y”, a quotation
// or number that was seen and one that should have been, a control that is disabled, a missing element, price times
// quantity. It returns nothing for a note that states the same in other words, and at most tree.MaxExpectations.
func Expect(note, prompt string) []tree.Expectation {
	r := &noteReader{}
	r.task = items(r.lift(firstBytes(prompt, maxRead)))
	for _, item := range items(r.lift(firstBytes(note, maxRead))) {
		for _, u := range clausesOf(item) {
			if len(u) > maxUnit {
				continue // a story, not a defect
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

// The most bytes that are read of a text, and of one unit of it.
const (
	maxRead = 8 << 10
	maxUnit = 600
)

// noteReader reads the units of a note.
type noteReader struct {
	maskedQuotes
	task []string // the points of the task, with slots instead of quotations
	out  []tree.Expectation
	cut  map[string][]token // of the texts read, see tokens
}

// tokens returns the tokens of a unit or a clause. Each rule asks for them, and to find them takes most of the time.
func (r *noteReader) tokens(s string) []token {
	all, ok := r.cut[s]
	if !ok {
		if r.cut == nil {
			r.cut = map[string][]token{}
		}
		all = tokens(s)
		r.cut[s] = all
	}
	return all
}

// add adds an expectation read from a unit, unless it is invalid or a duplicate.
func (r *noteReader) add(e tree.Expectation, unit string) {
	e.From = firstBytes(r.fill(unit, true), tree.MaxNodeLine)
	same := func(o tree.Expectation) bool {
		o.From = e.From
		return o == e
	}
	if len(r.out) < tree.MaxExpectations && e.Check() == nil && !slices.ContainsFunc(r.out, same) {
		r.out = append(r.out, e)
	}
}

// products reads a statement about price times quantity.
func (r *noteReader) products(unit string) {
	if slices.ContainsFunc(r.tokens(unit), func(t token) bool { return t.sort == product }) {
		r.add(tree.Expectation{Property: tree.OfRelation, Expected: tree.PriceTimesQuantity}, unit)
	}
}
