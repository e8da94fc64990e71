// Package llmtest has predictable models for tests, without a mock library and without a network: [Echo] answers with
// the request, [Script] from a list; [Fault] fails on a chosen call, and [Spell] embeds by letters. All are safe for
// concurrent use.
package llmtest

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	"github.com/memtree/memtree/llm"
)

// A Step is one call of a [Script]: it fails with Err, or it returns Text, which is decoded with [llm.Decode] like the
// text of a real model.
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

// NewScript returns a generator that uses one step per call. After the last step every call fails, because a test with
// more calls than planned is wrong.
func NewScript(steps ...Step) *Script { return &Script{steps: steps} }

// Generate uses the next step.
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

// Requests returns the requests so far, in order.
func (s *Script) Requests() []llm.Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// decodeAnswer decodes text into an Answer, as every generator has to.
func decodeAnswer(model, text string, usage llm.Usage, schema json.RawMessage) (llm.Answer, error) {
	raw, err := llm.Decode(text, schema)
	if err != nil {
		return llm.Answer{}, withUsage(err, usage)
	}
	return llm.Answer{JSON: raw, Model: model, Usage: usage}, nil
}
