package llm

import (
	"context"
	"sync"
)

// Tally adds up the tokens that embedders take, since an [Embedder] returns vectors alone. It is safe
// for concurrent use.
type Tally struct {
	outer *Tally // of the context that it was put into; nil: there was none

	mu     sync.Mutex
	usage  Usage
	untold bool
}

type tallyKey struct{}

// WithTally returns a context in which embedders add what they take to a tally, and to that of ctx, if it has one.
func WithTally(ctx context.Context) (context.Context, *Tally) {
	t := &Tally{}
	t.outer, _ = ctx.Value(tallyKey{}).(*Tally)
	return context.WithValue(ctx, tallyKey{}, t), t
}

// Took adds what one request took to the tally of ctx, if there is one. A usage of zero says that the
// provider did not tell.
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

// Usage returns the sum. It is zero if the provider of one of the requests did not tell: a part is not what was
// spent.
func (t *Tally) Usage() Usage {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.untold {
		return Usage{}
	}
	return t.usage
}
