// Package llmtest has models that do what a test expects, without a mock library and
// without a network: [Echo] answers with what it was asked, [Script] from a list,
// [Replay] from recorded files; [Fault] fails on a chosen call, and [Spell] embeds by
// letters. All are safe for concurrent use.
package llmtest

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	"github.com/memtree/memtree/llm"
)

// A Step is one call of a [Script]: it fails with Err, or it writes Text, which is
// decoded with [llm.Decode] like the text of a real model.
type Step struct {
	Text  string
	Usage llm.Usage
	Err   error
}

// Script is a generator that answers from a list, in order.
type Script struct {
	mu       sync.Mutex
	steps    []Step
	requests []llm.Request
}

// NewScript returns a generator that takes one step per call. After the last step every
// call fails, because a test that asks more often than it planned is wrong.
func NewScript(steps ...Step) *Script { return &Script{steps: steps} }

// Generate takes the next step.
func (s *Script) Generate(ctx context.Context, r llm.Request) (llm.Answer, error) {
	step, err := s.next(ctx, r)
	if err != nil {
		return llm.Answer{}, err
	}
	return decodeAnswer("script", step.Text, step.Usage, r.Schema)
}

func (s *Script) next(ctx context.Context, r llm.Request) (Step, error) {
	if err := ctx.Err(); err != nil {
		return Step{}, &llm.Error{Kind: llm.KindCancelled, Err: err}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	n := len(s.requests)
	s.requests = append(s.requests, r)
	if n >= len(s.steps) {
		return Step{}, &llm.Error{Kind: llm.KindUnavailable,
			Err: fmt.Errorf("the script has %d steps, this is call %d", len(s.steps), n+1)}
	}
	return s.steps[n], s.steps[n].Err
}

// Requests returns what was asked so far, in order.
func (s *Script) Requests() []llm.Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// decodeAnswer decodes text and returns it as every generator has to.
func decodeAnswer(model, text string, usage llm.Usage, schema json.RawMessage) (llm.Answer, error) {
	raw, err := llm.Decode(text, schema)
	if err != nil {
		return llm.Answer{}, withUsage(err, usage)
	}
	return llm.Answer{JSON: raw, Model: model, Usage: usage}, nil
}
