package replay

import (
	"iter"
	"math/rand/v2"

	"github.com/memtree/memtree/stat"
)

// Difference is how far one row is above another over the same runs. Its
// intervals are those of a bootstrap that draws whole tests, both rows together:
// what makes a test hard or easy for both is not in them.
type Difference struct {
	AUC      *float64  `json:"auc"` // null when all verdicts are right or all wrong
	Interval *Interval `json:"aucInterval,omitempty"`

	Warned         float64   `json:"warned"` // of the share of the wrong verdicts warned of
	WarnedInterval *Interval `json:"warnedInterval,omitempty"`
}

// comparisons is how often tests are drawn for a difference.
const comparisons = 1000

// difference measures answers b against answers a.
func (t *truth) difference(a, b []Answer, seed uint64) *Difference {
	pairs := make([]pair, len(a))
	all := make([]int, len(a))
	for i := range a {
		x := pair{wrong: t.verdicts[i].Wrong(), a: a[i].Score, b: b[i].Score}
		if x.wrong {
			x.gain = t.heard(i, b[i].Items) - t.heard(i, a[i].Items)
		}
		pairs[i], all[i] = x, i
	}
	auc, warned, ok := compare(pairs, all)
	d := &Difference{Warned: warned}
	if !ok {
		return d
	}
	d.AUC = &auc
	var aucs, warneds []float64
	for drawn := range redraw(t.tests, comparisons, seed) {
		if auc, warned, ok := compare(pairs, drawn); ok {
			aucs, warneds = append(aucs, auc), append(warneds, warned)
		}
	}
	d.Interval, d.WarnedInterval = middle(aucs), middle(warneds)
	return d
}

// heard is 1 where run i was warned of, else 0.
func (t *truth) heard(i int, items []Item) float64 {
	if exact, similar := t.warned(i, items); exact || similar {
		return 1
	}
	return 0
}

// pair is one run as both rows have it.
type pair struct {
	wrong bool
	a, b  float64 // scores
	gain  float64 // 1 where b alone warned, -1 where a alone did
}

// compare returns how far b is above a on the runs drawn; ok as AUC has it.
func compare(pairs []pair, drawn []int) (auc, warned float64, ok bool) {
	var a, b [2][]float64 // scores of right and of wrong verdicts
	for _, i := range drawn {
		x, kind := &pairs[i], 0
		if x.wrong {
			kind = 1
		}
		a[kind], b[kind] = append(a[kind], x.a), append(b[kind], x.b)
		warned += x.gain
	}
	before, _, ok := stat.AUC(a[1], a[0])
	after, _, _ := stat.AUC(b[1], b[0])
	return after - before, warned / float64(max(1, len(a[1]))), ok
}

// redraw draws as many cases as there are, with repeats, so many times, and
// yields each time the places of what is of them, in order. A slice it yields is
// used again for the next.
func redraw(cases []string, times int, seed uint64) iter.Seq[[]int] {
	rng := rand.New(rand.NewPCG(seed, 0x7269736b)) //nolint:gosec // must come out the same again
	number := map[string]int{}
	of := make([]int, len(cases))
	for i, c := range cases {
		n, ok := number[c]
		if !ok {
			n = len(number)
			number[c] = n
		}
		of[i] = n
	}
	return func(yield func([]int) bool) {
		count := make([]int, len(number))
		drawn := make([]int, 0, len(cases))
		for range times {
			clear(count)
			for range count {
				count[rng.IntN(len(count))]++
			}
			drawn = drawn[:0]
			for i := range cases {
				for range count[of[i]] {
					drawn = append(drawn, i)
				}
			}
			if !yield(drawn) {
				return
			}
		}
	}
}
