package evolution

import (
	"maps"
	"slices"

	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// RefusalRules returns the rules of taxonomy t that tree.NewRefused needs.
func RefusalRules(t *taxonomy.Taxonomy) tree.RefusalRules {
	rules := rulesOf(t)
	return tree.RefusalRules{
		Wider: func(check string) string { c, _ := t.Check(check); return c.Wider },
		Least: func(errorType string) int { return rules.Of(errorType).CaseThreshold },
		Says: func(check string, d taxonomy.Direction) []string {
			c, _ := t.Check(check)
			do := c.Advice(d).Do
			return []string{do.EN, do.ZH}
		},
	}
}

// refused returns people's refusals in the tree.
func (e *Evolver) refused(s *survey) *tree.Refused {
	var lessons []tree.Node
	for _, id := range slices.Sorted(maps.Keys(s.nodes)) {
		if n := s.nodes[id]; n.Type != tree.Case {
			lessons = append(lessons, *n)
		}
	}
	return tree.NewRefused(lessons, RefusalRules(e.o.Taxonomy))
}

// spoken returns the lessons and strategies that a person banned or had forgotten, by partition, sorted by id.
func (s *survey) spoken() map[Partition][]*tree.Node {
	out := map[Partition][]*tree.Node{}
	for _, n := range s.nodes {
		if n.Type != tree.Case && (n.Mark == tree.Banned || n.Forgotten()) {
			out[partitionOf(n)] = append(out[partitionOf(n)], n)
		}
	}
	for _, list := range out {
		byID(list)
	}
	return out
}

// anySpoken reports whether holds is true of a banned (or else a forgotten) memory of a type in
// the partition.
func (w *partitionWork) anySpoken(t tree.Type, banned bool, holds func(*tree.Node) bool) bool {
	return slices.ContainsFunc(w.spoken[w.Partition], func(n *tree.Node) bool {
		return n.Type == t && !n.Rejected() && (n.Mark == tree.Banned) == banned && holds(n)
	})
}

// banned reports whether a person banned the lesson of a bucket. A lesson is identified by its check; one without a
// check by half of its cases.
func (w *partitionWork) banned(b *bucket) bool {
	return w.anySpoken(tree.Experience, true, func(n *tree.Node) bool {
		if kind := kindOf(n); kind != "" || b.check != "" {
			return kind == b.check
		}
		return 2*common(stoodOn(n), b.cases) >= len(b.cases)
	})
}

// refusedHere reports whether a person banned the subject of a lesson or strategy in use: it came from another tree
// under another id.
func (w *partitionWork) refusedHere(n *tree.Node) bool {
	return n.Mark != tree.Pinned && w.anySpoken(n.Type, true, func(b *tree.Node) bool {
		return n.Type == tree.Strategy || kindOf(b) == kindOf(n) && kindOf(n) != ""
	})
}

// refusedDraft reports whether a person refused the content of a draft: the draft itself, or one of its sentences in
// another lesson.
func (w *partitionWork) refusedDraft(job string, n *tree.Node) bool {
	return w.s.no.Job(job) || n.Type == tree.Experience &&
		slices.ContainsFunc(n.Content.Lessons, func(l tree.Lesson) bool { return w.s.no.Lesson(n, &l) })
}

// noStrategy reports whether a person banned the strategy of the partition, or had it forgotten and no experience was
// added since.
func (w *partitionWork) noStrategy(parts []*formedNode, present *tree.Node) bool {
	if present != nil {
		return false // a banned one has been retired
	}
	return w.anySpoken(tree.Strategy, true, func(*tree.Node) bool { return true }) ||
		w.anySpoken(tree.Strategy, false, func(n *tree.Node) bool {
			was := stoodOn(n)
			return !slices.ContainsFunc(parts, func(p *formedNode) bool { return !slices.Contains(was, p.ID) })
		})
}

// stoodOn returns the ids of the children of a lesson and of its sources when it was written.
func stoodOn(n *tree.Node) []string {
	out := slices.Concat(n.Children, n.Provenance.Cites)
	slices.Sort(out)
	return slices.Compact(out)
}
