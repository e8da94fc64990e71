package llm

import (
	"context"
	"sync"
)

// Tally sums up the tokens that embedders use, because an [Embedder] returns only vectors. It is safe for concurrent
// use.
type Tally struct {
	outer *Tally // of the parent context; nil: none

	mu     sync.Mutex
	usage  Usage
	untold bool
}

type tallyKey struct{}

// WithTally returns a context in which embedders add their usage to a tally, and to that of ctx, if it has one.
func WithTally(ctx context.Context) (context.Context, *Tally) {
	t := &Tally{}
	t.outer, _ = ctx.Value(tallyKey{}).(*Tally)
	return context.WithValue(ctx, tallyKey{}, t), t
}

// Took adds the usage of one request to the tally of ctx, if there is one. A zero usage means unknown.
func Took(ctx context.Context, u Usage) {
	t, _ := ctx.Value(tallyKey{}).(*Tally)
	for ; t != nil; t = t.outer {
		t.add(u)
	}
}

func (t *Tally) add(u Usage) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.usage = t.usage.Add(u)
	t.untold = t.untold || u == Usage{}
}

// Usage returns the sum. It is zero if the usage of any request is unknown, because a partial sum is not the usage.
func (t *Tally) Usage() Usage {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.untold {
		return Usage{}
	}
	return t.usage
}
