package effect

import "math"

// sequence is a confidence sequence of the lift: an interval after every run, and with probability 1-[Alpha] all of
// them together contain the true value. So it may be inspected after each run, unlike an ordinary interval.
//
// The true value is the mean of the lifts of the runs so far, each weighted by ρ(1-ρ), where ρ is the probability of
// memory: a run is most informative if the coin was fair. The lift may change from run to run in any way. Each run adds
// (A-ρ)(Y-m), where A is 1 with memory, Y is 1 if the run was right and m the share of right runs expected before it;
// its mean is ρ(1-ρ) times the lift of that run, whatever m is (F. Li, K. L. Morgan, A. M. Zaslavsky, J. Am. Stat.
// Assoc. 113, 2018, for the weights). The bound of the sum is the empirical Bernstein bound of S. R. Howard, A. Ramdas,
// J. McAuliffe, J. Sekhon, Annals of Statistics 49, 2021, with a discrete mixture over rates.
type sequence struct {
	sum, weight float64
	below       [len(rates)]float64 // cost of the lower bound, by rate
	above       [len(rates)]float64 // cost of the upper bound, by rate
}

// rates are spaced so that one of them is close to the best, for tens and for thousands of runs. All are below 1, as
// the bound requires.
var rates = [...]float64{0.02, 0.04, 0.07, 0.12, 0.20, 0.35, 0.60, 0.95}

// add adds a run.
func (s *sequence) add(x betOutcome) {
	with, right, m := 0.0, 0.0, 1-x.expected
	if x.memory {
		with = 1
	}
	if !x.failed {
		right = 1
	}
	by := (with - x.rho) * (right - m)
	s.sum += by
	s.weight += x.rho * (1 - x.rho)
	least := max((1-x.rho)*m, x.rho*(1-m)) // by is at least -least
	most := max((1-x.rho)*(1-m), x.rho*m)  // by is at most most
	for k, rate := range rates {
		s.below[k] += price(rate, least) * by * by
		s.above[k] += price(rate, most) * by * by
	}
}

// price is the cost of the square of a step at a rate, if no step in the opposite direction exceeds c.
func price(rate, c float64) float64 {
	if c < 1e-3 {
		c = 1e-3
	}
	u := rate * c
	return (-math.Log1p(-u) - u) / (c * c)
}

// lift returns the lift so far and its interval.
func (s *sequence) lift() (lift, low, high float64) {
	if s.weight == 0 {
		return 0, -1, 1
	}
	lift = max(-1, min(1, s.sum/s.weight))
	low = max(-1, (s.sum-off(&s.below))/s.weight)
	high = min(1, (s.sum+off(&s.above))/s.weight)
	return rounded(lift), rounded(low), rounded(high)
}

// off returns the bound of the sum on one side: where the mixture of the bets against it reaches 2/Alpha.
func off(cost *[len(rates)]float64) float64 {
	proof := math.Log(2 / Alpha * float64(len(rates)))
	most := math.Inf(1) // by the best rate alone
	for k, rate := range rates {
		most = min(most, (proof+cost[k])/rate)
	}
	low, high := 0.0, most
	for range 50 {
		x := (low + high) / 2
		sum := nothing + 0.0
		for k, rate := range rates {
			sum = logSum(sum, rate*x-cost[k])
		}
		if sum < proof {
			low = x
		} else {
			high = x
		}
	}
	return high
}
