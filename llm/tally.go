package llm

import (
	"context"
	"sync"
)

// TokenCount sums up the tokens that embedders use, because an [Embedder] returns only vectors. It is safe for
// concurrent use.
type TokenCount struct {
	outer *TokenCount // of the parent context; nil: none

	mu     sync.Mutex
	usage  Usage
	untold bool
}

type tallyKey struct{}

// WithTally returns a context in which embedders add their usage to a tally, and to that of ctx, if it has one.
func WithTally(ctx context.Context) (context.Context, *TokenCount) {
	t := &TokenCount{}
	t.outer, _ = ctx.Value(tallyKey{}).(*TokenCount)
	return context.WithValue(ctx, tallyKey{}, t), t
}

// Took adds the usage of one request to the tally of ctx, if there is one. A zero usage means unknown.
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

// Usage returns the sum. It is zero if the usage of any request is unknown, because a partial sum is not the usage.
func (t *TokenCount) Usage() Usage {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.untold {
		return Usage{}
	}
	return t.usage
}
