package evolution

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/memtree/memtree/tree"
)

// missing describes a group and what it lacks to be learned from.
func (w *planner) missing(g *group) Group {
	cases := w.nodesOf(g.points)
	out := Group{Tests: tests(cases), Cohesion: w.space.cohesion(g.points)}
	for _, n := range cases {
		out.Cases = append(out.Cases, n.ID)
		if !lastSeen(n).Before(w.now.Add(-w.Rule.TimeWindow)) {
			out.Recent++
		}
	}
	out.Confidence = confidence(cases, out.Cohesion, w.now)
	need := func(what string, have, least float64) {
		if have < least {
			out.Missing = append(out.Missing, Lack{what, have, least})
		}
	}
	need("cases", float64(len(cases)), float64(w.Rule.CaseThreshold))
	if len(cases) >= w.Rule.CaseThreshold {
		need("recent", float64(out.Recent), float64(w.Rule.CaseThreshold))
	}
	need("tests", float64(out.Tests), leastTests)
	need("confidence", out.Confidence, w.Rule.MinConfidence)
	need("cohesion", out.Cohesion, formCohesion)
	return out
}

// form makes experiences of the pooled cases, until there are none to make: in a
// large pool the first ones leave others easier to see.
func (w *planner) form() error {
	for {
		formed, left, err := w.formSome()
		if err != nil {
			return err
		}
		if formed || w.attach() { // a refused group may be of several causes there are
			continue
		}
		for _, g := range left {
			w.Groups = append(w.Groups, w.missing(g))
		}
		w.sortGroups()
		return nil
	}
}

// formSome makes what experiences the groups of the pool are enough for, and
// returns the other groups.
func (w *planner) formSome() (formed bool, left []*group, err error) {
	ready, left := w.ready(w.space.groups(w.pointsOf(w.pool())))
	for _, g := range ready {
		key := g.key()
		if w.tried[key] { // it was refused, or has to wait
			left = append(left, g)
			continue
		}
		w.tried[key] = true
		n, ok, err := w.write(w.newJob(tree.Experience, w.nodesOf(g.points), nil, nil))
		if err != nil {
			return false, nil, err
		}
		if !ok {
			left = append(left, g)
			continue
		}
		formed = true
		w.add(n, fmt.Sprintf("%d cases of %d tests have one cause", len(g.points), tests(w.nodesOf(g.points))))
	}
	return formed, left, nil
}

// ready parts the groups that are enough to learn from, from the others. It
// gives the first what is of their cause in the others: large groups are known
// by samples, so not all of it is found at once, and what is written is to rest
// on all there is.
func (w *planner) ready(groups []*group) (ready, left []*group) {
	var others []*point
	for _, g := range groups {
		if len(g.points) > tree.MaxChildren {
			g = newGroup(g.points[:tree.MaxChildren])
		}
		if len(w.missing(g).Missing) > 0 {
			left = append(left, g)
			others = append(others, g.points...)
			continue
		}
		ready = append(ready, g)
	}
	known := w.known()
	for {
		to := w.space.claims(others, append(slices.Clone(ready), known...))
		taken := map[*point]bool{}
		for i, g := range ready {
			for _, p := range to[i] {
				taken[p] = true
			}
			ready[i] = newGroup(append(slices.Clone(g.points), to[i]...))
		}
		if len(taken) == 0 {
			return ready, left
		}
		is := func(p *point) bool { return taken[p] }
		others = slices.DeleteFunc(others, is)
		for i, g := range left {
			left[i] = newGroup(slices.DeleteFunc(slices.Clone(g.points), is))
		}
		left = slices.DeleteFunc(left, func(g *group) bool { return len(g.points) == 0 })
	}
}

// sortGroups puts first what is nearest to being learned from.
func (w *planner) sortGroups() {
	slices.SortFunc(w.Groups, func(a, b Group) int {
		return cmp.Or(cmp.Compare(len(b.Cases), len(a.Cases)), cmp.Compare(len(a.Missing), len(b.Missing)), cmp.Compare(a.Cases[0], b.Cases[0]))
	})
}

// explainOther groups the cases that no analyst would force into a type. They
// are not abstracted: a lesson needs to know what kind of mistake it is about.
func (w *planner) explainOther() {
	for _, g := range w.space.groups(w.pointsOf(w.pool())) {
		about := w.missing(g)
		about.Missing = append([]Lack{{What: "type", Need: 1}}, about.Missing...)
		w.Groups = append(w.Groups, about)
	}
	w.sortGroups()
}

// newJob describes what is to be written about cases.
func (w *planner) newJob(kind tree.Type, members, parts []*tree.Node, present *tree.Node) *job {
	j := &job{kind: kind, partition: w.Partition, members: members, parts: parts, present: present, lang: langOf(members), now: w.now}
	for _, p := range w.space.medoidFirst(w.pointsOf(members), maxShown) {
		j.shown = append(j.shown, w.nodes[p.id])
	}
	in := map[string]bool{}
	for _, n := range members {
		in[n.ID] = true
	}
	var rest []*tree.Node
	for _, n := range evenly(w.cases, 2*maxRest) {
		if !in[n.ID] {
			rest = append(rest, n)
		}
	}
	j.rest, j.read = append(evenly(rest, maxRest), evenly(w.across, maxRest)...), w.read
	j.opposite = w.against[kind]
	return j
}

// maxRest is how many cases of its own, and of the other direction, a group is
// contrasted with.
const maxRest = 200

// evenly returns at most n cases of a list sorted by id: ids are hashes, so this
// is a random sample, and always the same.
func evenly(list []*tree.Node, n int) []*tree.Node {
	if len(list) <= n {
		return list
	}
	out := make([]*tree.Node, n)
	for i := range out {
		out[i] = list[i*len(list)/n]
	}
	return out
}

// neighbours finds the cases and live abstractions of the type's other directions.
func (w *planner) neighbours() {
	w.against = map[tree.Type][]*tree.Node{}
	for _, p := range w.partitions {
		if p.ErrorType != w.ErrorType || p.Direction == w.Direction {
			continue
		}
		for _, n := range w.within[p] {
			switch {
			case !n.Live():
			case n.Type == tree.Case:
				w.across = append(w.across, n)
			case p.Direction == w.Direction.Opposite():
				w.against[n.Type] = append(w.against[n.Type], n)
			}
		}
	}
	slices.SortFunc(w.across, func(a, b *tree.Node) int { return cmp.Compare(a.ID, b.ID) })
}

// refresh writes experiences anew whose cases have changed enough since they
// were written: two more and 30 % more, or citations that cover too few. Always
// from the raw cases.
func (w *planner) refresh() error {
	for _, e := range slices.Clone(w.experiences) {
		if w.nodes[e.ID] == nil {
			continue // new in this plan
		}
		n, _ := w.get(e.ID)
		members := w.members(e.ID)
		if !w.stale(&n, members) {
			continue
		}
		fresh, ok, err := w.write(w.newJob(tree.Experience, members, nil, &n))
		if err != nil {
			return err
		}
		if ok {
			w.put(fresh, tree.OpRevise, fmt.Sprintf("written anew from its %d cases", len(members)))
		}
	}
	return nil
}

func (w *planner) stale(n *tree.Node, members []*tree.Node) bool {
	added := 0
	for _, m := range members {
		if !slices.Contains(n.Provenance.Cites, m.ID) {
			added++
		}
	}
	enough := max(2, int(math.Ceil(0.3*float64(len(n.Provenance.Cites)))))
	return added >= enough || n.Provenance.Again && w.o.Generator != nil ||
		covered(members, n.Content.Lessons) < leastCoverage
}

// strategy forms, follows or retires the strategy over the experiences.
func (w *planner) strategy() error {
	var present *tree.Node
	for _, n := range w.within[w.Partition] {
		if n.Type == tree.Strategy && n.Live() && n.Elsewhere == nil && present == nil {
			present = n
		}
	}
	var members []*tree.Node
	for _, e := range w.experiences {
		members = append(members, w.members(e.ID)...)
	}
	slices.SortFunc(members, func(a, b *tree.Node) int { return cmp.Compare(a.ID, b.ID) })
	enough := len(w.experiences) >= w.Rule.ExperienceThreshold && tests(members) >= leastTests && len(members) >= leastStrategyCases
	switch {
	case !enough && present == nil:
		return nil
	case !enough:
		w.retireStrategy(present.ID)
		return nil
	}
	parts := make([]*tree.Node, len(w.experiences))
	ids := make([]string, len(parts))
	for i, e := range w.experiences {
		n, _ := w.get(e.ID)
		parts[i], ids[i] = &n, n.ID
	}
	if present != nil {
		now, _ := w.get(present.ID)
		if slices.Equal(now.Children, ids) && slices.Equal(now.Provenance.Cites, ids) {
			return nil
		}
		present = &now
	}
	j := w.newJob(tree.Strategy, members, parts, present)
	n, ok, err := w.write(j)
	if err != nil {
		return err
	}
	if !ok && present == nil {
		return nil
	}
	if !ok {
		n = *present // the old words stand over the experiences there are
	}
	n.Children = ids
	op, why := tree.OpAdd, fmt.Sprintf("%d experiences of one error type", len(ids))
	if present != nil {
		op = tree.OpRevise
	}
	w.put(n, op, why)
	for _, id := range ids {
		if e, _ := w.get(id); e.Parent != n.ID {
			e.Parent = n.ID
			w.put(e, tree.OpAttach, "part of "+n.ID)
		}
	}
	return nil
}

func (w *planner) retireStrategy(id string) {
	n, _ := w.get(id)
	for _, c := range n.Children {
		if e, ok := w.get(c); ok && e.Parent == id {
			e.Parent = ""
			w.put(e, tree.OpAttach, "no longer part of "+id)
		}
	}
	n.Children, n.Status = []string{}, tree.Retired
	w.put(n, tree.OpStatus, "too few experiences are left of it")
}
