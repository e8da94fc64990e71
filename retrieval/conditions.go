package retrieval

import (
	"slices"

	"github.com/memtree/memtree/internal/text"
	"github.com/memtree/memtree/tree"
)

// A lesson worded by a person (tree.Node.OwnWords) is found by the conditions that the person named and by the tests
// that it was taught for, and by nothing else. Its check cannot call for it, because the new text may be about
// something else than the check, and lexical or semantic similarity is no reason.
const (
	mentioned   = 0.9  // the evidence of a condition that the prompt mentions, see text.Fits
	exampleFits = 0.75 // the share of an example's tokens from which another test is similar to it
)

// conditionsOf returns the search data of a lesson that a person worded, nil for other nodes: the alternatives of its
// conditions, at least one, and examples of tests.
func conditionsOf(n *tree.Node) (conditions, examples []string) {
	if !n.OwnWords() {
		return nil, nil
	}
	for _, c := range n.Content.AppliesWhen {
		conditions = append(conditions, text.Phrases(c)...)
	}
	if len(conditions) == 0 {
		conditions = []string{""}
	}
	if n.Taught != nil {
		for _, e := range n.Taught.For {
			examples = append(examples, text.Clip(tree.Example(e), maxAround))
		}
	}
	return conditions, examples
}

// markOwn flags the lessons worded by a person that fit the prompt, and those with this test as an example.
func (s *search) markOwn(q *Query, prompt string) error {
	var own []slotRef
	if err := s.eachSlot(key(ownKind, ""), func(p *part, slot int) { own = append(own, slotRef{p, slot}) }); err != nil {
		return err
	}
	test := map[string]bool{}
	for _, name := range append([]string{q.Prompt, q.Scope.Test}, q.Names...) {
		test[tree.TestKey(name)] = name != ""
	}
	asked := text.TokenSet(prompt)
	for _, x := range own {
		m, err := x.meta()
		if err != nil {
			return err
		}
		if m.scope.Product != "" && q.Scope.Product == "" && s.hasOtherProduct(m.scope.Product) {
			continue
		}
		at, fits := x.part.base+x.slot, 0.0
		for _, e := range m.examples {
			if test[tree.TestKey(e)] {
				s.example[at], fits = true, 1
			} else if like := shareOf(e, asked); like >= exampleFits {
				fits = max(fits, like)
			}
		}
		if slices.ContainsFunc(m.conditions, func(c string) bool { return text.Fits(prompt, c) }) {
			fits = max(fits, mentioned)
		}
		if fits > 0 {
			s.fitting[at] = max(s.fitting[at], fits)
			s.flag[at] |= fitsTask
		}
	}
	return nil
}

// shareOf returns the share of the distinct tokens of a text that are in a set, 0 to 1.
func shareOf(s string, in map[string]bool) float64 {
	all, both := text.TokenSet(s), 0
	for t := range all {
		if in[t] {
			both++
		}
	}
	return float64(both) / float64(max(1, len(all)))
}

// hasOtherProduct reports whether a live memory names another product.
func (s *search) hasOtherProduct(product string) bool {
	none, this := mark(scopeKind, ""), mark(scopeKind, product)
	for i := range s.st.parts {
		p := &s.st.parts[i]
		heads, err := p.heads()
		if err != nil {
			return false // the scan reads them too, and reports the error
		}
		for slot := range p.n {
			if h := readHead(heads[slot*headSize:]); !p.isDead(slot) && h.product != none && h.product != this {
				return true
			}
		}
	}
	return false
}
