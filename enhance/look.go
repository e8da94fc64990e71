package enhance

import (
	"strings"

	"github.com/memtree/memtree/fact"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// Look is what can be seen of a build now, and what is asked about it.
type Look struct {
	Observation  string // as fact.Read takes it; "" sees nothing
	Prompt, Step string // the question
	Test         string // id of the test case, where it is known
}

// Hold holds what the cases once missed against what can be seen, and returns what came of
// each, in the order of the cases. A miss of another test counts only if the question speaks
// of the thing, for nobody asked about the rest.
func (l *Look) Hold(cases []tree.Node, tax *taxonomy.Taxonomy) []Observed {
	if l.Observation == "" || len(cases) == 0 {
		return nil
	}
	page := fact.Read(l.Observation)
	var held []Observed
	for i := range cases {
		for _, e := range fact.Of(&cases[i], tax) {
			if l.asksAbout(&cases[i], &e) {
				held = append(held, Observed{Fact: page.Hold(e), ID: cases[i].ID})
			}
		}
	}
	return held
}

// asksAbout reports whether the question is about what a case expects: it is of the same
// test, or its words name the thing or how that should read.
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
