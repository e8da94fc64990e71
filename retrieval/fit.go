package retrieval

import (
	"cmp"
	"math"
	"slices"
	"sync"

	"github.com/memtree/memtree/tree"
)

// fittingSlot is a slot, counted through all parts, and how well it fits the task.
type fittingSlot struct {
	slot int
	id   uint64
	x    float64
}

// bestFitting returns the cases that fit well enough, the best mostFitting of them. asked is the
// term of the prompt alone, and part the share of its words that counts.
func (s *search) bestFitting(asked, part float64) []fittingSlot {
	f := &fitFilter{asked: asked, unit: part / math.Log(float64(s.st.live)+1.5)}
	f.raise(fitted.fits)
	open := sync.OnceValue(s.manyProducts)
	for i := range s.st.parts {
		p := &s.st.parts[i]
		heads, err := p.heads()
		if err != nil {
			continue // the scan reads them too, and says so
		}
		from, to := p.level(tree.Case.Level())
		shared, leans := s.shared[p.base:p.base+p.n], s.leans[p.base:p.base+p.n]
		for slot := from; slot < to; slot++ {
			if shared[slot] == 0 || shared[slot] < f.need[bucketOf(leans[slot])] || s.flag[p.base+slot]&skip != 0 {
				continue
			}
			h := readHead(heads[slot*headSize:])
			x := math.Log1p(float64(shared[slot])*f.unit) + fitted.leans*float64(leans[slot]) + asked
			if h.product != s.scope.product && open() {
				x -= fitted.openly
			}
			if x >= f.least && s.scope.admits(h) {
				f.add(fittingSlot{p.base + slot, h.id, x})
			}
		}
	}
	return f.cut()
}

// fitFilter keeps the slots that fit best. Whether a slot may be among them it tells without a logarithm,
// of which a large tree would need too many.
type fitFilter struct {
	asked, unit float64
	least       float64              // what the best have at least
	need        [buckets + 1]float32 // the least sum of shared words, by what the slot leans to
	best        []fittingSlot
}

const buckets = 64

// bucketOf returns the place in fitFilter.need for a slot that leans so much.
func bucketOf(leans float32) int { return int(min(max(leans, 0), 1) * buckets) }

// raise sets the least.
func (f *fitFilter) raise(least float64) {
	f.least = least
	for i := range f.need {
		leans := float64(i+1) / buckets // the most in this bucket
		f.need[i] = float32((math.Exp(least-f.asked-fitted.leans*leans) - 1) / f.unit)
	}
}

func (f *fitFilter) add(x fittingSlot) {
	if f.best = append(f.best, x); len(f.best) == 2*mostFitting {
		f.best = f.cut()
		f.raise(f.best[mostFitting-1].x)
	}
}

// cut returns the best mostFitting, sorted.
func (f *fitFilter) cut() []fittingSlot {
	slices.SortFunc(f.best, func(a, b fittingSlot) int {
		return cmp.Or(cmp.Compare(b.x, a.x), cmp.Compare(a.id, b.id))
	})
	return f.best[:min(len(f.best), mostFitting)]
}

// manyProducts reports whether the cases are of more than one product. Cases that name none count as
// of one more.
func (s *search) manyProducts() bool {
	first, found := uint32(0), false
	for i := range s.st.parts {
		p := &s.st.parts[i]
		heads, err := p.heads()
		if err != nil {
			return false // the scan reads them too, and says so
		}
		from, to := p.level(tree.Case.Level())
		for slot := from; slot < to; slot++ {
			if s.flag[p.base+slot]&skip != 0 {
				continue
			}
			product := readHead(heads[slot*headSize:]).product
			if found && product != first {
				return true
			}
			first, found = product, true
		}
	}
	return false
}
