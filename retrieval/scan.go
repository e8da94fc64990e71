package retrieval

import (
	"cmp"
	"math"
	"slices"

	"github.com/memtree/memtree/tree"
)

// scratch is the working memory of one search.
type scratch struct {
	lex  []float32 // BM25 sum of every slot
	high []float32 // of a slot's lexical and dense score together, at most
	flag []uint8   // see the flags
	hash []uint64
}

// Flags of a slot.
const (
	sceneEqual uint8 = 1 << iota // scene id is the query's
	routeEqual                   // route pattern is the query's
	skip                         // dead, or excluded
)

// candidate is a slot and how well it fits.
type candidate struct {
	place
	id       uint64  // key of the node's id
	lexical  float64 // BM25 over what a document of average length would get
	cosine   float64 //
	raw      float64 // lexical + max(0, cosine)
	semantic float64 // calibrated
	exact    float64
	scene    float64
	rel      float64
}

// before is the order of candidates of a level; it depends on nothing but the nodes.
func (c *candidate) before(d *candidate) bool {
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

func (t *top) add(c candidate) bool {
	if t.full() && !c.before(&t.best[t.k-1]) {
		return false
	}
	i, _ := slices.BinarySearchFunc(t.best, &c, func(a candidate, c *candidate) int {
		if a.before(c) {
			return -1
		}
		return 1
	})
	if t.full() {
		t.best = t.best[:t.k-1]
	}
	t.best = slices.Insert(t.best, i, c)
	return true
}

// scan returns the k best candidates of a level, exactly (but for what the
// sketches' bound lets through, see width): first every slot gets the most it
// can score, then the most promising are computed, and then all whose most is
// above the k-th of these.
func (s *search) scan(level, k int) ([]candidate, error) {
	t := &top{k: k, best: make([]candidate, 0, k)}
	seeds := make([]seed, 0, 2*k)
	for i := range s.st.parts {
		var err error
		if seeds, err = s.bound(&s.st.parts[i], level, seeds, 2*k); err != nil {
			return nil, err
		}
	}
	for _, x := range seeds {
		if err := s.consider(t, x.place); err != nil {
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
			if f := flag[j]; f&skip != 0 || h < need[f] {
				continue
			}
			before := len(t.best)
			if err := s.consider(t, place{p, from + j}); err != nil {
				return nil, err
			}
			if t.full() || before != len(t.best) {
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
	place
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
	lex, high, flag := s.lex[p.base:p.base+to], s.high[p.base:p.base+to], s.flag[p.base:p.base+to]
	least := float32(math.Inf(-1))
	if len(seeds) == n {
		least = seeds[n-1].score
	}
	for slot := from; slot < to; slot++ {
		score := lex[slot] * s.unit
		most := score
		if sketches != nil {
			est, off := s.ask.estimate(sketches[slot*size : slot*size+size])
			score += max(est, 0)
			most += max(est+off, 0)
		}
		if s.exhaustive {
			most = 2e9
		}
		high[slot] = most
		if score <= least || flag[slot]&skip != 0 {
			continue
		}
		i, _ := slices.BinarySearchFunc(seeds, score, func(x seed, v float32) int { return cmp.Compare(v, x.score) })
		if len(seeds) == n {
			seeds = seeds[:n-1]
		}
		seeds = slices.Insert(seeds, i, seed{place{p, slot}, score})
		if len(seeds) == n {
			least = seeds[n-1].score
		}
	}
	return seeds, nil
}

// need returns, for each combination of flags, the raw score that a slot must
// reach at least to get into t, if its scene type is the best.
func (s *search) need(t *top) (need [8]float32) {
	for f := range need {
		need[f] = float32(math.Inf(-1))
		if t.full() {
			rest := (1 - s.exact(uint8(f))*exactWeight) * (1 - s.bestScene*sceneWeight)
			need[f] = float32(s.scale.needed((1-(1-t.best[t.k-1].rel)/rest)/semanticWeight)) - 1e-5
		}
	}
	return need
}

// consider computes a slot and adds it to t if it may be used here.
func (s *search) consider(t *top, at place) error {
	c, ok, err := s.compute(at)
	if ok {
		t.add(c)
	}
	return err
}

// compute returns how well a slot fits; ok is false where the scope forbids it.
func (s *search) compute(at place) (candidate, bool, error) {
	p, slot := at.part, at.slot
	heads, err := p.heads()
	if err != nil {
		return candidate{}, false, err
	}
	h := readHead(heads[slot*headSize : (slot+1)*headSize])
	if !s.scope.admits(h) || s.flag[p.base+slot]&skip != 0 {
		return candidate{}, false, nil
	}
	c := candidate{place: at, id: h.id, lexical: float64(s.lex[p.base+slot] * s.unit)}
	if s.dense && h.vector && !p.alien && p.dims == len(s.ask.ints) {
		row, err := p.row(slot)
		if err != nil {
			return candidate{}, false, err
		}
		c.cosine = float64(s.ask.cosine(row, h.scale))
	}
	c.raw = c.lexical + max(0, c.cosine)
	c.semantic = s.scale.at(c.raw)
	c.exact = s.exact(s.flag[p.base+slot])
	c.scene = s.types[h.scene]
	c.rel = 1 - (1-c.exact*exactWeight)*(1-c.semantic*semanticWeight)*(1-c.scene*sceneWeight)
	return c, true, nil
}

// levelOf returns the type of the nodes of a level.
func levelOf(level int) tree.Type {
	return [...]tree.Type{tree.Case, tree.Experience, tree.Strategy}[level-1]
}
