package retrieval

import (
	"cmp"
	"math"
	"slices"
	"sync"

	"github.com/memtree/memtree/tree"
)

// fittingSlot is a slot, numbered across all parts, and its fit to the task.
type fittingSlot struct {
	slot int
	id   uint64
	x    float64
}

// fitFilter selects the slots that fit best. It rejects a slot without computing a logarithm, which would be too slow
// in a large tree.
type fitFilter struct {
	asked, unit float64              // the term of the prompt alone; what turns a sum into shares of the rarest token
	open        func() bool          // reports whether the cases are of several products
	least       float64              // the minimum of the best
	need        [buckets + 1]float32 // the least sum of shared tokens, by the leaning of the slot
	best        []fittingSlot
}

// newFit returns a filter for a prompt. It weighs no more than mostAsks words.
func (s *search) newFit(prompt string) *fitFilter {
	part := min(1, mostAsks/wordsOf(prompt))
	f := &fitFilter{
		asked: fitted.asks * math.Log1p(min(mostAsks, wordsOf(quoted().ReplaceAllString(prompt, `"`)))),
		unit:  part / math.Log(float64(s.st.live)+1.5), open: sync.OnceValue(s.manyProducts),
	}
	f.raise(fitted.fits)
	return f
}

// clone returns a filter with the same threshold and without slots; nil for nil.
func (f *fitFilter) clone() *fitFilter {
	if f == nil {
		return nil
	}
	c := *f
	c.best = nil
	return &c
}

const buckets = 64

// bucketOf returns the index in fitFilter.need for a slot with this leaning.
func bucketOf(leans float32) int { return int(min(max(leans, 0), 1) * buckets) }

// next returns the first slot from at on that may fit well enough, or len(shared).
func (f *fitFilter) next(shared, leans []float32, at int) int {
	return f.nextPlain(shared, leans, f.nextFast(shared, leans, at))
}

func (f *fitFilter) nextPlain(shared, leans []float32, at int) int {
	for ; at < len(shared) && (shared[at] == 0 || shared[at] < f.need[bucketOf(leans[at])]); at++ {
	}
	return at
}

// raise sets the minimum.
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

// manyProducts reports whether the cases are of more than one product. Cases without a product form a product of their
// own.
func (s *search) manyProducts() bool {
	first, found := uint32(0), false
	for i := range s.st.parts {
		p := &s.st.parts[i]
		of, err := p.products()
		if err != nil {
			return false // the scan reads them too, and reports the error
		}
		from, to := p.level(tree.Case.Level())
		for slot := from; slot < to; slot++ {
			if s.flag[p.base+slot]&skip != 0 {
				continue
			}
			product := of.only
			if of.several {
				product = readHead(of.heads[slot*headSize:]).product
			}
			if found && product != first {
				return true
			}
			if first, found = product, true; !of.several {
				break // the others have it too
			}
		}
	}
	return false
}

// caseProducts are the marks of the products of a segment's cases, dead ones too.
type caseProducts struct {
	several bool
	only    uint32 // the mark of all, unless there are several
	heads   []byte
}

// products returns the products of the cases. It reads the heads of all once: where all are of one product, they would
// be read for every question about another.
func (s *segment) products() (caseProducts, error) {
	if of := s.ofCases.Load(); of != nil {
		return *of, nil
	}
	heads, err := s.heads()
	if err != nil {
		return caseProducts{}, err
	}
	of := caseProducts{heads: heads}
	from, to := s.level(tree.Case.Level())
	for slot := from; slot < to && !of.several; slot++ {
		product := readHead(heads[slot*headSize:]).product
		of.several = slot > from && product != of.only
		of.only = product
	}
	s.ofCases.Store(&of)
	return of, nil
}
