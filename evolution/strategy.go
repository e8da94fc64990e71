package evolution

import (
	"fmt"
	"slices"

	"github.com/memtree/memtree/tree"
)

// strategy forms, follows or retires the strategy over the experiences of the
// partition.
func (w *work) strategy() error {
	var present *tree.Node
	for _, n := range w.strategies {
		switch {
		case partitionOf(n) != w.Partition || n.Elsewhere != nil:
		case present == nil:
			present = n
		default: // trees were merged
			w.retireStrategy(n, "another strategy of its error type is in use")
		}
	}
	all := &bucket{Partition: w.Partition, close: 1}
	var parts []*formedNode
	for _, f := range w.formed {
		n, _ := w.edits.get(f.id)
		parts = append(parts, &formedNode{&n, f.bucket})
		all.cases = append(all.cases, f.bucket.cases...)
	}
	all.cases = united(all.cases, nil)
	enough := len(parts) >= w.Rule.ExperienceThreshold && tests(all.cases) >= leastTests && len(all.cases) >= leastStrategyCases
	switch {
	case !enough && present != nil:
		w.retireStrategy(present, "too few experiences are left of it")
		return nil
	case !enough:
		return nil
	}
	slices.SortFunc(parts, func(a, b *formedNode) int { return compareIDs(a.Node, b.Node) })
	ids := make([]string, len(parts))
	for i, p := range parts {
		ids[i] = p.ID
	}
	n, ok, err := w.strategyOf(all, parts, ids, present)
	if err != nil || !ok {
		return err
	}
	for _, id := range ids {
		if e, _ := w.edits.get(id); e.Parent != n.ID {
			e.Parent = n.ID
			w.edits.put(e, tree.OpAttach, "part of "+n.ID)
		}
	}
	return nil
}

// strategyOf returns the strategy over experiences: the one there is, brought up
// to them, or a new one.
func (w *work) strategyOf(all *bucket, parts []*formedNode, ids []string, present *tree.Node) (tree.Node, bool, error) {
	if present != nil && slices.Equal(present.Children, ids) && !w.counted(present, parts) {
		return present.Clone(), true, nil
	}
	if len(all.cases) > tree.MaxChildren {
		all.cases = mostRecent(all.cases)
	}
	j := w.newJob(tree.Strategy, all, parts, present)
	n, ok, err := tree.Node{}, false, error(nil)
	if present == nil || present.Mark != tree.Pinned {
		n, ok, err = w.write(j)
	}
	switch {
	case err != nil:
		return n, false, err
	case !ok && present == nil:
		return n, false, nil
	case !ok && j.refused && outdated(present):
		w.retireStrategy(present, "its words are of rules that are gone")
		return n, false, nil
	case !ok:
		n = present.Clone() // the old words stand over the experiences there are
	}
	n.Children = ids
	op := tree.OpAdd
	if present != nil {
		op = tree.OpRevise
	}
	w.edits.put(n, op, fmt.Sprintf("%d experiences of one error type", len(ids)))
	return n, true, nil
}

// counted reports whether the experiences of a strategy have changed so much that
// it is to be counted anew: another order, other words, or other rules.
func (w *work) counted(n *tree.Node, parts []*formedNode) bool {
	if outdated(n) || n.Provenance.Again && w.e.o.Generator != nil {
		return true
	}
	if n.Provenance.Analyst != "rules" {
		return false
	}
	fresh := strategyByRules(&job{parts: parts})
	return !slices.EqualFunc(fresh.Lessons, n.Content.Lessons, func(a, b tree.Lesson) bool { return a.Kind == b.Kind })
}

func (w *work) retireStrategy(n *tree.Node, why string) {
	for _, id := range n.Children {
		if e, ok := w.edits.get(id); ok && e.Parent == n.ID {
			e.Parent = ""
			w.edits.put(e, tree.OpAttach, "no longer part of "+n.ID)
		}
	}
	c := n.Clone()
	c.Children, c.Status = []string{}, tree.Retired
	w.edits.put(c, tree.OpStatus, why)
}
