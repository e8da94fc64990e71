package memtree

import (
	"context"
	"fmt"
	"slices"

	"github.com/memtree/memtree/evolution"
	"github.com/memtree/memtree/tree"
)

// Proposals returns the lessons that an Evolve with Review left for a person,
// without asking a model.
func (m *Memory) Proposals(ctx context.Context) ([]evolution.Proposal, error) {
	v, err := m.Evolve(ctx, &EvolveOptions{DryRun: true, Review: true, KeepAll: true})
	if err != nil {
		return nil, fmt.Errorf("read proposals: %w", err)
	}
	jobs, err := m.openJobs(ctx, true)
	if err != nil {
		return nil, fmt.Errorf("read proposals: %w", err)
	}
	return slices.DeleteFunc(v.Proposals(), func(p evolution.Proposal) bool {
		_, kept := jobs.Get(p.Key)
		return !kept // what rules would write now, nobody has asked for
	}), nil
}

// Decide takes a person's word on proposals: accepted ones go into the tree,
// rejected ones are not written again until their evidence changes; why is
// required for these. It returns what was applied. An unknown key is a
// *tree.FieldError, and nothing is decided then.
func (m *Memory) Decide(ctx context.Context, accept, reject []string, why string) (Evolved, error) {
	if m.opts.ReadOnly {
		return Evolved{}, fmt.Errorf("decide: %w", tree.ErrReadOnly)
	}
	if why == "" && len(reject) > 0 {
		return Evolved{}, &tree.FieldError{Field: "why", Problem: "is missing; say why a proposal is rejected"}
	}
	all, err := m.Proposals(ctx)
	if err != nil {
		return Evolved{}, err
	}
	jobs, err := m.openJobs(ctx, false)
	if err != nil {
		return Evolved{}, fmt.Errorf("decide: %w", err)
	}
	for _, key := range append(slices.Clone(accept), reject...) {
		at := slices.IndexFunc(all, func(p evolution.Proposal) bool { return p.Key == key })
		if at < 0 {
			return Evolved{}, &tree.FieldError{Field: "key", Problem: fmt.Sprintf("is %q, which is no proposal", key)}
		}
		value, _ := jobs.Get(key)
		if slices.Contains(accept, key) {
			value, err = evolution.Accept(value)
		} else {
			value, err = evolution.Reject(value, &all[at], why)
		}
		if err == nil {
			err = jobs.Put(ctx, key, value)
		}
		if err != nil {
			return Evolved{}, fmt.Errorf("decide on %s: %w", key, err)
		}
	}
	if err := jobs.save(ctx); err != nil {
		return Evolved{}, fmt.Errorf("decide: %w", err)
	}
	return m.Evolve(ctx, &EvolveOptions{MaxCalls: -1, Review: true, KeepAll: true})
}
