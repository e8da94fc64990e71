package llm

import (
	"context"
	"sync"
)

// TokenCount sums the tokens that embedders use under a context, because an [Embedder] returns only vectors. It is safe
// for concurrent use.
type TokenCount struct {
	outer *TokenCount // of the parent context; nil: none

	mu     sync.Mutex
	usage  Usage
	untold bool
}

type tallyKey struct{}

// WithTally returns a context, and a TokenCount to which embedders add what they use under that context. They add it to
// the TokenCount of ctx too, if there is one.
func WithTally(ctx context.Context) (context.Context, *TokenCount) {
	t := &TokenCount{}
	t.outer, _ = ctx.Value(tallyKey{}).(*TokenCount)
	return context.WithValue(ctx, tallyKey{}, t), t
}

// Took adds u, the usage of one request, to all TokenCounts of ctx. It is for embedders. A zero u means unknown.
func Took(ctx context.Context, u Usage) {
	t, _ := ctx.Value(tallyKey{}).(*TokenCount)
	for ; t != nil; t = t.outer {
		t.add(u)
	}
}

func (t *TokenCount) add(u Usage) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.usage = t.usage.Add(u)
	t.untold = t.untold || u == Usage{}
}

// Usage returns the sum so far. It is zero if the usage of any request is unknown, because a partial sum would be
// misleading.
func (t *TokenCount) Usage() Usage {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.untold {
		return Usage{}
	}
	return t.usage
}
