package memtree

import (
	"context"
	"fmt"

	"github.com/memtree/memtree/assertion"
	"github.com/memtree/memtree/enhance"
	"github.com/memtree/memtree/fact"
	"github.com/memtree/memtree/internal/guard"
	"github.com/memtree/memtree/retrieval"
)

// maxChecks is the maximum number of assertions of Checks.
const maxChecks = 50

// Checks returns at most 50 checks that runs missed on this page, or in this test, as assertions for test tools. With
// Query.Observation each has the state that it finds there: holds, broken or unknown. Advanced.
func (m *Memory) Checks(ctx context.Context, q Query) ([]assertion.Assertion, error) {
	if err := m.admit(&q); err != nil {
		return nil, err
	}
	r, a, err := m.searchHeeding(ctx, retrieval.Query{
		Prompt: q.Prompt, Step: q.Step, Lang: q.Lang, Scene: q.Scene, Scope: q.Scope,
		Exclude: q.Exclude, ExcludeTests: q.ExcludeTests, Now: m.opts.Now(), Limits: q.Limits,
	}, (*retrieval.Index).Search)
	if err != nil {
		return nil, fmt.Errorf("checks: %w", err)
	}
	cases, err := m.givenAll(ctx, r.Here, a)
	if err != nil {
		return nil, fmt.Errorf("checks: %w", err)
	}
	look := enhance.Observation{Prompt: q.Prompt, Step: q.Step, Test: q.Scope.Test}
	page := fact.Read(q.Observation)
	var all []assertion.Assertion
	for n, e := range look.Expects(cases) {
		says := enhance.Expectation(e, q.Lang)
		if _, unsafe := guard.Unsafe(says); unsafe {
			continue
		}
		a := assertion.Of(&e, n, says)
		if q.Observation != "" {
			f := page.Hold(e)
			a.On(&f)
		}
		all = append(all, a)
	}
	all = assertion.Merge(all)
	return all[:min(maxChecks, len(all))], nil
}
