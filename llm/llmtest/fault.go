package llmtest

import (
	"context"
	"errors"
	"sync/atomic"

	"github.com/memtree/memtree/llm"
)

// FailingCall passes calls to Generator or Embedder. The call number Call, counted from 1 over both, fails with Err
// instead.
type FailingCall struct {
	Generator llm.Generator
	Embedder  llm.Embedder
	Call      int
	Err       error

	calls atomic.Int64
}

// Calls returns the number of calls.
func (f *FailingCall) Calls() int { return int(f.calls.Load()) }

// Generate passes the call on, or fails.
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

// Embed passes the call on, or fails.
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
