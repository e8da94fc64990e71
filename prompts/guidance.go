package prompts

// GuidanceInput is what memory says before a run, in the order it is said. Another
// agent reads this prompt inside a prompt of its own. Package enhance has cleaned,
// escaped and cut the texts; they are used as they are.
type GuidanceInput struct {
	Lang        string   // "zh", or anything else for English
	Open        []string // what has to be checked because the facts leave it open, each a sentence
	Facts       []string // what is true now, each a clause
	Strategies  []Hint
	Experiences []Hint
	Cases       []Hint
}

// A Hint is one point of a memory. Check says what to check and what is right. Found says
// what was found at that time, and is there only if a team asked for it.
type Hint struct{ When, Check, NotWhen, Mistake, Found string }

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
	Cases:       []Hint{{Check: "the case"}},
}
