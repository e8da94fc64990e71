package retrieval

import (
	"cmp"
	"math"
	"slices"
)

// Which slots a scan computes: the seeds first, then those that are open, as long as they can still have a place among
// the best.

// seed is a slot with one of the best estimated scores.
type seed struct {
	slotRef
	score float32
}

// scoreOf returns the estimated raw score of a slot.
func (s *search) scoreOf(at int) float32 { return s.score[at] * s.per }

// mayBe reports whether a slot can have a place among the best.
func (s *search) mayBe(at int, need *needs) bool { return s.high[at]*s.per >= need[s.flag[at]] }

// addSeeds adds the slots of a level of p with the best estimates to seeds, which holds at most n slots of all parts,
// best first.
func (s *search) addSeeds(p *part, level int, seeds []seed, n int) []seed {
	from, to := p.level(level)
	least := float32(math.Inf(-1))
	if len(seeds) == n {
		least = seeds[n-1].score
	}
	all := s.score[p.base+from : p.base+to]
	for i := nextAbove(all, s.per, least, 0); i < len(all); i = nextAbove(all, s.per, least, i+1) {
		if s.flag[p.base+from+i]&skip != 0 {
			continue
		}
		if seeds = insertSeed(seeds, seed{slotRef{p, from + i}, all[i] * s.per}, n); len(seeds) == n {
			least = seeds[n-1].score
		}
	}
	return seeds
}

// insertSeed adds x to seeds, the n best at most, the best first. If there are n, x must be better than the last.
func insertSeed(seeds []seed, x seed, n int) []seed {
	at, _ := slices.BinarySearchFunc(seeds, x.score, func(x seed, v float32) int { return cmp.Compare(v, x.score) })
	if len(seeds) == n {
		seeds = seeds[:n-1]
	}
	return slices.Insert(seeds, at, x)
}

// mostComputed bounds the work on one query: on a level no more slots than this are computed, besides the seeds and
// those with the same estimate as the last of them. In a tree of 100,000 cases with thousands that look alike, the
// slots with the lowest estimates are skipped; TestManyAlike has the rate at which one of the best is among them.
const mostComputed = 1024

// widen widens the error bound of the slots that fit the task. Every one of them has a reason, so more of the best are
// among them.
func (s *search) widen() {
	if !s.dense {
		return // nothing is estimated
	}
	for at := range s.fitting {
		s.high[at] += surer * (s.high[at] - s.score[at])
	}
}

// kind has the slots of a level with the same flags that can have a place among the best.
type kind struct {
	count int
	best  []seed // those with the best estimates
}

// promising returns the slots of a level that can have a place among the best, numbered across all parts. Where no
// memory has a reason, the type of the scene decides, and thousands of one type may have a place: but of equal flags
// the better text comes first. So of each kind, of which 2k slots or more were found, it computes the k with the best
// estimates, again and again as their number doubles. It adds these to seeds, and raises need.
func (s *search) promising(t *top, level int, seeds []seed, need *needs) ([]uint64, []seed, error) {
	s.open = s.open[:0]
	var kinds [allFlags + 1]kind
	for i := range s.st.parts {
		p := &s.st.parts[i]
		from, to := p.level(level)
		high, flag := s.high[p.base+from:p.base+to], s.flag[p.base+from:p.base+to]
		for j := nextOpen(high, flag, s.per, need, 0); j < len(high); j = nextOpen(high, flag, s.per, need, j+1) {
			at := p.base + from + j
			s.open = append(s.open, uint64(at)) //nolint:gosec // a slot
			if flag[j]&fitsTask != 0 || s.exhaustive {
				continue // the task decides too
			}
			of := &kinds[flag[j]]
			of.count++
			if score := s.scoreOf(at); len(of.best) < t.k || score > of.best[t.k-1].score {
				of.best = insertSeed(of.best, seed{slotRef{p, from + j}, score}, t.k)
			}
			if n := of.count; n < 2*t.k || n&(n-1) != 0 && n != 2*t.k {
				continue
			}
			var err error
			if seeds, err = s.considerAll(t, of.best, seeds, need); err != nil {
				return nil, nil, err
			}
		}
	}
	return s.open, seeds, nil
}

// considerAll computes the slots of best that were not computed yet. It adds them to seeds, and raises need.
func (s *search) considerAll(t *top, best, seeds []seed, need *needs) ([]seed, error) {
	for _, x := range best {
		at := x.part.base + x.slot
		if s.flag[at]&skip != 0 || !s.mayBe(at, need) {
			continue
		}
		better, err := s.consider(t, x.slotRef)
		if err != nil {
			return seeds, err
		}
		s.flag[at] |= skip
		seeds = append(seeds, x)
		if better {
			*need = s.leastScores(t)
		}
	}
	return seeds, nil
}

// ordered returns those slots of open that can still have a place among the best, those with the best estimates first,
// in the same memory. The lower half of each number is the slot; the upper half orders them.
func (s *search) ordered(open []uint64, need *needs) []uint64 {
	all := open[:0]
	for _, x := range open {
		at := int(x) //nolint:gosec // a slot
		if s.mayBe(at, need) {
			all = append(all, uint64(^math.Float32bits(s.looks(at)))<<32|x)
		}
	}
	if !s.exhaustive {
		all = lowest(all, mostComputed)
	}
	slices.Sort(all)
	if s.exhaustive || len(all) <= mostComputed {
		return all
	}
	n := mostComputed
	for n < len(all) && all[n]>>32 == all[n-1]>>32 {
		n++ // the cut must not depend on the order of slots
	}
	return all[:n]
}

// lowest returns the n lowest of all, those with the same upper half as the last of them, and a few more, in some
// order. It orders all in place. A tree with many that look alike has ten times as many as are computed, and to sort
// them would take a tenth of a search.
func lowest(all []uint64, n int) []uint64 {
	if len(all) <= 2*n {
		return all
	}
	var count [1 << 12]int
	bucket := func(x uint64) int { // of estimates from 0 to 1, as looks returns them; the best are in the first
		return len(count) - 1 - int(min(1, math.Float32frombits(^uint32(x>>32)))*float32(len(count)-1))
	}
	for _, x := range all {
		count[bucket(x)]++
	}
	last, sum := 0, count[0]
	for sum < n {
		last++
		sum += count[last]
	}
	to := 0
	for i, x := range all {
		if bucket(x) <= last {
			all[i], all[to] = all[to], x
			to++
		}
	}
	return all[:to]
}

// surer is by how much the error bound of a slot is wider if it fits the task: 3
// standard deviations in place of 2.2, see width.
const surer = 3/width - 1

// looks estimates the rel of a slot that has all its flags; 0 to 1.
func (s *search) looks(at int) float32 {
	f := s.flag[at]
	scene := 0.5 * float64(min(f/likeType, 2))
	return float32(max(0, relOf(s.exact(f), s.scale.at(float64(s.scoreOf(at))), scene, s.fitting[at])))
}
