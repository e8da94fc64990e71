package prompts

import (
	"slices"
	"strings"
)

// RepairInput is an answer of a model that was refused, and why.
type RepairInput struct {
	Lang string // Chinese for "zh" or "zh-…", else English
	// Task is Prompt.Text of the first prompt. Repair repeats it unchanged, because its data is fenced already.
	Task string
	// Answer is the refused answer, "" for none.
	Answer string
	// Problems are why it was refused, one sentence each.
	Problems []string
}

// Repair returns the prompt that asks the model again, with the reasons for the refusal. Use the schema of the first
// prompt with it.
func (s *Set) Repair(in RepairInput) (Prompt, error) {
	return s.render("repair", in.Lang, map[string]any{
		"Task": in.Task, "Answer": fence("answer", in.Answer, maxVerdict),
		"Problems": fence("reasons", bullets(in.Problems), maxReasons),
	}, nil)
}

// bullets returns the distinct lines as a list. They are fenced, since a reason may quote an answer.
func bullets(reasons []string) string {
	lines := make([]string, 0, len(reasons))
	for _, r := range reasons[:min(len(reasons), maxLines)] {
		if l := listLine(r, maxLine); l != "" && !slices.Contains(lines, "- "+l) {
			lines = append(lines, "- "+l)
		}
	}
	return strings.Join(lines, "\n")
}
