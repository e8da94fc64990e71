package effect

import (
	"math"

	"github.com/memtree/memtree/internal/stat"
)

// stratum is one test: the numbers of runs in each arm, and the numbers of those with the property.
type stratum struct{ n, k, m, l float64 }

// weight is that of the test in a mean over tests.
func (s *stratum) weight() float64 { return s.n * s.m / (s.n + s.m) }

// fits reports whether strata do not reject a lift at 5 %. The test is that of O. Miettinen and M. Nurminen (Statistics
// in Medicine 4, 1985): the variance of the difference is that of the shares that the lift allows, so a test with one
// result in all runs has one too. The difference counts less half a run, as in the test of Mantel and Haenszel: without
// it, too many intervals of few runs miss the true lift. With it, 95 % or more contain it at every number of runs that
// was tried, one in each arm included (interval_test.go), and an interval is 1/weight wider.
func fits(strata []stratum, lift float64) bool {
	var sum, variance float64
	for i := range strata {
		s := &strata[i]
		w := s.weight()
		p, q := s.shares(lift)
		sum += w * (s.k/s.n - s.l/s.m - lift)
		variance += w * w * (p*(1-p)/s.n + q*(1-q)/s.m) * (s.n + s.m) / (s.n + s.m - 1)
	}
	off := max(0, math.Abs(sum)-0.5)
	return off*off <= stat.Z*stat.Z*variance
}

// shares returns the likeliest shares of the two arms whose difference is lift: the root of a cubic, as in the paper.
func (s *stratum) shares(lift float64) (p, q float64) {
	all, hits := s.n+s.m, s.k+s.l
	a := ((s.n+2*s.m)*lift - all - hits) / (3 * all)
	b := ((s.m*lift-all-2*s.l)*lift + hits) / (3 * all)
	c := s.l * lift * (1 - lift) / (2 * all)
	turn := a*a*a - 1.5*a*b + c
	radius := math.Copysign(math.Sqrt(max(0, a*a-b)), turn)
	angle := math.Pi / 2
	if radius != 0 {
		angle = (math.Pi + math.Acos(max(-1, min(1, turn/(radius*radius*radius))))) / 3
	}
	q = 2*radius*math.Cos(angle) - a
	q = max(0, -lift, min(1, 1-lift, q))
	return q + lift, q
}

// furthest returns the lift that fits and is furthest from the measured one, in the direction of end.
func furthest(strata []stratum, measured, end float64) float64 {
	if fits(strata, end) {
		return end
	}
	for range 24 { // to a millionth and finer
		if middle := (measured + end) / 2; fits(strata, middle) {
			measured = middle
		} else {
			end = middle
		}
	}
	return measured
}
