package retrieval

import (
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// An equal scene id or route says less the more memories share it: in a tree
// where every case lies under one id it says nothing. telling is the share of
// the other memories that do not have it, as one would guess it who has seen
// ten further memories without it: 1 when only one memory has it, 11/(n+10)
// when all n have.
func telling(have, n int) float64 {
	if have == 0 {
		return 0
	}
	return 1 - float64(have-1)/float64(n+10)
}

// scene fills the flags of equal scene id and route, and how much either and
// both say. A route that neither side has is equal: the place is then the scene id,
// as far as anybody ever says it, and the other way round.
func (s *search) scene(q *tree.Scene) error {
	const both = sceneEqual | routeEqual
	var have [4]int
	route := tree.Route(q.Route)
	for _, x := range []struct {
		asked bool
		key   uint64
		flag  uint8
	}{
		{q.ID != "", key(sceneKind, q.ID), sceneEqual},
		{route != "", key(routeKind, route), routeEqual},
		{(q.ID == "") != (route == ""), key(placeKind, q.ID, route), both},
	} {
		if !x.asked {
			continue
		}
		err := s.each(x.key, func(p *part, slot int) {
			f := &s.flag[p.base+slot]
			*f |= x.flag
			if x.flag != both {
				have[x.flag]++
			}
			if *f&both == both {
				have[both]++
			}
		})
		if err != nil {
			return err
		}
	}
	s.telling[sceneEqual] = 0.5 * telling(have[sceneEqual], s.st.live)
	s.telling[routeEqual] = 0.5 * telling(have[routeEqual], s.st.live)
	s.telling[both] = max(s.telling[sceneEqual], s.telling[routeEqual], telling(have[both], s.st.live))
	return nil
}

// exact returns the evidence of the exact channel for a slot with these flags:
// 1 when scene id and route pattern are the query's, or one is and neither side has
// the other, and 0.5 when one is; times telling.
func (s *search) exact(flag uint8) float64 { return s.telling[flag&(sceneEqual|routeEqual)] }

// each calls f with every live slot of a list.
func (s *search) each(k uint64, f func(p *part, slot int)) error {
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

// sceneTypes returns the evidence of the scene channel by the mark of a node's
// type: 1 for the query's own, by any of its names, and 0.5 for its parent.
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
			names(types, tax, t.Parent, 0.5)
		}
		names(types, tax, t.ID, 1)
	}
	return types
}

// names gives every name of a scene type its evidence.
func names(types map[uint32]float64, tax *taxonomy.Taxonomy, id string, s float64) {
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
	place                uint32 // the suite with the test at the position
}

func newScope(s tree.Scope) scopeFilter {
	f := scopeFilter{
		scope: s, product: mark(scopeKind, s.Product), suite: mark(scopeKind, s.Suite), test: mark(scopeKind, s.Test),
	}
	if len(s.SuiteTests) > 0 {
		f.place = placeMark(&s)
	}
	return f
}

// admits decides by marks; what it admits is decided again by applies.
func (f *scopeFilter) admits(h slotHead) bool {
	return (h.product == 0 || f.product == 0 || h.product == f.product) && (h.test == 0 || h.test == f.test) &&
		(h.suite == 0 || h.suite == f.suite || h.suite == f.place)
}

// applies reports whether a memory of scope m applies: each name it has is the
// same here, and, where it belongs to a place in a suite's tests, that is (tree's
// SamePlace). A query that names no product leaves the product open: most teams
// test one, and silence is not another product.
func (f *scopeFilter) applies(m *tree.Scope) bool {
	same := func(a, b string) bool { return a == "" || a == b }
	if f.scope.Product != "" && !same(m.Product, f.scope.Product) || !same(m.Test, f.scope.Test) || !same(m.Suite, f.scope.Suite) {
		return false
	}
	return len(m.SuiteTests) == 0 || len(f.scope.SuiteTests) > 0 && m.SamePlace(&f.scope)
}
