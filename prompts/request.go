package prompts

import "github.com/memtree/memtree/llm"

// Request returns the request of a prompt to a model, for an answer of at most maxTokens. An answer that is refused is
// repaired in the language of the prompt.
func (s *Set) Request(p Prompt, lang string, maxTokens int) llm.Request {
	return llm.Request{
		Name: p.Name(), System: p.System, Prompt: p.Text, Schema: p.Schema, MaxTokens: maxTokens,
		Repair: func(answer string, problems []string) (string, error) {
			again, err := s.Repair(RepairInput{Lang: lang, Task: p.Text, Answer: answer, Problems: problems})
			return again.Text, err
		},
	}
}
