package effect

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/internal/stat"
)

// TestSharesAreTheLikeliest: no other pair of shares with the difference makes the results likelier.
func TestSharesAreTheLikeliest(t *testing.T) {
	for n := range 5 {
		for m := range 4 {
			for k := range n + 2 {
				for l := range m + 2 {
					for lift := -0.95; lift < 1; lift += 0.19 {
						s := stratum{float64(n + 1), float64(k), float64(m + 1), float64(l)}
						p, q := s.shares(lift)
						require.InDelta(t, lift, p-q, 1e-12)
						most := binomial(n+1, k, p) * binomial(m+1, l, q)
						for i := range 101 {
							q := max(0, -lift) + float64(i)/100*(1-math.Abs(lift))
							require.LessOrEqual(t, binomial(n+1, k, min(1, q+lift))*binomial(m+1, l, q), most+1e-7, "%v %v", s, lift)
						}
					}
				}
			}
		}
	}
}

// TestLiftOfFewRunsIsUnknown: one run in an arm excludes little, and no effect never.
func TestLiftOfFewRunsIsUnknown(t *testing.T) {
	l := mantelHaenszel([]stratum{{1, 1, 1, 0}})
	require.InDelta(t, -0.891, l.Low, 0.001)
	require.Equal(t, 1.0, l.High)
	l = mantelHaenszel([]stratum{{1, 1, 1, 1}})
	require.Equal(t, [2]float64{-1, 1}, [2]float64{l.Low, l.High})
	for _, s := range []stratum{{2, 2, 1, 0}, {1, 1, 2, 0}, {3, 3, 3, 0}, {4, 4, 1, 0}, {10, 10, 1, 0}} {
		l := mantelHaenszel([]stratum{s})
		require.Less(t, l.Low, 0.0, "%v", s)
		require.Equal(t, 1.0, l.High, "%v", s)
	}
}

// TestLiftOfOneTestCoversExactly: whatever the two true shares are, the results for which the interval contains their
// difference have a probability of .95 or more. All results are enumerated.
func TestLiftOfOneTestCoversExactly(t *testing.T) {
	const steps = 40
	for _, n := range [][2]int{
		{1, 1}, {1, 2}, {2, 1}, {2, 2}, {3, 3}, {4, 1}, {1, 8}, {20, 1}, {8, 2}, {5, 5}, {12, 3}, {10, 10}, {20, 5},
		{40, 10}, {30, 30},
	} {
		ls := make([]Lift, 0, (n[0]+1)*(n[1]+1))
		for k := range n[0] + 1 {
			for l := range n[1] + 1 {
				ls = append(ls, mantelHaenszel([]stratum{{float64(n[0]), float64(k), float64(n[1]), float64(l)}}))
			}
		}
		for i := range steps + 1 {
			for j := range steps + 1 {
				p, q := float64(i)/steps, float64(j)/steps
				covered := 0.0
				for at, l := range ls {
					if l.Low-1e-6 <= p-q && p-q <= l.High+1e-6 {
						covered += binomial(n[0], at/(n[1]+1), p) * binomial(n[1], at%(n[1]+1), q)
					}
				}
				require.GreaterOrEqual(t, covered, 0.95, "%d runs with a share of %v, %d with %v", n[0], p, n[1], q)
			}
		}
	}
}

// binomial returns the probability of k of n, each with probability p.
func binomial(n, k int, p float64) float64 {
	all := math.Pow(p, float64(k)) * math.Pow(1-p, float64(n-k))
	for i := range k {
		all *= float64(n-i) / float64(i+1)
	}
	return all
}

// TestLiftOfManyTestsCovers: in 95 of 100 simulated histories the interval contains the true value, for few tests and
// many, few runs of each and more, arms drawn evenly and not, shares near 0 and 1, and lifts that differ by test. The
// bound allows for chance: 3 standard errors of 400 histories.
func TestLiftOfManyTestsCovers(t *testing.T) {
	const histories = 400
	bound := 0.95 - 3*math.Sqrt(0.95*0.05/histories)
	for _, tests := range []int{2, 5, 12} {
		for _, runs := range []int{2, 3, 8} {
			for _, rho := range []float64{0.5, 0.8} {
				for _, share := range []float64{0.05, 0.5, 0.8} {
					for _, up := range []float64{0, 0.3, -0.3} {
						rng := rand.New(rand.NewPCG(uint64(100*tests+runs), uint64(1000*rho)))
						in := 0
						for range histories {
							if l, truth := simulated(rng, tests, runs, rho, share, up); l.Low <= truth && truth <= l.High {
								in++
							}
						}
						require.GreaterOrEqual(t, float64(in)/histories, bound, "%d tests of %d runs, %v with memory, %v right, %v",
							tests, runs, rho, share, up)
					}
				}
			}
		}
	}
}

// simulated returns the lift of a simulated history and its true value: the mean of the lifts of the tests in both
// arms, weighted as [mantelHaenszel] weights them.
func simulated(rng *rand.Rand, tests, runs int, rho, share, up float64) (l Lift, truth float64) {
	strata := make([]stratum, tests)
	weight := 0.0
	for i := range strata {
		s := &strata[i]
		without := min(1, max(0, share+float64(i%3-1)*0.1))
		with := min(1, max(0, without+up*float64(i%2+1)/1.5))
		for range runs {
			switch memory := rng.Float64() < rho; {
			case memory && rng.Float64() < with:
				s.n, s.k = s.n+1, s.k+1
			case memory:
				s.n++
			case rng.Float64() < without:
				s.m, s.l = s.m+1, s.l+1
			default:
				s.m++
			}
		}
		w := s.n * s.m / (s.n + s.m)
		weight += w
		truth += w * (with - without)
	}
	if weight == 0 {
		return mantelHaenszel(strata), 0
	}
	return mantelHaenszel(strata), truth / weight
}

// TestLiftOfManyRunsIsNarrow: half a run is little among many. The width is that of 1.96 standard errors on each side,
// and 1/W, where W is the weight of the tests.
func TestLiftOfManyRunsIsNarrow(t *testing.T) {
	for _, c := range []struct {
		tests int
		n, m  float64 // runs of each test by arm
		most  float64 // width, as a multiple of the plain one
	}{
		{1, 1000, 1000, 1.04}, {1, 1600, 400, 1.05}, {100, 8, 2, 1.05}, {500, 8, 2, 1.03}, {4000, 1, 1, 1.04},
	} {
		rng := rand.New(rand.NewPCG(1, 1))
		strata := make([]stratum, c.tests)
		for i := range strata {
			s := stratum{n: c.n, m: c.m}
			for range int(c.n) {
				s.k += float64(rng.IntN(2))
			}
			for range int(c.m) {
				s.l += float64(rng.IntN(2))
			}
			strata[i] = s
		}
		l := mantelHaenszel(strata)
		weight := float64(c.tests) * c.n * c.m / (c.n + c.m)
		plain := stat.Z / math.Sqrt(weight) // both sides, for shares of one half
		require.InDelta(t, 1+1/weight/plain, (l.High-l.Low)/plain, 0.03, "%v", c)
		require.Less(t, (l.High-l.Low)/plain, c.most, "%v", c)
	}
}
