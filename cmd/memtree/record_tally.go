package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// tally finds out what became of the accepted runs.
func (r *recorder) tally(ctx context.Context, before tree.Info) error {
	after, err := r.mem.Tree().Info(ctx)
	if err != nil {
		return err
	}
	r.out.left = after.Outbox
	r.out.dead = after.Dead - before.Dead
	inCases, verdicts := 0, []*tree.Verdict{}
	formed := map[string]bool{} // cases that no run but ours made
	for entry, err := range r.mem.Tree().Ledger(ctx, before.Entries) {
		if err != nil {
			return fmt.Errorf("read the ledger: %w", err)
		}
		v := entry.Verdict
		if v != nil && r.mine != nil && !r.mine[v.Evaluation] {
			continue
		}
		if v != nil {
			verdicts = append(verdicts, v)
		}
		if v == nil || v.Node == "" {
			continue
		}
		inCases++
		n, err := r.mem.Tree().Get(ctx, v.Node)
		if err != nil {
			return err
		}
		others := func(o tree.Occurrence) bool { return !r.mine[o.Evaluation] }
		if r.mine != nil && !slices.ContainsFunc(n.Occurrences, others) {
			formed[n.ID] = true
		}
		if r.out.types[n.ErrorType] == nil {
			r.out.types[n.ErrorType] = map[taxonomy.Direction]int{}
		}
		r.out.types[n.ErrorType][v.Direction]++
	}
	if r.out.Formed = after.Nodes - before.Nodes; r.mine != nil {
		r.out.Formed = len(formed)
	}
	r.out.Occurrences = inCases - r.out.Formed
	r.relabel(verdicts)
	return nil
}

// relabel counts right and wrong verdicts again, once all of them are formed: a model may
// have decided some that could not be decided when they were read.
func (r *recorder) relabel(verdicts []*tree.Verdict) {
	if len(verdicts) != r.out.Accepted {
		return
	}
	r.out.Correct, r.out.Wrong, r.out.Unlabelled = 0, 0, 0
	for _, v := range verdicts {
		switch {
		case !v.Labelled:
			r.out.Unlabelled++
		case v.Correct:
			r.out.Correct++
		default:
			r.out.Wrong++
		}
	}
}

// sortedTypes returns the error types, the most frequent first.
func sortedTypes(types map[string]map[taxonomy.Direction]int) []string {
	total := func(t string) (n int) {
		for _, k := range types[t] {
			n += k
		}
		return n
	}
	names := make([]string, 0, len(types))
	for t := range types {
		names = append(names, t)
	}
	slices.SortFunc(names, func(x, y string) int { return cmp.Or(total(y)-total(x), cmp.Compare(x, y)) })
	return names
}
