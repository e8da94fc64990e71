package evolution

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/memtree/memtree/tree"
)

func hashOf(n *tree.Node) string {
	b, err := json.Marshal(n)
	if err != nil {
		return "" // nothing in a node that passed Check fails to marshal
	}
	return string(b)
}

// pool returns the cases without an experience, sorted by id.
func (w *planner) pool() []*tree.Node {
	var out []*tree.Node
	for _, n := range w.cases {
		if c, _ := w.get(n.ID); c.Parent == "" {
			out = append(out, n)
		}
	}
	return out
}

func (w *planner) pointsOf(cases []*tree.Node) []*point {
	out := make([]*point, 0, len(cases))
	for _, n := range cases {
		out = append(out, w.points[n.ID])
	}
	return out
}

func (w *planner) nodesOf(points []*point) []*tree.Node {
	out := make([]*tree.Node, 0, len(points))
	for _, p := range points {
		out = append(out, w.nodes[p.id])
	}
	return out
}

// members returns the live cases of an experience as the plan has it.
func (w *planner) members(id string) []*tree.Node {
	e, _ := w.get(id)
	var out []*tree.Node
	for _, c := range e.Children {
		if n := w.nodes[c]; n != nil && w.points[c] != nil && partitionOf(n) == w.Partition {
			out = append(out, n)
		}
	}
	return out
}

// loosen takes out of experiences what is no live case of the partition any
// more, frees the cases whose experience is gone, and retires experiences that
// too few cases are left of.
func (w *planner) loosen() {
	for _, e := range slices.Clone(w.experiences) {
		kept := []string{}
		for _, n := range w.members(e.ID) {
			if n.Parent == e.ID {
				kept = append(kept, n.ID)
			}
		}
		if len(kept) < 2 {
			w.retire(e.ID, fmt.Sprintf("%d of its cases is left", len(kept)), "")
			continue
		}
		if len(kept) < len(e.Children) {
			for _, id := range e.Children {
				if !slices.Contains(kept, id) {
					w.free(id, e.ID)
				}
			}
			n, _ := w.get(e.ID)
			n.Children = kept
			w.put(n, tree.OpRevise, "cases it rested on are gone")
		}
	}
	for _, n := range w.cases {
		if n.Parent == "" {
			continue
		}
		if p := w.nodes[n.Parent]; p == nil || !p.Live() || partitionOf(p) != w.Partition {
			w.free(n.ID, n.Parent)
		}
	}
}

// free takes a case out of an experience.
func (w *planner) free(id, from string) {
	n, ok := w.get(id)
	if !ok || n.Parent != from {
		return
	}
	n.Parent = ""
	w.put(n, tree.OpAttach, "no longer part of "+from)
}

// retire takes an experience or a strategy out of use and frees its children.
func (w *planner) retire(id, why, by string) {
	n, _ := w.get(id)
	for _, c := range n.Children {
		w.free(c, id)
	}
	if p, ok := w.get(n.Parent); ok && n.Parent != "" {
		p.Children = slices.DeleteFunc(slices.Clone(p.Children), func(c string) bool { return c == id })
		w.put(p, tree.OpRevise, "a part of it is out of use")
	}
	n.Children, n.Parent, n.Status, n.SupersededBy = []string{}, "", tree.Retired, by
	op := tree.OpStatus
	if by != "" {
		op = tree.OpSupersede
	}
	w.put(n, op, why)
	w.experiences = slices.DeleteFunc(w.experiences, func(e *tree.Node) bool { return e.ID == id })
}

// adopt makes cases children of an experience.
func (w *planner) adopt(id string, cases []*tree.Node, why string) {
	e, _ := w.get(id)
	for _, c := range cases {
		n, _ := w.get(c.ID)
		n.Parent = id
		w.put(n, tree.OpAttach, why)
		e.Children = append(e.Children, c.ID)
		if at := lastSeen(c); at.After(e.Metadata.UpdatedAt) {
			e.Metadata.UpdatedAt = at
		}
	}
	e.Children = slices.Compact(slices.Sorted(slices.Values(e.Children)))
	w.put(e, tree.OpAttach, fmt.Sprintf("more cases of its cause: %d", len(cases)))
}

// gather attaches cases and merges experiences until nothing moves: what a case
// joins changes what the next is compared with. It costs no call.
func (w *planner) gather() {
	for {
		attached := w.attach()
		w.merge()
		if !attached {
			return
		}
	}
}

// attach gives each pooled case to the experience whose cause it has.
func (w *planner) attach() (some bool) {
	experiences := slices.Clone(w.experiences)
	for i, points := range w.space.claims(w.pointsOf(w.pool()), w.known()) {
		if len(points) == 0 {
			continue
		}
		id := experiences[i].ID
		w.adopt(id, w.nodesOf(points), "of one cause with the cases of "+id)
		some = true
	}
	return some
}

// claims returns for each group which points belong to it: a point does to the
// group it is most like, if that leads the next one clearly and has room.
func (s *space) claims(points []*point, groups []*group) [][]*point {
	to := make([][]*point, len(groups))
	of := make([]int, len(points))
	parallel(len(points), func(i int) { of[i] = s.belongs(points[i], groups) })
	for i, p := range points {
		if g := of[i]; g >= 0 && len(groups[g].points)+len(to[g]) < tree.MaxChildren {
			to[g] = append(to[g], p)
		}
	}
	return to
}

// belongs returns the place of the group a point is of, -1 for none.
func (s *space) belongs(p *point, groups []*group) int {
	one := newGroup([]*point{p})
	best, first, second := -1, 0.0, 0.0
	for i, g := range groups {
		switch v := s.reach(one, g, join-joinMargin); {
		case v > first:
			best, first, second = i, v, first
		case v > second:
			second = v
		}
	}
	if first < join || first-second < joinMargin {
		return -1
	}
	return best
}

// merge joins two experiences whose cases are all alike into the one with more
// cases, until there are none such.
func (w *planner) merge() {
	for {
		a, b := w.closest()
		if a == nil {
			return
		}
		cases := w.members(b.ID)
		w.retire(b.ID, "of one cause with "+a.ID+", which has its cases now", a.ID)
		w.adopt(a.ID, cases, "with "+a.ID+", which is of the same cause")
	}
}

// closest returns the two experiences most alike, if alike enough; the one that
// stays first.
func (w *planner) closest() (stays, goes *tree.Node) {
	groups := w.known()
	type pair struct {
		with int
		like float64
	}
	rows := make([]pair, len(groups))
	parallel(len(groups), func(i int) {
		rows[i].with = -1
		for j := range i {
			if len(groups[i].points)+len(groups[j].points) > tree.MaxChildren {
				continue
			}
			if v := w.space.reach(groups[i], groups[j], mergeAbove); v >= mergeAbove && v > rows[i].like {
				rows[i] = pair{j, v}
			}
		}
	})
	best := 0.0
	for i, r := range rows {
		if r.with < 0 || r.like <= best {
			continue
		}
		best, stays, goes = r.like, w.experiences[r.with], w.experiences[i]
		if len(groups[i].points) > len(groups[r.with].points) {
			stays, goes = goes, stays
		}
	}
	return stays, goes
}

// known returns the cases of each experience, as groups.
func (w *planner) known() []*group {
	out := make([]*group, len(w.experiences))
	for i, e := range w.experiences {
		out[i] = newGroup(w.pointsOf(w.members(e.ID)))
	}
	return out
}

// split takes apart an experience whose cases are no longer of one cause, if
// what comes out can be learned from.
func (w *planner) split() error {
	for _, e := range slices.Clone(w.experiences) {
		cases := w.members(e.ID)
		if w.space.cohesion(w.pointsOf(cases)) >= splitBelow {
			continue
		}
		var made []tree.Node
		for _, g := range w.space.groups(w.pointsOf(cases)) {
			if len(w.missing(g).Missing) > 0 || len(g.points) == len(cases) {
				continue
			}
			n, ok, err := w.write(w.newJob(tree.Experience, w.nodesOf(g.points), nil, nil))
			if err != nil {
				return err
			}
			if ok && w.nodes[n.ID] == nil {
				made = append(made, n)
			}
		}
		if len(made) == 0 {
			continue
		}
		slices.SortFunc(made, func(a, b tree.Node) int {
			return cmp.Or(cmp.Compare(len(b.Children), len(a.Children)), cmp.Compare(a.ID, b.ID))
		})
		w.retire(e.ID, "its cases are of several causes", made[0].ID)
		for i := range made {
			w.add(made[i], "part of "+e.ID+", which was of several causes")
		}
	}
	return nil
}

// add puts a new experience into the plan.
func (w *planner) add(n tree.Node, why string) {
	children := n.Children
	w.put(n, tree.OpAdd, why)
	for _, id := range children {
		c, _ := w.get(id)
		c.Parent = n.ID
		w.put(c, tree.OpAttach, "of one cause with others, see "+n.ID)
	}
	w.experiences = append(w.experiences, &n)
	slices.SortFunc(w.experiences, func(a, b *tree.Node) int { return cmp.Compare(a.ID, b.ID) })
}
