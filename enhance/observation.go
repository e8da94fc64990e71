package enhance

import (
	"iter"
	"strings"

	"github.com/memtree/memtree/fact"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// Observation is what can be seen of the application now, and the query about it.
type Observation struct {
	Observation  string // in a format that fact.Read reads; "" for none
	Prompt, Step string // prompt and step of the query
	Test         string // id of the test case, if known
}

// Hold compares the mistakes in the cases with what can be seen now. It returns a fact for each expectation, in the
// order of the cases, undecided facts too. A missed defect whose expectations are not complete has one more fact, which
// is undecided. Facts that the query is not about, and repetitions, have Aside set. Without an observation Hold returns
// nil.
func (l *Observation) Hold(cases []tree.Node) []ObservedFact {
	if l.Observation == "" || len(cases) == 0 {
		return nil
	}
	page := fact.Read(l.Observation)
	var held []ObservedFact
	for i := range cases {
		n := &cases[i]
		alarm, seen := n.Direction == taxonomy.FalseFail, map[fact.Expected]bool{}
		for k, missed := range fact.OfMisses(n) {
			m := &n.CaseData.Misses[k]
			for _, e := range missed.Expected {
				aside := seen[e] || !l.asksAbout(n, e.Thing, e.Want, e.Got)
				seen[e] = true
				held = append(held, ObservedFact{Finding: page.Hold(e), ID: n.ID, Type: n.ErrorType, Miss: k, Alarm: alarm,
					Aside: aside})
			}
			if !alarm && !missed.Complete {
				open := fact.Undecidable(m.Check, first(m.What))
				held = append(held, ObservedFact{Finding: open, ID: n.ID, Type: n.ErrorType, Miss: k, Aside: !l.asksAbout(n,
					m.What...)})
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

// Expects yields each expectation of the cases that the query is about, with its case. It does not read the
// observation.
func (l *Observation) Expects(cases []tree.Node) iter.Seq2[*tree.Node, fact.Expected] {
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

// asksAbout reports whether the query is about an expectation of a case: the query is of the same test, or it contains
// one of the texts.
func (l *Observation) asksAbout(n *tree.Node, words ...string) bool {
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
