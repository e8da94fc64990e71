package prompts

// SecondInput is the content of the text before a second run of a test whose first verdict was likely to be wrong.
// Package enhance has written and cleaned the reasons; they are used unchanged.
type SecondInput struct {
	Lang    string   // "zh", or anything else for English
	Reasons []string // why the first verdict was likely to be wrong, a clause each
}

// Second returns the reasons as text. It does not include the first verdict, so that the second run looks instead of
// deciding for or against it.
func (s *Set) Second(in SecondInput) (Prompt, error) {
	return s.render("second", in.Lang, in.fields(), nil)
}

func (in SecondInput) fields() any { return in }

var sampleSecond = SecondInput{Reasons: []string{"the reason"}}
