package evolution

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/memtree/memtree/tree"
)

// strategy makes, updates or retires the strategy over the experiences of the
// partition.
func (w *partitionWork) strategy() error {
	var present *tree.Node
	for _, n := range w.strategies {
		switch {
		case partitionOf(n) != w.Partition:
		case w.refusedHere(n):
			w.retireStrategy(n, "a person banned the strategy of its error type")
		case n.Elsewhere != nil:
		case present == nil:
			present = n
		default: // two trees were merged, and each had one
			w.retireStrategy(n, "another strategy of its error type is in use")
		}
	}
	var parts []*formedNode
	for _, f := range w.formed {
		n, _ := w.edits.get(f.id)
		parts = append(parts, &formedNode{&n, f.bucket})
	}
	all := casesUnder(parts)
	enough := aboutChecks(parts) >= w.Rule.ExperienceThreshold &&
		tests(all) >= leastTests && len(all) >= leastStrategyCases
	switch {
	case w.noStrategy(parts, present):
		return nil
	case !enough && present != nil && present.Mark == tree.Pinned && w.keepPinned(present):
		return nil
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
	n, ok, err := w.strategyOf(w.counts(parts), parts, ids, present)
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

// strategyOf returns the strategy over experiences: the present one, updated if it must be, or a new one. ids are
// those of the experiences, sorted. It returns false if nothing could be written.
func (w *partitionWork) strategyOf(
	counts []checkCount, parts []*formedNode, ids []string, present *tree.Node,
) (tree.Node, bool, error) {
	if present != nil && slices.Equal(present.Children, ids) && !w.changed(present, counts) {
		return present.Clone(), true, nil
	}
	all := &bucket{Partition: w.Partition, close: 1}
	for _, c := range counts {
		all.cases = append(all.cases, c.cases...)
	}
	all.cases = mostRecent(united(all.cases, nil))
	j := w.newJob(tree.Strategy, all, parts, present)
	j.counts = counts
	n, ok, err := tree.Node{}, false, error(nil)
	if present == nil || !present.Kept() {
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
		n = present.Clone() // keep the old text, over the present experiences
	}
	n.Children = ids
	op := tree.OpAdd
	if present != nil {
		op = tree.OpRevise
	}
	w.edits.put(n, op, fmt.Sprintf("%d experiences of one error type", len(ids)))
	return n, true, nil
}

// checkCount is a check that was missed, as a lesson with numbers, and its cases.
type checkCount struct {
	lesson tree.Lesson
	cases  []*tree.Node
}

// casesUnder returns the cases of experiences, sorted by id.
func casesUnder(parts []*formedNode) (out []*tree.Node) {
	for _, p := range parts {
		out = append(out, p.bucket.cases...)
	}
	return united(out, nil)
}

// aboutChecks counts what experiences are about: those that were split from one another are about one check.
func aboutChecks(parts []*formedNode) (n int) {
	seen := map[string]bool{}
	for _, p := range parts {
		if kind := kindOf(p.Node); kind == "" || !seen[kind] {
			seen[kind] = true
			n++
		}
	}
	return n
}

// counts returns what a strategy counts, the most frequent first: the lesson of each experience, those of one check
// together. What a model wrote keeps its own sentence; the catalogue's for its check can be of another cause.
func (w *partitionWork) counts(parts []*formedNode) []checkCount {
	var list []checkCount
	lang := langOf(casesUnder(parts))
	for _, p := range parts {
		if len(p.Content.Lessons) == 0 {
			continue
		}
		said := p.In(lang)
		l := said.Content.Lessons[0]
		at := slices.IndexFunc(list, func(c checkCount) bool { return l.Kind != "" && c.lesson.Kind == l.Kind })
		if at >= 0 {
			list[at].cases = united(list[at].cases, p.bucket.cases)
			continue
		}
		list = append(list, checkCount{l, p.bucket.cases})
	}
	for i := range list {
		l, cases := &list[i].lesson, list[i].cases
		l.Mistake, l.Instead, l.Cites = "", "", idsOf(cases)
		l.Tests, l.Times, l.Scenes = tests(cases), times(cases), w.frequentScenes(cases)
	}
	slices.SortFunc(list, func(a, b checkCount) int {
		x, y := &a.lesson, &b.lesson
		return cmp.Or(cmp.Compare(y.Tests, x.Tests), cmp.Compare(y.Times, x.Times),
			cmp.Compare(x.Kind, y.Kind), cmp.Compare(x.Check, y.Check))
	})
	return list[:min(len(list), tree.MaxLessons)]
}

// frequentScenes returns the scene types in which a check was missed most, sorted. A type must have at least two and a
// third of the check's tests, and a clearly larger share of them than of all tests. If more than two types qualify,
// the mistakes are spread over all, and it returns none.
func (w *partitionWork) frequentScenes(cases []*tree.Node) []string {
	const clearly = 1.3 // times the share of all tests
	if w.everywhere == nil {
		w.everywhere, w.everyTest = testsByScene(w.s.cases), tests(w.s.cases)
	}
	var out []string
	of := float64(tests(cases))
	for t, n := range testsByScene(cases) {
		share, usual := float64(n)/of, float64(w.everywhere[t])/float64(max(1, w.everyTest))
		if n >= leastTests && share >= 1.0/3 && share >= clearly*usual {
			out = append(out, t)
		}
	}
	slices.Sort(out)
	if len(out) > 2 {
		return nil
	}
	return out
}

// changed reports whether a strategy must be written again: an older version of the rules wrote it, or a model, as in
// earlier versions, or its counts are outdated.
func (w *partitionWork) changed(n *tree.Node, counts []checkCount) bool {
	if n.Kept() {
		return false
	}
	if outdated(n) || n.Provenance.Analyst == "model" {
		return true
	}
	if n.Provenance.Analyst != "rules" {
		return false
	}
	return !slices.EqualFunc(counts, n.Content.Lessons, func(a checkCount, b tree.Lesson) bool {
		l := &a.lesson
		return l.Kind == b.Kind && l.Tests == b.Tests && l.Times == b.Times && slices.Equal(l.Scenes, b.Scenes)
	})
}

// keepPinned keeps a pinned strategy over its remaining experiences, and reports whether it has any.
func (w *partitionWork) keepPinned(n *tree.Node) bool {
	c := n.Clone()
	c.Children = slices.DeleteFunc(c.Children, func(id string) bool {
		e := w.edits.peek(id)
		return e == nil || !e.Live()
	})
	if len(c.Children) > 0 && len(c.Children) < len(n.Children) {
		w.edits.put(c, tree.OpRevise, fmt.Sprintf("%d experiences are left of it", len(c.Children)))
	}
	return len(c.Children) > 0
}

func (w *partitionWork) retireStrategy(n *tree.Node, why string) {
	for _, id := range n.Children {
		w.edits.clearParent(id, n.ID)
	}
	c := n.Clone()
	c.Children, c.Status = []string{}, tree.Retired
	w.edits.put(c, tree.OpStatus, why)
}
