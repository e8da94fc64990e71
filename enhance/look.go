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
// the order of the cases, undecided ones too, and an undecided one for each missed defect that no
// expectation says. Facts that the question is not about, and repetitions, are Aside.
func (l *Look) Hold(cases []tree.Node) []Observed {
	if l.Observation == "" || len(cases) == 0 {
		return nil
	}
	page := fact.Read(l.Observation)
	var held []Observed
	for i := range cases {
		n := &cases[i]
		alarm, seen := n.Direction == taxonomy.FalseFail, map[fact.Expected]bool{}
		for k, missed := range fact.OfMisses(n) {
			m := &n.CaseData.Misses[k]
			for _, e := range missed.Expected {
				aside := seen[e] || !l.asksAbout(n, e.Thing, e.Want, e.Got)
				seen[e] = true
				held = append(held, Observed{Fact: page.Hold(e), ID: n.ID, Type: n.ErrorType, Miss: k, Alarm: alarm, Aside: aside})
			}
			if !alarm && !missed.Complete {
				open := fact.Undecidable(m.Check, first(m.What))
				held = append(held, Observed{Fact: open, ID: n.ID, Type: n.ErrorType, Miss: k, Aside: !l.asksAbout(n, m.What...)})
			}
		}
	}
	return held
}

func first(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return list[0]
}

// Expects yields what the cases expect of a page, as far as the question is about it.
func (l *Look) Expects(cases []tree.Node) iter.Seq2[*tree.Node, fact.Expected] {
	return func(yield func(*tree.Node, fact.Expected) bool) {
		for i := range cases {
			for _, e := range fact.Of(&cases[i]) {
				if l.asksAbout(&cases[i], e.Thing, e.Want, e.Got) && !yield(&cases[i], e) {
					return
				}
			}
		}
	}
}

// asksAbout reports whether the question is about what a case expects: the question is of the
// same test, or it has one of the words.
func (l *Look) asksAbout(n *tree.Node, words ...string) bool {
	id := n.CaseData.TestCase.CaseID
	if id != "" && id == l.Test || n.CaseData.TestCase.Prompt == l.Prompt {
		return true
	}
	asked := strings.ToLower(l.Prompt + "\n" + l.Step)
	for _, s := range words {
		if s != "" && strings.Contains(asked, strings.ToLower(s)) {
			return true
		}
	}
	return false
}
