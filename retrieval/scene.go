package retrieval

import (
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// distinctness returns the weight of an equal scene id or route if have of n memories share it, 0 to 1. In a tree
// where every case has one scene id, an equal id carries no information. So it is the share of the other memories that
// do not have the id, estimated as if ten further memories without it had been seen: 1 if one memory has it, 11/(n+10)
// if all n have it, 0 if none has.
func distinctness(have, n int) float64 {
	if have == 0 {
		return 0
	}
	return 1 - float64(have-1)/float64(n+10)
}

// markPlace sets the flags of the slots with an equal scene id or route, and fills s.telling with the weight of each
// combination of these flags. If neither the query nor a memory names a route, the two have the same place when their
// scene ids are equal. The same holds for routes without a scene id. Such memories have a list of their own, see
// placeKind.
func (s *search) markPlace(q *tree.Scene) error {
	const both = sceneEqual | routeEqual
	var have [4]int
	route := tree.Route(q.Route)
	var lists []placeList
	if q.ID != "" {
		lists = append(lists, placeList{key(sceneKind, q.ID), sceneEqual})
	}
	if route != "" {
		lists = append(lists, placeList{key(routeKind, route), routeEqual})
	}
	if (q.ID == "") != (route == "") {
		lists = append(lists, placeList{key(placeKind, q.ID, route), both})
	}
	for i := range s.st.parts {
		if err := s.markPlaceIn(&s.st.parts[i], lists, &have); err != nil {
			return err
		}
	}
	s.telling[sceneEqual] = 0.5 * distinctness(have[sceneEqual], s.st.live)
	s.telling[routeEqual] = 0.5 * distinctness(have[routeEqual], s.st.live)
	s.telling[both] = max(s.telling[sceneEqual], s.telling[routeEqual], distinctness(have[both], s.st.live))
	return nil
}

// placeList is the list of the slots of a place, and the flag that they get.
type placeList struct {
	key  uint64
	flag uint8
}

// markPlaceIn sets the flags of a part, and adds to have how many live slots have each combination of them. Where the
// routes of all memories have one pattern, the list of the pattern has every slot. So the longest list is set first, by
// its column, and the slots with both flags are counted by the others.
func (s *search) markPlaceIn(p *part, lists []placeList, have *[4]int) error {
	const both = sceneEqual | routeEqual
	flag := s.flag[p.base : p.base+p.n]
	longest := -1
	for i, x := range lists {
		l, err := p.list(x.key)
		if err != nil {
			return err
		}
		if p.hasColumn(l) && (longest < 0 || l.n > longest) {
			longest, lists[0], lists[i] = l.n, lists[i], lists[0]
		}
	}
	if longest >= 0 {
		x := lists[0]
		column, living, err := p.members(x.key)
		if err != nil {
			return err
		}
		orWhere(column, 1, x.flag, flag)
		have[x.flag] += living
		lists = lists[1:]
	}
	for _, x := range lists {
		l, err := p.list(x.key)
		if err != nil {
			return err
		}
		for slot, err := range p.slots(l) {
			if err != nil {
				return err
			}
			if p.isDead(slot) {
				continue
			}
			before := flag[slot]
			flag[slot] |= x.flag
			if x.flag != both {
				have[x.flag]++
			}
			if before&both != both && flag[slot]&both == both {
				have[both]++
			}
		}
	}
	return nil
}

// members returns a column with 1 for each slot of a list, and the number of those that live. It is computed once.
func (p *part) members(k uint64) ([]uint8, int, error) {
	l, err := p.list(k)
	if err != nil {
		return nil, 0, err
	}
	living, err := p.living(k, l)
	if err != nil {
		return nil, 0, err
	}
	if column, ok := p.places.Load(k); ok {
		return column.([]uint8), living, nil //nolint:forcetypeassert // nothing else is stored
	}
	column := make([]uint8, p.n)
	for slot, err := range p.slots(l) {
		if err != nil {
			return nil, 0, err
		}
		column[slot] = 1
	}
	p.places.Store(k, column)
	return column, living, nil
}

// exact returns the evidence of the exact channel for a slot with these flags, 0 to 1. It is 1
// if scene id and route pattern are both the query's, and 0.5 if one of them is, times their
// distinctness.
func (s *search) exact(flag uint8) float64 { return s.telling[flag&(sceneEqual|routeEqual)] }

// eachSlot calls f with every live slot of the list with key k, in all parts.
func (s *search) eachSlot(k uint64, f func(p *part, slot int)) error {
	for i := range s.st.parts {
		p := &s.st.parts[i]
		l, err := p.list(k)
		if err != nil {
			return err
		}
		for slot, err := range p.slots(l) {
			if err != nil {
				return err
			}
			if !p.isDead(slot) {
				f(p, slot)
			}
		}
	}
	return nil
}

// sceneTypes returns the evidence of the scene channel by the mark of a node's scene type: 1 for the type with the
// given name and 0.5 for its parent. A type has an entry for each of its names. Other types have none, which means 0.
func sceneTypes(tax *taxonomy.Taxonomy, word string) map[uint32]float64 {
	if word = fold(word); word == "" {
		return nil
	}
	types := map[uint32]float64{mark(typeKind, word): 1}
	if tax == nil {
		return types
	}
	if t, ok := tax.SceneType(word); ok {
		if t.Parent != "" {
			addNames(types, tax, t.Parent, 0.5)
		}
		addNames(types, tax, t.ID, 1)
	}
	return types
}

// addNames sets the evidence of every name of a scene type to s.
func addNames(types map[uint32]float64, tax *taxonomy.Taxonomy, id string, s float64) {
	t, ok := tax.SceneType(id)
	if !ok {
		return
	}
	for _, w := range append([]string{t.ID, t.Name.EN, t.Name.ZH}, t.Aliases...) {
		if m := mark(typeKind, fold(w)); m != 0 {
			types[m] = s
		}
	}
}

// scopeFilter admits the memories that apply in a scope.
type scopeFilter struct {
	scope                tree.Scope
	product, suite, test uint32
	place                uint32 // the suite and the test at the position, see placeMark
}

// newScope returns the filter for a query's scope.
func newScope(s tree.Scope) scopeFilter {
	f := scopeFilter{
		scope: s, product: mark(scopeKind, s.Product), suite: mark(scopeKind, s.Suite), test: mark(scopeKind, s.Test),
	}
	if len(s.SuiteTests) > 0 {
		f.place = placeMark(&s)
	}
	return f
}

// admits decides by the marks in a slot head, without reading more of the slot. Marks can be
// equal by chance, so applies must decide again on what it admits.
func (f *scopeFilter) admits(h slotHead) bool {
	return (h.product == 0 || f.product == 0 || h.product == f.product) && (h.test == 0 || h.test == f.test) &&
		(h.suite == 0 || h.suite == f.suite || h.suite == f.place)
}

// applies reports whether a memory of scope m applies in the query's scope. Each name that m
// has must be the same here. If m belongs to a place in a suite's tests, the place must be the
// same too, see tree.Scope.SamePlace. A query without a product leaves the product open, since
// most teams test only one.
func (f *scopeFilter) applies(m *tree.Scope) bool {
	same := func(a, b string) bool { return a == "" || a == b }
	if f.scope.Product != "" && !same(m.Product, f.scope.Product) || !same(m.Test, f.scope.Test) ||
		!same(m.Suite, f.scope.Suite) {
		return false
	}
	return len(m.SuiteTests) == 0 || len(f.scope.SuiteTests) > 0 && m.SamePlace(&f.scope)
}
