package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// tally determines the results of the accepted runs from the ledger entries after before.
func (r *recorder) tally(ctx context.Context, before tree.Info) error {
	after, err := r.mem.Tree().Info(ctx)
	if err != nil {
		return err
	}
	r.out.left = after.Outbox
	r.out.dead = after.Dead - before.Dead
	inCases, found := 0, verdictCounts{}
	formed := map[string]bool{} // cases that only our runs created
	for entry, err := range r.mem.Tree().Ledger(ctx, before.Entries) {
		if err != nil {
			return fmt.Errorf("read the ledger: %w", err)
		}
		v := entry.Verdict
		if v != nil && r.mine != nil && !r.mine[v.Evaluation] {
			continue
		}
		if v != nil {
			found.add(v)
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
	r.relabel(found)
	return nil
}

// verdictCounts is the number of verdicts by label. It does not store them: a report may have half a million.
type verdictCounts struct{ right, wrong, unlabelled int }

func (c *verdictCounts) add(v *tree.Verdict) {
	switch {
	case !v.Labelled:
		c.unlabelled++
	case v.Correct:
		c.right++
	default:
		c.wrong++
	}
}

// relabel replaces the numbers of right and wrong verdicts once all runs are formed: a model may have decided some
// that could not be decided when they were read.
func (r *recorder) relabel(found verdictCounts) {
	if found.right+found.wrong+found.unlabelled == r.out.Accepted {
		r.out.Correct, r.out.Wrong, r.out.Unlabelled = found.right, found.wrong, found.unlabelled
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
