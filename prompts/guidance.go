package prompts

import (
	"slices"

	"github.com/memtree/memtree/taxonomy"
)

// GuidanceInput is the content of the guidance for a run, which an agent gets inside its own prompt. Package enhance
// has cleaned, escaped and cut the texts; Guidance does not change them.
type GuidanceInput struct {
	Lang        string   // Chinese for "zh" or "zh-…", else English
	Open        []string // checks that Facts leave open, to be made first, a sentence each
	Facts       []string // what is true of the page now, a clause each
	Known       []string // facts about the product, a sentence each
	Strategies  []Hint
	Experiences []Hint
	Taught      []Hint // lessons that people or agents taught, not learned from runs
	Cases       []Hint
}

// A Hint is what guidance includes of one memory. Check is what to check and what is right. When and NotWhen are the
// conditions of Check, Mistake is what went wrong. Found is the defect that an earlier run missed, or a person's note
// on an earlier run of the same test. Each text but Check may be "".
type Hint struct {
	When, Check, NotWhen, Mistake, Found string

	Direction taxonomy.Direction // of a case: which way its verdict was wrong
	Here      bool               // of a case: it was the same test as this run
	Plain     bool               // Check is no instruction
}

// CaseGroup is the hints of cases that appear under one heading.
type CaseGroup struct {
	Missed bool // the cases are missed defects
	Alarm  bool // the cases are false alarms; with neither Missed nor Alarm they are other mistakes
	Here   bool // the cases were the same test as this run
	Plain  bool // no hint is an instruction
	Hints  []Hint
}

// CaseGroups returns the hints in in.Cases, grouped by heading: each group has one combination of Missed, Alarm, Here
// and Plain. The groups are in the order of their first hints.
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

// Guidance returns in as text for the prompt of an agent. Prompt.System has Open, Facts and Known, then a header that
// warns that the hints may not apply. Prompt.Text has the sections of hints.
func (s *Set) Guidance(in GuidanceInput) (Prompt, error) {
	return s.render("guidance", in.Lang, in, nil)
}
