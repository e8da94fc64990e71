package meter

import (
	"context"
	"errors"
	"sync"

	"github.com/memtree/memtree/llm"
)

// Reading sets the limits of a job in which a model answers many questions. The zero value sets none.
type Reading struct {
	DryRun   bool          // call no model and write nothing; what it would use is estimated
	MaxCalls *int          // most calls of the model; nil: no limit
	MaxCost  *float64      // most cost of these calls, by Price; nil: no limit
	Price    Price         // price of the model's tokens
	Reader   llm.Generator // the model to call instead of the memory's; nil: the memory's
}

// ReadUsage is what a reading used, or with DryRun would use.
type ReadUsage struct {
	Calls int       `json:"calls"` // calls of the model
	Usage llm.Usage `json:"usage"` // tokens of these calls
	Cost  float64   `json:"-"`     // of these tokens, by Price
}

// Model returns the model to call: Reader, or own without a Reader. If both are nil, the error has llm.KindNotSet,
// except with DryRun.
func (r *Reading) Model(own llm.Generator) (llm.Generator, error) {
	if r.Reader != nil {
		own = r.Reader
	}
	if own == nil && !r.DryRun {
		return nil, &llm.Error{Kind: llm.KindNotSet, Err: errors.New("no model is configured")}
	}
	return own, nil
}

// Each calls ask with 0 to n-1 and a meter of model, at most atOnce at a time, until ctx ends, a limit of r is reached,
// or inRow consecutive calls of the model gave no answer. After each ask it calls the function that ask returned, one
// at a time, with the usage so far. It returns how many calls of ask it did not make, which are the last ones, and the
// usage of all.
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

// Less returns r with MaxCalls and MaxCost reduced by what was used, to 0 at least.
func (r Reading) Less(used ReadUsage) Reading {
	if r.MaxCalls != nil {
		r.MaxCalls = new(max(0, *r.MaxCalls-used.Calls))
	}
	if r.MaxCost != nil {
		r.MaxCost = new(max(0, *r.MaxCost-used.Cost))
	}
	return r
}
