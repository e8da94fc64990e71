package retrieval

import (
	"math"
	"slices"
)

// scratch is the working memory of one search, which the next search reuses.
type scratch struct {
	lex   []float32 // BM25 sum of each slot of all parts
	rated []float32 // memory for search.score and search.high, with an embedder
	most  []float32
	flag  []uint8     // of each slot, see the flags
	open  []uint64    // see promising
	ask   queryVector // the prompt's vector, if the search is dense

	shared  []float32    // the sum of the idf of the tokens that each slot shares with the prompt; unless Query.Alike
	cursors []cursor     // of the tokens of the prompt
	times   [][]uint8    // the columns of those that have one
	tokens  []uint16     // how many each slot has, if there is a column
	chunks  []chunkSpace // of each sweeper
}

// Flags of a slot.
const (
	sceneEqual uint8 = 1 << iota // scene id is the query's
	routeEqual                   // route pattern is the query's
	fitsTask                     // it fits the task of the prompt, see checks.go
	skip                         // dead, excluded, or computed already
	likeType                     // the type of its scene is the parent of the query's; see markTypes
	sameType                     // it is the query's; with likeType: not known
	allFlags   = 1<<iota - 1
)

// candidate is a slot and the evidence of each channel for it, all but cosine and the two raw
// scores between 0 and 1.
type candidate struct {
	slotRef
	id       uint64  // key of the node's id
	lexical  float64 // BM25, divided by that of a document with all tokens of the query; about 0 to 1
	cosine   float64 // of the vectors, 0 where one is missing
	raw      float64 // both, see fuse
	semantic float64 // raw as calibrated evidence
	verbatim float64 // raw divided by the raw score that the prompt itself would have
	founded  bool    // it has a reason in the query, see leastWords
	exact    float64 // evidence of the place
	scene    float64 // evidence of the scene type
	task     float64 // evidence of the task
	rel      float64 // the evidence of all channels, combined
}

// A memory needs a reason in the query. There are three:
//
//   - Its text is more likely that of a partner than chance: semantic ≥ leastWords, the middle of the calibration.
//   - It fits the task, see checks.go.
//   - It is of the same place (exact ≥ leastPlace: an equal scene id or route that under a tenth of the memories has),
//     and its text is not far off (semantic ≥ hereWords).
//
// A place alone is no reason. Most tests of a page have nothing to do with an earlier mistake there, and a text on the
// same topic that does not help distracts most. quality/testdata/abstention.golden has the rates.
const (
	leastWords = 0.5
	hereWords  = 0.3
	leastPlace = 0.45
	fewPlace   = 2 * leastPlace // the same, where scene id and route are both equal
)

// before is the order of candidates of a level. It depends only on the nodes, so that equal trees give equal answers.
// Candidates with a reason come first, so that the others do not displace them among the best k.
func (c *candidate) before(d *candidate) bool {
	if c.founded != d.founded {
		return c.founded
	}
	if c.rel != d.rel {
		return c.rel > d.rel
	}
	if c.raw != d.raw {
		return c.raw > d.raw
	}
	return c.id < d.id
}

// top holds the best k of the candidates added, sorted.
type top struct {
	k    int
	best []candidate
}

func (t *top) full() bool { return len(t.best) == t.k }

// add inserts c if it is among the best k so far, and reports whether it is.
func (t *top) add(c *candidate) bool {
	if t.full() {
		if !c.before(&t.best[t.k-1]) {
			return false
		}
		t.best = t.best[:t.k-1]
	}
	i, end := 0, len(t.best)
	for i < end {
		if mid := (i + end) / 2; t.best[mid].before(c) {
			i = mid + 1
		} else {
			end = mid
		}
	}
	t.best = slices.Insert(t.best, i, *c)
	return true
}

// scan returns the k best candidates of a level without reading most of the vectors. rate has estimated the score and
// the highest possible score of every slot. First scan computes the 2k slots with the best estimates, the seeds, and
// those of each kind, see promising. Then it computes the slots whose highest score is enough for a place among the
// best so far. The result equals that of computing all slots, except for slots whose sketch had too low a bound, see
// width, and those that look worse than 1,024 others, see mostComputed.
func (s *search) scan(level, k int) ([]candidate, error) {
	t := &top{k: k, best: make([]candidate, 0, k+1)}
	seeds := make([]seed, 0, 2*k)
	for i := range s.st.parts {
		seeds = s.addSeeds(&s.st.parts[i], level, seeds, 2*k)
	}
	for _, x := range seeds {
		x.part.prefetch(x.slot)
	}
	for _, x := range seeds {
		if _, err := s.consider(t, x.slotRef); err != nil {
			return nil, err
		}
		s.flag[x.part.base+x.slot] |= skip // computed; cleared at the end
	}
	need := s.leastScores(t)
	open, seeds, err := s.promising(t, level, seeds, &need)
	if err != nil {
		return nil, err
	}
	open = s.ordered(open, &need)
	for i, x := range open {
		if i%soon == 0 {
			s.prefetch(open[i:min(i+soon, len(open))], &need)
		}
		at := int(uint32(x))
		if !s.mayBe(at, &need) {
			continue
		}
		better, err := s.consider(t, s.st.slot(at))
		if err != nil {
			return nil, err
		}
		if better {
			need = s.leastScores(t)
		}
	}
	for _, x := range seeds {
		s.flag[x.part.base+x.slot] &^= skip
	}
	return t.best, nil
}

// soon is the number of slots that a search prefetches at once.
const soon = 16

// prefetch prefetches the slots of open that will be computed.
func (s *search) prefetch(open []uint64, need *needs) {
	for _, x := range open {
		if at := int(uint32(x)); s.mayBe(at, need) {
			slot := s.st.slot(at)
			slot.part.prefetch(slot.slot)
		}
	}
}

// relOf combines the evidence of all channels. leastScores solves it for the raw score.
func relOf(exact, semantic, scene, task float64) float64 {
	words := max(semantic*semanticWeight, task*taskWeight) // two readings of the same text
	return 1 - (1-exact*exactWeight)*(1-words)*(1-scene*sceneWeight)
}

// needs are the lowest raw scores with which a slot can be among the best k, by its flags; those with skip are
// infinite.
type needs [allFlags + 1]float32

// leastScores returns the needs for each combination of flags. It solves the formula of relOf for the raw score, with
// the rel of the last of the best k. Where it has no solution, it returns −1, which every slot reaches.
func (s *search) leastScores(t *top) (all needs) {
	for f := range all {
		all[f] = -1
		if f&int(skip) != 0 {
			all[f] = float32(math.Inf(1))
		}
	}
	if !t.full() || s.exhaustive {
		return all
	}
	last := &t.best[t.k-1]
	for f := range skip {
		place := s.exact(f)
		rest := 1 - place*exactWeight
		task := f&fitsTask != 0
		if task {
			rest *= 1 - taskWeight // the most that the task can add
		}
		founded := s.scale.needed(leastWords) // the reason of a slot that does not fit the task
		if place >= leastPlace {
			founded = s.scale.needed(hereWords)
		}
		for i := range sameType/likeType + 1 { // twice the evidence of the scene type
			v := s.scale.needed((1 - (1-last.rel)/(rest*(1-sceneWeight*0.5*float64(i)))) / semanticWeight)
			// A candidate with a reason comes before one without, at any rel, see before.
			switch {
			case task && !last.founded:
				v = -1
			case task:
			case last.founded: // it must have the rel and a reason
				v = max(v, founded)
			default: // it must have the rel or a reason
				v = min(v, founded)
			}
			all[f|i*likeType] = float32(v) - 1e-5 // room for rounding
		}
		all[f|likeType|sameType] = min(all[f], all[f|likeType], all[f|sameType])
	}
	return all
}

// consider computes a slot, and adds it to t if it may be used here and is good enough. It
// reports whether t changed.
func (s *search) consider(t *top, at slotRef) (bool, error) {
	s.computed++
	c, ok, err := s.compute(at)
	return ok && t.add(&c), err
}

// compute returns the candidate of a slot. ok is false for a slot that the scope forbids or that is to be skipped.
func (s *search) compute(at slotRef) (candidate, bool, error) {
	p, slot := at.part, at.slot
	heads, err := p.heads()
	if err != nil {
		return candidate{}, false, err
	}
	h := readHead(heads[slot*headSize : (slot+1)*headSize])
	if !s.scope.admits(h) || s.flag[p.base+slot]&skip != 0 {
		return candidate{}, false, nil
	}
	c := candidate{slotRef: at, id: h.id, lexical: float64(s.lex[p.base+slot] * s.unit)}
	if c.cosine, err = s.cosine(at, h); err != nil {
		return candidate{}, false, err
	}
	c.raw = s.fuse(c.lexical, c.cosine)
	c.semantic = s.scale.at(c.raw)
	c.verbatim = s.verbatim(c.raw)
	c.exact = s.exact(s.flag[p.base+slot])
	c.scene = s.types[h.scene]
	c.task = s.fitting[p.base+slot]
	c.rel = relOf(c.exact, c.semantic, c.scene, c.task)
	c.founded = c.exact >= leastPlace && c.semantic >= hereWords || c.semantic >= leastWords || c.task > 0
	return c, true, nil
}

// fuse returns the raw score of a lexical score and a cosine: √lexical + cosine, or the lexical score alone if the
// prompt has no vector. The root is steep near 0 and flat near 1: the first rare tokens that both texts have decide
// more than the last common ones, and where most are the same the meaning decides. Of lexical^p + w·cosine, p from 0.4
// to 1 and w from 0.5 to 2, it is the best on the development sets, and the choice of most sets for the one left out.
func (s *search) fuse(lexical, cosine float64) float64 {
	if !s.dense {
		return lexical
	}
	return math.Sqrt(max(0, lexical)) + max(0, cosine)
}

// cosine returns the cosine of a slot's vector and the prompt's, 0 where one is missing.
func (s *search) cosine(at slotRef, h slotHead) (float64, error) {
	p := at.part
	if !s.dense || !h.vector || p.alien || p.dims != len(s.ask.ints) {
		return 0, nil
	}
	row, err := p.row(at.slot)
	if err != nil {
		return 0, err
	}
	c := float64(s.ask.cosine(row, h.scale))
	if !(math.Abs(c) < 1.1) { // above 1 by more than rounding, or NaN
		return 0, p.Damaged(0, "a vector has a length that it cannot have")
	}
	return c, nil
}

// verbatim returns a raw score divided by the highest for this prompt, which a memory with
// exactly its text would have; 0 to 1.
func (s *search) verbatim(raw float64) float64 {
	most := s.fuse(s.self, 1)
	if most <= 0 {
		return 0
	}
	return min(max(0, raw/most), 1)
}
