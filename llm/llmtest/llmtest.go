// Package llmtest has predictable models for tests, without a mock library and without a network: [Echo] answers with
// the request, [Scripted] from a list; [FailingCall] fails on a chosen call, and [Spell] embeds by letters. All are
// safe for concurrent use.
package llmtest

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	"github.com/memtree/memtree/llm"
)

// ScriptStep is what one call of a [Scripted] returns: the error Err, or Text, which is decoded with [llm.Decode] like
// the text of a real model.
type ScriptStep struct {
	Text  string
	Usage llm.Usage
	Err   error
}

// Scripted is an llm.Generator that answers from a list, in order.
type Scripted struct {
	mu       sync.Mutex
	steps    []ScriptStep
	requests []llm.Request
}

// NewScript returns a Scripted that uses one step per call. After the last step every call fails, because a test with
// more calls than planned is wrong.
func NewScript(steps ...ScriptStep) *Scripted { return &Scripted{steps: steps} }

// Generate records the request r and returns what the next step holds.
func (s *Scripted) Generate(ctx context.Context, r llm.Request) (llm.Answer, error) {
	step, err := s.next(ctx, r)
	if err != nil {
		return llm.Answer{}, err
	}
	return decodeAnswer("script", step.Text, step.Usage, r.Schema)
}

func (s *Scripted) next(ctx context.Context, r llm.Request) (ScriptStep, error) {
	if err := ctx.Err(); err != nil {
		return ScriptStep{}, &llm.Error{Kind: llm.KindCancelled, Err: err}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	n := len(s.requests)
	s.requests = append(s.requests, r)
	if n >= len(s.steps) {
		return ScriptStep{}, &llm.Error{Kind: llm.KindUnavailable,
			Err: fmt.Errorf("the script has %d steps, this is call %d", len(s.steps), n+1)}
	}
	return s.steps[n], s.steps[n].Err
}

// Requests returns the requests that Generate received so far, in order.
func (s *Scripted) Requests() []llm.Request {
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
