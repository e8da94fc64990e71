package effect

import (
	"iter"
	"math/rand/v2"

	"github.com/memtree/memtree/internal/stat"
)

// pairedDifference is the difference of one row to another over the same runs. Its intervals come from a bootstrap
// that draws whole tests, for both rows at once, so they do not contain the difficulty of a test that is common to
// both.
type pairedDifference struct {
	AUC      *float64       `json:"auc"` // null when all verdicts are right or all wrong
	Interval *stat.Interval `json:"aucInterval,omitempty"`

	Warned         float64        `json:"warned"` // difference in the share of wrong verdicts warned of
	WarnedInterval *stat.Interval `json:"warnedInterval,omitempty"`
}

// comparisons is the number of bootstrap draws.
const comparisons = 1000

// difference returns the difference of the answers b to the answers a.
func (t *labelStream) difference(a, b []ReplayAnswer, seed uint64) *pairedDifference {
	pairs := make([]pairedRun, len(a))
	all := make([]int, len(a))
	for i := range a {
		x := pairedRun{wrong: t.verdicts[i].Wrong(), a: a[i].Score, b: b[i].Score}
		if x.wrong {
			x.gain = t.warnedCount(i, b[i].Items) - t.warnedCount(i, a[i].Items)
		}
		pairs[i], all[i] = x, i
	}
	auc, warned, ok := compareRuns(pairs, all)
	d := &pairedDifference{Warned: warned}
	if !ok {
		return d
	}
	d.AUC = &auc
	var aucs, warneds []float64
	for drawn := range redrawCases(t.tests, comparisons, seed) {
		if auc, warned, ok := compareRuns(pairs, drawn); ok {
			aucs, warneds = append(aucs, auc), append(warneds, warned)
		}
	}
	d.Interval, d.WarnedInterval = middle95(aucs), middle95(warneds)
	return d
}

// warnedCount returns 1 if the items warned of what went wrong in run i, else 0.
func (t *labelStream) warnedCount(i int, items []ReplayWarning) float64 {
	if exact, similar := t.warned(i, items); exact || similar {
		return 1
	}
	return 0
}

// pairedRun is one run with the results of both rows.
type pairedRun struct {
	wrong bool
	a, b  float64 // scores
	gain  float64 // 1 if only b warned, -1 if only a did
}

// compareRuns returns the difference of b to a on the runs drawn. ok is that of rocArea.
func compareRuns(pairs []pairedRun, drawn []int) (auc, warned float64, ok bool) {
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

// redrawCases draws as many cases as cases has, with repeats. cases holds the case of each element. For every draw it
// yields the indexes of the elements of the cases drawn, in order. It reuses the slice that it yields.
func redrawCases(cases []string, times int, seed uint64) iter.Seq[[]int] {
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
