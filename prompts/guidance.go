package prompts

// GuidanceInput is what memory has to say before a run, in the order in which
// it is said. Unlike the other prompts this one is read by somebody else's
// agent inside somebody else's prompt, so its texts come from package enhance,
// which has cleaned, escaped and cut them; they are put in as they are.
type GuidanceInput struct {
	Lang        string   // "zh", or anything else for English
	Facts       []string // what is so now, each a clause
	Strategies  []Hint
	Experiences []Hint
	Cases       []Hint
}

// A Hint is one point of a memory. Check says what to check and what is right; Found, which
// a team has to ask for, what was found then.
type Hint struct{ When, Check, NotWhen, Mistake, Found string }

// Guidance words facts and hints. System is the header of the hints that says how to take
// them, Text the sections; facts are no hypotheses and come before it.
func (s *Set) Guidance(in GuidanceInput) (Prompt, error) {
	return s.render("guidance", in.Lang, in.fields(), nil)
}

func (in GuidanceInput) fields() any { return in }

var sampleGuidance = GuidanceInput{
	Facts:       []string{"the fact"},
	Strategies:  []Hint{{When: "the condition", Check: "the strategy", NotWhen: "the exception", Mistake: "the mistake", Found: "the finding"}},
	Experiences: []Hint{{Check: "the experience"}},
	Cases:       []Hint{{Check: "the case"}},
}
