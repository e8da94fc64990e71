// Package stat holds statistics that several packages need: intervals of shares, the area under a ROC curve, ranks and
// the normal distribution. Everything in it is a pure function of its arguments.
package stat

import (
	"math"
	"slices"
)

// Z is the 97.5 % point of the standard normal distribution, for 95 % intervals.
const Z = 1.959963984540054

// Interval is a 95 % confidence interval.
type Interval struct {
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// Normal returns the probability that a standard normal variable is below x.
func Normal(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }

// Spearman returns Spearman's rank correlation of the pairs (xs[i], ys[i]), -1 to 1. Equal values have the mean of
// their ranks. ok is false for fewer than two pairs, for lists of different lengths, or if all xs or all ys are equal.
func Spearman(xs, ys []float64) (rho float64, ok bool) {
	if len(xs) != len(ys) || len(xs) < 2 {
		return 0, false
	}
	a, b := ranks(xs), ranks(ys)
	mean := float64(len(xs)+1) / 2
	var ab, aa, bb float64
	for i := range a {
		ab += (a[i] - mean) * (b[i] - mean)
		aa += (a[i] - mean) * (a[i] - mean)
		bb += (b[i] - mean) * (b[i] - mean)
	}
	if aa <= 0 || bb <= 0 {
		return 0, false
	}
	return ab / math.Sqrt(aa*bb), true
}

// Wilson returns the 95 % score interval of the share k/n (E. B. Wilson, JASA 1927). Unlike p ± 2 standard errors, the
// interval stays within 0 to 1 and is usable if n is small or the share is near 0 or 1. For n = 0 it is 0 to 1.
func Wilson(k, n int) Interval {
	if n <= 0 {
		return Interval{Low: 0, High: 1}
	}
	f, p := float64(n), float64(k)/float64(n)
	middle := p + Z*Z/(2*f)
	half := Z * math.Sqrt(p*(1-p)/f+Z*Z/(4*f*f))
	scale := 1 + Z*Z/f
	in := Interval{Low: max(0, (middle-half)/scale), High: min(1, (middle+half)/scale)}
	if k <= 0 {
		in.Low = 0
	}
	if k >= n {
		in.High = 1
	}
	return in
}

// AUC returns the area under the ROC curve: the probability that a wrong verdict has a higher score than a right one; a
// tie counts one half. wrong and right are the scores of the wrong and of the right verdicts; if either is empty, ok is
// false. in is DeLong's 95 % interval (Biometrics 1988), computed from ranks in O(n log n) (Sun and Xu, IEEE SPL 2014).
// If the scores separate wrong and right verdicts completely, in has no width, which does not mean certainty.
func AUC(wrong, right []float64) (auc float64, in Interval, ok bool) {
	m, n := len(wrong), len(right)
	if m == 0 || n == 0 {
		return 0, Interval{}, false
	}
	all := ranks(slices.Concat(wrong, right))
	own, other := ranks(wrong), ranks(right)
	above := make([]float64, m) // share of right verdicts below each wrong one
	below := make([]float64, n) // share of wrong verdicts above each right one
	for i := range wrong {
		above[i] = (all[i] - own[i]) / float64(n)
		auc += above[i] / float64(m)
	}
	for j := range right {
		below[j] = 1 - (all[m+j]-other[j])/float64(m)
	}
	half := Z * math.Sqrt(variance(above)/float64(m)+variance(below)/float64(n))
	return auc, Interval{Low: max(0, auc-half), High: min(1, auc+half)}, true
}

// ranks returns the rank of each value from 1; equal values have the mean of their ranks.
func ranks(xs []float64) []float64 {
	order := make([]int, len(xs))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		switch {
		case xs[a] < xs[b]:
			return -1
		case xs[a] > xs[b]:
			return 1
		}
		return a - b
	})
	ranks := make([]float64, len(xs))
	for i := 0; i < len(order); {
		j := i
		for j < len(order) && xs[order[j]] == xs[order[i]] {
			j++
		}
		for _, k := range order[i:j] {
			ranks[k] = float64(i+j+1) / 2
		}
		i = max(j, i+1) // a NaN is not equal to itself
	}
	return ranks
}

// variance returns the sample variance, 0 for fewer than two values.
func variance(xs []float64) float64 {
	if len(xs) < 2 {
		return 0
	}
	mean := 0.0
	for _, x := range xs {
		mean += x / float64(len(xs))
	}
	sum := 0.0
	for _, x := range xs {
		sum += (x - mean) * (x - mean)
	}
	return sum / float64(len(xs)-1)
}
