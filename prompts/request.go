package prompts

import "github.com/memtree/memtree/llm"

// Request returns the llm.Request for p, with an answer of at most maxTokens tokens. lang is the language of the prompt
// that asks again after a refused answer: Chinese for "zh" or "zh-…", else English.
func (s *Set) Request(p Prompt, lang string, maxTokens int) llm.Request {
	return llm.Request{
		Name: p.Name(), System: p.System, Prompt: p.Text, Schema: p.Schema, MaxTokens: maxTokens,
		Repair: func(answer string, problems []string) (string, error) {
			again, err := s.Repair(RepairInput{Lang: lang, Task: p.Text, Answer: answer, Problems: problems})
			return again.Text, err
		},
	}
}
