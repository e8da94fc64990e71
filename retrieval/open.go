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

// addSeeds adds the slots of a level of p with the best estimates to seeds, which holds at most n slots of all parts,
// best first.
func (s *search) addSeeds(p *part, level int, seeds []seed, n int) []seed {
	from, to := p.level(level)
	least := float32(math.Inf(-1))
	if len(seeds) == n {
		least = seeds[n-1].score
	}
	all, flag := s.score[p.base+from:p.base+to], s.flag[p.base+from:p.base+to]
	for i := next(all, flag, least, 0); i < len(all); i = next(all, flag, least, i+1) {
		score := all[i]
		if score <= least || flag[i]&skip != 0 {
			continue
		}
		if seeds = insertSeed(seeds, seed{slotRef{p, from + i}, score}, n); len(seeds) == n {
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

// promising returns the slots of a level that can have a place among the best, numbered across all parts. It flags them
// with their scene types.
func (s *search) promising(level int, need *needs) ([]uint64, error) {
	s.open = s.open[:0]
	for i := range s.st.parts {
		p := &s.st.parts[i]
		types, err := p.types()
		if err != nil {
			return nil, err
		}
		var typeFlags [256]uint8
		for j, m := range types.marks {
			typeFlags[j] = uint8(2*s.types[m]) * likeType
		}
		typeFlags[otherType] = likeType | sameType
		from, to := p.level(level)
		high, flag := s.high[p.base+from:p.base+to], s.flag[p.base+from:p.base+to]
		for j := next(high, flag, need[0], 0); j < len(high); j = next(high, flag, need[0], j+1) {
			if flag[j]&(fitsTask|skip) == fitsTask { // every one of them has a reason, so more of the best are among them
				high[j] += surer * (high[j] - s.score[p.base+from+j])
			}
			s.addOpen(p.base+from+j, typeFlags[types.slots[from+j]], need)
		}
		if need[likeType|sameType] >= need[0] {
			continue // the type lifts none above the others
		}
		for j, of := range types.lists() {
			if typeFlags[j] == 0 {
				continue
			}
			at, _ := slices.BinarySearch(of, uint32(from)) //nolint:gosec // a slot
			for _, slot := range of[at:] {
				if int(slot) >= to {
					break
				}
				if s.flag[p.base+int(slot)] == 0 { // not seen above
					s.addOpen(p.base+int(slot), typeFlags[j], need)
				}
			}
		}
	}
	return s.open, nil
}

// addOpen adds a slot to s.open, flagged with its scene type, if it can have a place among the best.
func (s *search) addOpen(at int, typeFlag uint8, need *needs) {
	if f := s.flag[at] | typeFlag; f&skip == 0 && s.high[at] >= need[f] {
		s.flag[at] = f
		s.open = append(s.open, uint64(at)) //nolint:gosec // a slot
	}
}

// ofEachKind computes the k slots with the best estimates among those of open with the same flags, where more than 2k
// have these. It adds them to seeds, and raises need. Where no memory has a reason, the type of the scene decides, and
// thousands of one type may have a place among the best: but of equal flags the better text comes first.
func (s *search) ofEachKind(t *top, open []uint64, seeds []seed, need *needs) ([]seed, error) {
	if len(open) <= 2*t.k || s.exhaustive {
		return seeds, nil
	}
	var count [allFlags + 1]int
	for _, at := range open {
		count[s.flag[at]]++
	}
	var best [allFlags + 1][]seed
	for _, x := range open {
		at := int(x) //nolint:gosec // a slot
		f := s.flag[at]
		if count[f] <= 2*t.k || f&fitsTask != 0 { // there the task decides too
			continue
		}
		if of := best[f]; len(of) < t.k || s.score[at] > of[t.k-1].score {
			best[f] = insertSeed(of, seed{s.st.slot(at), s.score[at]}, t.k)
		}
	}
	for f := range best {
		for _, x := range best[f] {
			at := x.part.base + x.slot
			if s.high[at] < need[f] {
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
	}
	return seeds, nil
}

// ordered returns those slots of open that can still have a place among the best, those with the best estimates first,
// in the same memory. The lower half of each number is the slot; the upper half orders them.
func (s *search) ordered(open []uint64, need *needs) []uint64 {
	all := open[:0]
	for _, x := range open {
		at := int(x) //nolint:gosec // a slot
		if f := s.flag[at]; f&skip == 0 && s.high[at] >= need[f] {
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
	return float32(max(0, relOf(s.exact(f), s.scale.at(float64(s.score[at])), scene, s.fitting[at])))
}
