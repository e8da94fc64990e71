package prompts

// SecondInput is the content of the text for the second run of a test whose first verdict was likely to be wrong.
// Package enhance has written and cleaned the reasons; Second does not change them.
type SecondInput struct {
	Lang    string   // Chinese for "zh" or "zh-…", else English
	Reasons []string // why the first verdict was likely to be wrong, a clause each
}

// Second returns the reasons in in as text for the agent of the second run. It does not include the first verdict, so
// that the agent looks at the test instead of at that verdict.
func (s *Set) Second(in SecondInput) (Prompt, error) {
	return s.render("second", in.Lang, in, nil)
}
