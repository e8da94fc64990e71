package prompts

// SecondInput is what is said before a second run of a test whose first verdict was likely
// to be wrong. Package enhance has worded and cleaned the reasons; they are used as they are.
type SecondInput struct {
	Lang    string   // "zh", or anything else for English
	Reasons []string // why the first verdict was likely to be wrong, a clause each
}

// Second returns the reasons in words. It does not say what the first verdict was, so that
// the second run does not decide for or against it but looks.
func (s *Set) Second(in SecondInput) (Prompt, error) {
	return s.render("second", in.Lang, in.fields(), nil)
}

func (in SecondInput) fields() any { return in }

var sampleSecond = SecondInput{Reasons: []string{"the reason"}}
