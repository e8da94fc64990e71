package prompts

import (
	"slices"

	"github.com/memtree/memtree/taxonomy"
)

// GuidanceInput is what memory says before a run, in the order it is said. Another
// agent reads this prompt inside a prompt of its own. Package enhance has cleaned,
// escaped and cut the texts; they are used as they are.
type GuidanceInput struct {
	Lang        string   // "zh", or anything else for English
	Open        []string // what has to be checked because the facts leave it open, each a sentence
	Facts       []string // what is true now, each a clause
	Strategies  []Hint
	Experiences []Hint
	Taught      []Hint // by people, of no run
	Cases       []Hint
}

// A Hint is one point of a memory. Check says what to check and what is right. Found says
// what was found at that time, and is there only if a team asked for it. Direction and Here are of a
// case: which way it was misjudged, and whether in this very test.
type Hint struct {
	When, Check, NotWhen, Mistake, Found string

	Direction taxonomy.Direction
	Here      bool
	Plain     bool // it does not ask for anything
}

// CaseGroup is the hints of cases that have one heading in common.
type CaseGroup struct {
	Missed, Alarm, Here bool // a missed defect, a false alarm or, with neither, another mistake
	Plain               bool // nothing is asked for
	Hints               []Hint
}

// CaseGroups returns the hints of the cases by what the heading has to say of them, so that it asks
// for what the lines below it ask for. The groups are in the order of their first hints.
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

// Guidance returns facts and hints in words. System is the header of the hints, which says
// how to take them; Text has their sections. Facts are not hypotheses and come before it.
func (s *Set) Guidance(in GuidanceInput) (Prompt, error) {
	return s.render("guidance", in.Lang, in.fields(), nil)
}

func (in GuidanceInput) fields() any { return in }

// sampleGuidance has a value in every field that a Hint can have; see samples.
var sampleGuidance = GuidanceInput{
	Open:  []string{"the open check"},
	Facts: []string{"the fact"},
	Strategies: []Hint{{When: "the condition", Check: "the strategy", NotWhen: "the exception", Mistake: "the mistake",
		Found: "the finding"}},
	Experiences: []Hint{{Check: "the experience"}},
	Taught:      []Hint{{Check: "the lesson"}},
	Cases:       []Hint{{Check: "the case"}},
}
