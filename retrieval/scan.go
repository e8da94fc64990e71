package retrieval

import (
	"cmp"
	"math"
	"slices"
)

// scratch is the working memory of one search.
type scratch struct {
	lex  []float32 // BM25 sum of every slot
	est  []float32 // estimate of its cosine
	high []float32 // of its lexical and dense score together, at most
	flag []uint8   // see the flags
}

// Flags of a slot.
const (
	sceneEqual uint8 = 1 << iota // scene id is the query's
	routeEqual                   // route pattern is the query's
	asked                        // it is about a check that the prompt calls for
	surely                       // and the prompt does so plainly, see sureAsked
	skip                         // dead, or excluded
)

// candidate is a slot and how well it fits.
type candidate struct {
	slotRef
	id       uint64  // key of the node's id
	lexical  float64 // BM25 over what a document of average length would get
	cosine   float64 //
	raw      float64 // lexical + max(0, cosine)
	semantic float64 // calibrated
	verbatim float64 // raw as a share of what the prompt itself would have, 0 to 1
	founded  bool    // see leastWords
	exact    float64
	scene    float64
	asked    float64 // how surely it is about a check that the prompt calls for: 0, hardlyAsked or 1
	rel      float64
}

// A memory needs a reason in the question: that its words are rather those of a
// partner than chance (the middle of the calibration), that the prompt calls for
// its check, or, at a place that few memories share (an equal scene id or route
// that under a tenth of them has), that its words are not far off. A place alone is
// none: most of what is tested on a page has nothing to do with what went wrong
// there, and what is on topic but irrelevant is what distracts most:
// quality/testdata/abstention.golden has how often.
const (
	leastWords = 0.5
	hereWords  = 0.3 // at a place that few share
	leastPlace = 0.45
	fewPlace   = 2 * leastPlace // scene id and route both
)

// askedWeight is what it is worth that a prompt calls for the check of a memory: enough for
// a lesson, and where it is plain for a single case; less than the very place or like words.
const (
	askedWeight = 0.645
	hardlyAsked = 0.9 // where it is likely only
)

// before is the order of candidates of a level; it depends on nothing but the
// nodes. What has evidence of its own comes first, so that what has not cannot
// crowd it out.
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

// top keeps the best k candidates, sorted.
type top struct {
	k    int
	best []candidate
}

func (t *top) full() bool { return len(t.best) == t.k }

// add puts c where it belongs, if it is among the best, and reports whether it is.
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

// scan returns the k best candidates of a level, exactly (but for what the
// sketches' bound lets through, see width): first every slot gets the most it
// can score, then the most promising are computed, and then all whose most is
// above the k-th of these.
func (s *search) scan(level, k int) ([]candidate, error) {
	t := &top{k: k, best: make([]candidate, 0, k+1)}
	seeds := make([]seed, 0, 2*k)
	for i := range s.st.parts {
		var err error
		if seeds, err = s.bound(&s.st.parts[i], level, seeds, 2*k); err != nil {
			return nil, err
		}
	}
	for _, x := range seeds {
		if _, err := s.consider(t, x.slotRef); err != nil {
			return nil, err
		}
		s.flag[x.part.base+x.slot] |= skip // done
	}
	need := s.need(t)
	for i := range s.st.parts {
		p := &s.st.parts[i]
		from, to := p.level(level)
		high, flag := s.high[p.base+from:p.base+to], s.flag[p.base+from:p.base+to]
		for j, h := range high {
			f := flag[j]
			if f&skip != 0 || h < need[f][anyType] {
				continue
			}
			worth, err := s.worth(p, from+j, h, &need[f])
			if err != nil {
				return nil, err
			}
			if !worth {
				continue
			}
			better, err := s.consider(t, slotRef{p, from + j})
			if err != nil {
				return nil, err
			}
			if better {
				need = s.need(t)
			}
		}
	}
	for _, x := range seeds {
		s.flag[x.part.base+x.slot] &^= skip
	}
	return t.best, nil
}

// seed is a slot that looks promising.
type seed struct {
	slotRef
	score float32
}

// bound fills s.high for the slots of a level of p, and keeps the n slots that
// look best in seeds, best first.
func (s *search) bound(p *part, level int, seeds []seed, n int) ([]seed, error) {
	from, to := p.level(level)
	sketches, size := []byte(nil), 0
	if s.dense {
		var err error
		if sketches, err = p.sketches(); err != nil {
			return nil, err
		}
		if size = sketchSize(p.dims); p.dims != len(s.ask.ints) {
			sketches = nil
		}
	}
	lex, flag := s.lex[p.base+from:p.base+to], s.flag[p.base+from:p.base+to]
	est, high := s.est[p.base+from:p.base+to], s.high[p.base+from:p.base+to]
	if sketches != nil {
		s.ask.estimate(sketches[from*size:to*size], est, high)
	} else {
		clear(est)
		clear(high)
	}
	least := float32(math.Inf(-1))
	if len(seeds) == n {
		least = seeds[n-1].score
	}
	unit := s.unit
	for i, x := range lex {
		x *= unit
		score, most := x+max(est[i], 0), x+max(high[i], 0)
		if s.exhaustive {
			most = 2e9
		}
		high[i] = most
		if score <= least || flag[i]&skip != 0 {
			continue
		}
		at, _ := slices.BinarySearchFunc(seeds, score, func(x seed, v float32) int { return cmp.Compare(v, x.score) })
		if len(seeds) == n {
			seeds = seeds[:n-1]
		}
		seeds = slices.Insert(seeds, at, seed{slotRef{p, from + i}, score})
		if len(seeds) == n {
			least = seeds[n-1].score
		}
	}
	return seeds, nil
}

// needs are the raw scores that a slot must reach at least to be among the best
// k, by what its scene type says: nothing, half, or all, and the least of these.
type needs [4]float32

const anyType = 3

// need returns the needs for each combination of flags.
func (s *search) need(t *top) (all [2 * skip]needs) {
	if !t.full() {
		for f := range all {
			all[f] = needs{-1, -1, -1, -1}
		}
		return all
	}
	last := &t.best[t.k-1]
	founded := s.scale.needed(leastWords)
	for f := range skip {
		place := s.exact(f)
		if f&asked != 0 {
			all[f] = needs{-1, -1, -1, -1} // few, and each has its reason
			continue
		}
		rest := 1 - place*exactWeight
		n := &all[f]
		for i := range anyType {
			v := s.scale.needed((1 - (1-last.rel)/(rest*(1-sceneWeight*0.5*float64(i)))) / semanticWeight)
			switch {
			case place >= leastPlace && !last.founded:
				v = -1
			case place >= leastPlace:
			case last.founded:
				v = max(v, founded)
			default:
				v = min(v, founded)
			}
			n[i] = float32(v) - 1e-5
		}
		n[anyType] = n[0]
		if len(s.types) > 0 {
			n[anyType] = n[2]
		}
	}
	return all
}

// worth reports whether a slot can be among the best, its scene type known.
func (s *search) worth(p *part, slot int, most float32, n *needs) (bool, error) {
	if len(s.types) == 0 {
		return true, nil
	}
	heads, err := p.heads()
	if err != nil {
		return false, err
	}
	return most >= n[int(2*s.types[readHead(heads[slot*headSize:]).scene])], nil
}

// consider computes a slot and adds it to t if it may be used here; it reports whether t has changed.
func (s *search) consider(t *top, at slotRef) (bool, error) {
	s.computed++
	c, ok, err := s.compute(at)
	return ok && t.add(&c), err
}

// compute returns how well a slot fits; ok is false where the scope forbids it.
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
	if s.dense && h.vector && !p.alien && p.dims == len(s.ask.ints) {
		row, err := p.row(slot)
		if err != nil {
			return candidate{}, false, err
		}
		c.cosine = float64(s.ask.cosine(row, h.scale))
		if !(math.Abs(c.cosine) < 1.1) { // 1 and what rounding adds
			return candidate{}, false, p.damaged(0, "a vector has a length that it cannot have")
		}
	}
	c.raw = c.lexical + max(0, c.cosine)
	c.semantic = s.scale.at(c.raw)
	c.verbatim = s.verbatim(c.raw)
	c.exact = s.exact(s.flag[p.base+slot])
	c.scene = s.types[h.scene]
	if s.flag[p.base+slot]&asked != 0 {
		c.asked = hardlyAsked
		if s.flag[p.base+slot]&surely != 0 {
			c.asked = 1
		}
	}
	c.rel = 1 - (1-c.exact*exactWeight)*(1-c.semantic*semanticWeight)*(1-c.scene*sceneWeight)*(1-c.asked*askedWeight)
	c.founded = c.exact >= leastPlace && c.semantic >= hereWords || c.semantic >= leastWords || c.asked > 0
	return c, true, nil
}

// verbatim returns a raw score as a share of the most there is for this prompt,
// which its own text would have.
func (s *search) verbatim(raw float64) float64 {
	most := s.self
	if s.dense {
		most++
	}
	if most <= 0 {
		return 0
	}
	return min(max(0, raw/most), 1)
}
