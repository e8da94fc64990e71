package prompts

import (
	"slices"

	"github.com/memtree/memtree/taxonomy"
)

// GuidanceInput is the content of guidance before a run, in its order. Another agent reads this text inside a prompt
// of its own. Package enhance has cleaned, escaped and cut the texts; they are used unchanged.
type GuidanceInput struct {
	Lang        string   // "zh", or anything else for English
	Open        []string // what has to be checked because the facts leave it open, each a sentence
	Facts       []string // what is true now, each a clause
	Known       []string // what holds of the product, each a sentence
	Strategies  []Hint
	Experiences []Hint
	Taught      []Hint // by people, not learned from runs
	Cases       []Hint
}

// A Hint is one point of a memory. Check is what to check and what is right. Found is the finding at that time, set
// only if a team requested it. Direction and Here are of a case: which way it was misjudged, and whether in this very
// test.
type Hint struct {
	When, Check, NotWhen, Mistake, Found string

	Direction taxonomy.Direction
	Here      bool
	Plain     bool // it is no instruction
}

// CaseGroup is the hints of cases under one heading.
type CaseGroup struct {
	Missed, Alarm, Here bool // a missed defect, a false alarm or, with neither, another mistake
	Plain               bool // no line is an instruction
	Hints               []Hint
}

// CaseGroups returns the hints of the cases grouped by heading, so that a heading gives an instruction only if the
// lines below it do. The groups are in the order of their first hints.
func (in GuidanceInput) CaseGroups() []CaseGroup {
	var out []CaseGroup
	for _, h := range in.Cases {
		g := CaseGroup{Missed: h.Direction == taxonomy.FalsePass, Alarm: h.Direction == taxonomy.FalseFail, Here: h.Here,
			Plain: h.Plain}
		i := slices.IndexFunc(out, func(o CaseGroup) bool {
			return o.Missed == g.Missed && o.Alarm == g.Alarm && o.Here == g.Here && o.Plain == g.Plain
		})
		if i < 0 {
			i, out = len(out), append(out, g)
		}
		out[i].Hints = append(out[i].Hints, h)
	}
	return out
}

// Guidance returns facts and hints as text. System is the header of the hints, which describes how to use them; Text
// has their sections. Facts are not hypotheses and come before the header, as does
// what is known of the product.
func (s *Set) Guidance(in GuidanceInput) (Prompt, error) {
	return s.render("guidance", in.Lang, in.fields(), nil)
}

func (in GuidanceInput) fields() any { return in }

// sampleGuidance has a value in every field that a Hint can have; see samples.
var sampleGuidance = GuidanceInput{
	Open:  []string{"the open check"},
	Facts: []string{"the fact"},
	Known: []string{"the product's fact"},
	Strategies: []Hint{{When: "the condition", Check: "the strategy", NotWhen: "the exception", Mistake: "the mistake",
		Found: "the finding"}},
	Experiences: []Hint{{Check: "the experience"}},
	Taught:      []Hint{{Check: "the lesson"}},
	Cases:       []Hint{{Check: "the case"}},
}
