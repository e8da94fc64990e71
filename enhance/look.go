package enhance

import (
	"iter"
	"strings"

	"github.com/memtree/memtree/fact"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// Look is what can be seen of a build now, and the question that is asked about it.
type Look struct {
	Observation  string // as fact.Read takes it; "" sees nothing
	Prompt, Step string // the question
	Test         string // id of the test case, where it is known
}

// Hold compares what the cases once missed with what can be seen now. It returns the facts in
// the order of the cases, undecided ones too. A miss of another test counts only if the
// question names the thing it was about.
func (l *Look) Hold(cases []tree.Node, tax *taxonomy.Taxonomy) []Observed {
	if l.Observation == "" || len(cases) == 0 {
		return nil
	}
	page := fact.Read(l.Observation)
	var held []Observed
	for n, e := range l.Expects(cases, tax) {
		held = append(held, Observed{Fact: page.Hold(e), ID: n.ID, Type: n.ErrorType})
	}
	return held
}

// Expects yields what the cases expect of a page, as far as the question is about it.
func (l *Look) Expects(cases []tree.Node, tax *taxonomy.Taxonomy) iter.Seq2[*tree.Node, fact.Expected] {
	return func(yield func(*tree.Node, fact.Expected) bool) {
		for i := range cases {
			for _, e := range fact.Of(&cases[i]) {
				if l.asksAbout(&cases[i], &e) && !yield(&cases[i], e) {
					return
				}
			}
		}
	}
}

// asksAbout reports whether the question is about what a case expects: the question is of the
// same test, or it names the thing or one of the two texts.
func (l *Look) asksAbout(n *tree.Node, e *fact.Expected) bool {
	id := n.CaseData.TestCase.CaseID
	if id != "" && id == l.Test || n.CaseData.TestCase.Prompt == l.Prompt {
		return true
	}
	asked := strings.ToLower(l.Prompt + "\n" + l.Step)
	for _, s := range []string{e.Thing, e.Want, e.Got} {
		if s != "" && strings.Contains(asked, strings.ToLower(s)) {
			return true
		}
	}
	return false
}
