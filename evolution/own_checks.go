package evolution

import (
	"cmp"
	"maps"
	"slices"

	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// own reports whether a check is of this tree's own: the taxonomy does not have it.
func (e *Evolver) own(check string) bool {
	_, known := e.o.Taxonomy.Check(check)
	return !known && taxonomy.IsOwn(check)
}

// typeOf returns the error type of the lessons about a check, and false if there can be none in this direction: its
// overlay was removed, or it has no advice for it.
func (e *Evolver) typeOf(s *survey, check string, d taxonomy.Direction) (string, bool) {
	if c, known := e.o.Taxonomy.Check(check); known {
		return c.ErrorType(), c.Speaks(d)
	}
	t, is := s.own[check]
	return t, is
}

// readOwn sets s.own, and sets the error type of all misses of one check of the tree's own to the same. Misses differ
// in it where trees were merged, or a case was changed by hand.
func (e *Evolver) readOwn(s *survey) {
	of := map[string]map[string]int{}
	count := func(check, errorType string, times int) {
		if !e.own(check) {
			return
		}
		if of[check] == nil {
			of[check] = map[string]int{}
		}
		of[check][errorType] += times
	}
	for _, n := range s.cases {
		for _, m := range n.CaseData.Misses {
			count(m.Check, m.ErrorType, 1)
		}
	}
	for _, x := range s.live(tree.Experience) { // one of another tree may have come without its cases
		count(kindOf(x), x.ErrorType, 1+len(x.Children))
	}
	s.own = map[string]string{}
	for check, types := range of {
		s.own[check] = mostOf(types)
	}
	for _, n := range slices.Clone(s.cases) {
		other := func(m tree.Miss) bool { t, is := s.own[m.Check]; return is && m.ErrorType != t }
		if slices.ContainsFunc(n.CaseData.Misses, other) {
			s.revise(n.ID, "its check has one error type", func(n *tree.Node) {
				for i := range n.CaseData.Misses {
					if m := &n.CaseData.Misses[i]; other(*m) {
						m.ErrorType = s.own[m.Check]
					}
				}
			})
		}
	}
}

// mostOf returns the most frequent error type, and taxonomy.OtherError only if there is no other.
func mostOf(types map[string]int) string {
	best := taxonomy.OtherError
	for _, t := range slices.Sorted(maps.Keys(types)) {
		if t != taxonomy.OtherError && (best == taxonomy.OtherError || types[t] > types[best]) {
			best = t
		}
	}
	return best
}

// ownIn returns the checks of the tree's own that live cases missed in a direction, or a live lesson is about, those
// of most cases first. A team may have added some to its catalogue.
func (s *survey) ownIn(d taxonomy.Direction) []string {
	in := map[string]int{}
	for _, n := range s.cases {
		for check := range checksOf(n) {
			if n.Direction == d && taxonomy.IsOwn(check) {
				in[check]++
			}
		}
	}
	for _, x := range s.live(tree.Experience) {
		if check := kindOf(x); x.Direction == d && taxonomy.IsOwn(check) {
			in[check]++
		}
	}
	list := slices.Collect(maps.Keys(in))
	slices.SortFunc(list, func(a, b string) int { return cmp.Or(cmp.Compare(in[b], in[a]), cmp.Compare(a, b)) })
	return list
}

// checksFor returns the checks to which causes of a direction may be assigned: those of the tree's own, and those of
// the team, which it may have added since the causes were read.
func (p *planner) checksFor(d taxonomy.Direction) []string {
	list := p.s.ownIn(d)
	for _, c := range p.e.o.Taxonomy.TeamChecks() {
		if c.Speaks(d) && !slices.Contains(list, c.ID) {
			list = append(list, c.ID)
		}
	}
	return list
}

// titleOf names a check for a reader of a language: by the lesson about it, else by its name.
func (p *planner) titleOf(check string, d taxonomy.Direction, lang string) string {
	for _, n := range p.experiences {
		if kindOf(n) == check && n.Direction == d && n.Content.Title != "" {
			return n.In(lang).Content.Title
		}
	}
	return p.e.nameOf(check, lang)
}

// nameOf names a check, "" for none.
func (e *Evolver) nameOf(check, lang string) string {
	c, _ := e.o.Taxonomy.Check(check)
	return cmp.Or(c.Name.In(lang), taxonomy.OwnName(check))
}
