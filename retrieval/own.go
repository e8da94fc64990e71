package retrieval

import (
	"math"

	"github.com/memtree/memtree/internal/text"
	"github.com/memtree/memtree/tree"
)

// A lesson in a person's own words (tree.Node.OwnWords) is found by these: by the conditions that the
// person named, and by the tests it was taught for. No check calls for it, since whatever check the
// words were first about, they may be about another thing now. It fits by
//
//	x = the greatest share of a condition's words that the prompt has + cos, at most mostMeaning
//
// from ownFits on. The share weighs rare words more; the prior lets all words weigh the same in a store
// that knows none. What a writer calls a kind of page shares few words with its tests, so conditions in the
// words of the tests, examples and a reader find more.
const (
	ownFits     = 0.5
	mostMeaning = 0.35 // of the cosine: some embedders find every two texts alike
	exampleFits = 0.75 // the share of an example's words that makes another test like it
	priorNodes  = 20.0
)

// conditionsOf returns what a lesson in its own words is found by, nil for other nodes. The first is
// its advice, so that a lesson without conditions has one too. Examples follow conditions.
func conditionsOf(n *tree.Node) (conditions, examples []string) {
	if !n.OwnWords() {
		return nil, nil
	}
	advice := ""
	for _, l := range n.Content.Lessons {
		advice = text.Append(advice, l.Check)
	}
	conditions = append([]string{advice}, n.Content.AppliesWhen...)
	if n.Taught != nil {
		for _, e := range n.Taught.For {
			examples = append(examples, text.Clip(tree.Example(e), maxAround))
		}
	}
	return conditions, examples
}

// markOwn flags the lessons in their own words that fit the prompt, and those whose example it is.
// askVector must have run.
func (s *search) markOwn(prompt string) error {
	in := make(map[uint64]int, len(s.words))
	for i := range s.words {
		in[s.words[i].key] = s.words[i].known
	}
	var own []slotRef
	if err := s.eachSlot(key(ownKind, ""), func(p *part, slot int) { own = append(own, slotRef{p, slot}) }); err != nil {
		return err
	}
	asked := tree.Example(prompt)
	test := tree.Example(s.scope.scope.Test)
	for _, x := range own {
		m, err := x.meta()
		if err != nil {
			return err
		}
		at := x.part.base + x.slot
		fits := 0.0
		for _, e := range m.examples {
			if e == asked || test != "" && e == test {
				s.example[at], fits = true, 1
			} else if like, err := s.shareOf(e, in); err != nil {
				return err
			} else if like >= exampleFits {
				fits = max(fits, like)
			}
		}
		if fits == 0 {
			if fits, err = s.fitOfWords(&m, x, in); err != nil {
				return err
			}
		}
		if fits > 0 {
			s.fitting[at] = max(s.fitting[at], fits)
			s.flag[at] |= fitsTask
		}
	}
	return nil
}

// fitOfWords returns the evidence of the conditions of a lesson, 0 where it does not fit.
func (s *search) fitOfWords(m *nodeTraits, x slotRef, in map[uint64]int) (float64, error) {
	share := 0.0
	for _, c := range m.conditions {
		one, err := s.shareOf(c, in)
		if err != nil {
			return 0, err
		}
		share = max(share, one)
	}
	if share == 0 {
		return 0, nil
	}
	heads, err := x.part.heads()
	if err != nil {
		return 0, err
	}
	cosine, err := s.cosine(x, readHead(heads[x.slot*headSize:]))
	if err != nil {
		return 0, err
	}
	if fit := share + min(max(cosine, 0), mostMeaning); fit >= ownFits {
		return min(1, enough+(1-enough)*(fit-ownFits)), nil
	}
	return 0, nil
}

// shareOf returns the share of the words of a text that are in the prompt, 0 to 1. in has the words of
// the prompt, and how many slots know each.
func (s *search) shareOf(c string, in map[uint64]int) (float64, error) {
	both, all := 0.0, 0.0
	seen := map[uint64]bool{}
	for _, t := range text.Tokens(c) {
		k := key(wordKind, t)
		if seen[k] {
			continue
		}
		seen[k] = true
		known, has := in[k]
		if !has {
			for i := range s.st.parts {
				l, err := s.st.parts[i].list(k)
				if err != nil {
					return 0, err
				}
				known += l.n
			}
		}
		weight := max(0.1, math.Log((float64(s.st.live)+priorNodes)/float64(known+1)))
		if all += weight; has {
			both += weight
		}
	}
	if all == 0 {
		return 0, nil
	}
	return both / all, nil
}
