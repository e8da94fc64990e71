package prompts

import "slices"

// RepairInput is an answer that was refused.
type RepairInput struct {
	Lang string // "zh", or anything else for English
	// Task is the Text of the prompt that was asked. It is repeated as it is: its
	// data is fenced already.
	Task string
	// Answer is what the model wrote, "" when nothing came.
	Answer string
	// Problems says what is wrong with it, a sentence each.
	Problems []string
}

// Repair asks the same again with the reasons for the refusal. The schema is
// that of the first prompt.
func (s *Set) Repair(in RepairInput) (Prompt, error) {
	return s.render("repair", in.Lang, in.fields(), nil)
}

func (in RepairInput) fields() any {
	lines := make([]string, 0, len(in.Problems))
	for _, p := range in.Problems[:min(len(in.Problems), maxLines)] {
		if l := line(p, maxLine); l != "" && !slices.Contains(lines, l) {
			lines = append(lines, l)
		}
	}
	return struct {
		Task, Answer string
		Problems     []string
	}{in.Task, data("answer", in.Answer, maxVerdict), lines}
}

var sampleRepair = RepairInput{Task: "the task", Answer: "the answer", Problems: []string{"the problem"}}
