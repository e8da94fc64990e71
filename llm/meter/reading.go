package meter

import (
	"context"
	"errors"
	"sync"

	"github.com/memtree/memtree/llm"
)

// Reading bounds the reading of texts by a model, one question after another. The zero value sets no bounds.
type Reading struct {
	DryRun   bool          // call no model and write nothing; what it would use is estimated
	MaxCalls *int          // calls of the model; nil: no bound
	MaxCost  *float64      // cost of these calls, by Price; nil: no bound
	Price    Price         // price of the model's tokens
	Reader   llm.Generator // the model to call instead of the memory's; nil: that one
}

// ReadUsage is what a reading used, or with DryRun would use.
type ReadUsage struct {
	Calls int       `json:"calls"` // calls of the model
	Usage llm.Usage `json:"usage"` // tokens of these calls
	Cost  float64   `json:"-"`     // of these tokens, by Price
}

// Model returns the model to call: Reader, or own. If both are nil the error has llm.KindNotSet, but not with DryRun.
func (r *Reading) Model(own llm.Generator) (llm.Generator, error) {
	if r.Reader != nil {
		own = r.Reader
	}
	if own == nil && !r.DryRun {
		return nil, &llm.Error{Kind: llm.KindNotSet, Err: errors.New("no model is configured")}
	}
	return own, nil
}

// Each calls ask with 0 to n-1 and a meter of the model, at most atOnce at a time, until ctx ends, a bound is reached,
// or inRow calls in a row gave no answer. It calls the functions that ask returns one at a time, with what is used so
// far. It waits for all and returns how many it did not call, which are the last ones, and what was used.
//
// With DryRun the meter is of an Estimator, and Each does not call the functions that ask returns.
func (r *Reading) Each(
	ctx context.Context, model llm.Generator, n, atOnce, inRow int, ask func(i int, of *Meter) func(ReadUsage),
) (left int, _ ReadUsage) {
	of := New(model, Options{Calls: r.MaxCalls, Cost: r.MaxCost, Price: r.Price.Of, InRow: inRow})
	if r.DryRun {
		of = New(&Estimator{}, Options{})
	}
	used := func() ReadUsage {
		s := of.Total()
		return ReadUsage{s.Calls, s.Usage, r.Price.Of(s.Usage)}
	}
	var mu sync.Mutex
	left = of.Each(ctx, n, atOnce, func(i int) {
		done := ask(i, of)
		mu.Lock()
		defer mu.Unlock()
		if !r.DryRun {
			done(used())
		}
	})
	return left, used()
}

// Less returns r with its bounds less what was used.
func (r Reading) Less(used ReadUsage) Reading {
	if r.MaxCalls != nil {
		r.MaxCalls = new(max(0, *r.MaxCalls-used.Calls))
	}
	if r.MaxCost != nil {
		r.MaxCost = new(max(0, *r.MaxCost-used.Cost))
	}
	return r
}
