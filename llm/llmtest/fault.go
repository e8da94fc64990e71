package llmtest

import (
	"context"
	"errors"
	"sync/atomic"

	"github.com/memtree/memtree/llm"
)

// FailingCall is an llm.Generator and llm.Embedder that passes calls to its fields Generator and Embedder. One call
// fails with Err instead.
type FailingCall struct {
	Generator llm.Generator
	Embedder  llm.Embedder
	Call      int // number of the call that fails, counted from 1 over both
	Err       error

	calls atomic.Int64
}

// Calls returns the number of calls of Generate and Embed so far.
func (f *FailingCall) Calls() int { return int(f.calls.Load()) }

// Generate calls Generator, or fails if it is the call to fail.
func (f *FailingCall) Generate(ctx context.Context, r llm.Request) (llm.Answer, error) {
	if f.calls.Add(1) == int64(f.Call) {
		return llm.Answer{}, f.Err
	}
	return f.Generator.Generate(ctx, r)
}

// ID returns the ID of Embedder.
func (f *FailingCall) ID() string { return f.Embedder.ID() }

// Dims returns the Dims of Embedder.
func (f *FailingCall) Dims() int { return f.Embedder.Dims() }

// Embed calls Embedder, or fails if it is the call to fail.
func (f *FailingCall) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	if f.calls.Add(1) == int64(f.Call) {
		return nil, f.Err
	}
	return f.Embedder.Embed(ctx, texts)
}

// withUsage sets the usage of an [*llm.Error].
func withUsage(err error, usage llm.Usage) error {
	if e, ok := errors.AsType[*llm.Error](err); ok {
		e.Usage = usage
	}
	return err
}
