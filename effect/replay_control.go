package effect

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/memtree/memtree/internal/stat"
)

// dealings is the number of shuffles of the control: enough for a stable mean and band.
const dealings = 200

// shuffled returns the control for any claim about a memory: the same guidance, given at random. It shuffles the
// answers, with their scores, among all runs after the first mistake was known, and replaces each item by a random
// mistake known before the run. The row is the mean of many shuffles. Its intervals hold the middle 95 % of the
// shuffles; they are no confidence intervals.
func (t *labelStream) shuffled(answers []ReplayAnswer, seed uint64) ReplayRow {
	rng := rand.New(rand.NewPCG(seed, 0x6d656d74726565)) //nolint:gosec // a control must come out the same again
	first := len(t.known)
	if i := slices.IndexFunc(t.known, func(n int) bool { return n > 0 }); i >= 0 {
		first = i
	}
	rows := make([]ReplayRow, dealings)
	deck := slices.Clone(answers[first:])
	dealt := slices.Clone(answers)
	for k := range rows {
		rng.Shuffle(len(deck), func(i, j int) { deck[i], deck[j] = deck[j], deck[i] })
		for i, card := range deck {
			card.Items = drawWarnings(rng, t.past[:t.known[first+i]], len(card.Items))
			dealt[first+i] = card
		}
		rows[k] = t.row("shuffled", dealt)
	}
	return meanRow(rows)
}

// drawWarnings returns n distinct items at random.
func drawWarnings(rng *rand.Rand, from []ReplayWarning, n int) []ReplayWarning {
	out := make([]ReplayWarning, 0, n)
	for _, i := range sampleOf(rng, len(from), n) {
		out = append(out, from[i])
	}
	return out
}

// sampleOf returns min(n, of) distinct numbers below of (Floyd's algorithm).
func sampleOf(rng *rand.Rand, of, n int) []int {
	n = min(n, of)
	out := make([]int, 0, n)
	for j := of - n; j < of; j++ {
		x := rng.IntN(j + 1)
		if slices.Contains(out, x) {
			x = j
		}
		out = append(out, x)
	}
	return out
}

// meanRow returns the row of means of all shares and AUCs, with the middle 95 % of each.
func meanRow(rows []ReplayRow) ReplayRow {
	m := rows[0]
	m.Guided.Wrong, m.Guided.P, m.Guided.Interval = meanAndBand(rows, m.Guided.N,
		func(r *ReplayRow) *float64 { return r.Guided.P })
	m.Unguided.Wrong, m.Unguided.P, m.Unguided.Interval = meanAndBand(rows, m.Unguided.N,
		func(r *ReplayRow) *float64 { return r.Unguided.P })
	_, m.AUC, m.Interval = meanAndBand(rows, 0, func(r *ReplayRow) *float64 { return r.AUC })
	for _, of := range []func(*ReplayRow) *warnedShare{
		func(r *ReplayRow) *warnedShare { return &r.Warned.warnedShare },
		func(r *ReplayRow) *warnedShare { return &r.Warned.Recurrence },
		func(r *ReplayRow) *warnedShare { return &r.Warned.Transfer },
	} {
		s := of(&m)
		s.Warned, s.P, s.Interval = meanAndBand(rows, s.N, func(r *ReplayRow) *float64 { return of(r).P })
	}
	m.Warned.Exact, m.Warned.Similar = 0, 0
	for i := range rows {
		m.Warned.Exact += rows[i].Warned.Exact / float64(len(rows))
		m.Warned.Similar += rows[i].Warned.Similar / float64(len(rows))
	}
	return m
}

// meanAndBand returns the mean and the middle 95 % of a share over rows, and the mean as a count out of n.
func meanAndBand(rows []ReplayRow, n int, share func(*ReplayRow) *float64) (count int, p *float64, in *stat.Interval) {
	if share(&rows[0]) == nil {
		return 0, nil, nil
	}
	xs := make([]float64, len(rows))
	sum := 0.0
	for i := range rows {
		xs[i] = *share(&rows[i])
		sum += xs[i]
	}
	avg := sum / float64(len(xs))
	return int(math.Round(avg * float64(n))), &avg, middle95(xs)
}

// middle95 returns the interval of the middle 95 % of xs, nil for no values. It sorts xs.
func middle95(xs []float64) *stat.Interval {
	if len(xs) == 0 {
		return nil
	}
	slices.Sort(xs)
	return &stat.Interval{Low: quantile(xs, 0.025), High: quantile(xs, 0.975)}
}

// quantile interpolates linearly between the two values of sorted xs around q.
func quantile(xs []float64, q float64) float64 {
	at := q * float64(len(xs)-1)
	i := int(at)
	if i+1 >= len(xs) {
		return xs[len(xs)-1]
	}
	return xs[i] + (at-float64(i))*(xs[i+1]-xs[i])
}
