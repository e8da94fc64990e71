package estimate

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/internal/golden"
	"github.com/memtree/memtree/internal/stat"
)

// simulated is a history with labels for some of its verdicts. Its judge is wrong with another probability in each
// verdict; the predictions of it are noisy and miscalibrated.
type simulated struct {
	strata []Stratum
	truth  float64 // the share of wrong verdicts
	risky  bool    // half of the labels are of the riskiest verdicts, the rest at random
}

func simulate(rng *rand.Rand) simulated {
	n := 150 + rng.IntN(1350)
	base := 0.03 + 0.37*rng.Float64()
	mean, spread := math.Log(base/(1-base)), 2.5*rng.Float64()
	shift, slope, noise := 0.5*rng.NormFloat64(), 0.6+0.8*rng.Float64(), rng.Float64()
	wrong, p := make([]bool, n), make([]float64, n)
	rank := make([]int, n)
	for i := range n {
		odds := mean + spread*rng.NormFloat64()
		wrong[i] = rng.Float64() < 1/(1+math.Exp(-odds))
		p[i] = 1 / (1 + math.Exp(-shift-slope*odds-noise*rng.NormFloat64()))
		rank[i] = i
	}
	labels := min(15+rng.IntN(136), n)
	out := simulated{strata: make([]Stratum, Bins), risky: rng.IntN(2) == 0}
	known := make([]bool, n)
	rng.Shuffle(n, func(i, j int) { rank[i], rank[j] = rank[j], rank[i] })
	if out.risky {
		slices.SortStableFunc(rank[labels/2:], func(a, b int) int { return -cmpFloat(p[a], p[b]) })
	}
	for _, i := range rank[:labels] {
		known[i] = true
	}
	for i := range n {
		out.strata[Bin(p[i])].Add(p[i], known[i], wrong[i])
		if wrong[i] {
			out.truth += 1 / float64(n)
		}
	}
	return out
}

func cmpFloat(a, b float64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// covered counts how often an interval holds the truth, and how wide it is.
type covered struct{ n, in, risky, inRisky, width, off float64 }

func (c *covered) add(s *simulated, e Estimate) {
	is := 0.0
	if e.Low <= s.truth && s.truth <= e.High {
		is = 1
	}
	c.n, c.in, c.width, c.off = c.n+1, c.in+is, c.width+e.High-e.Low, c.off+math.Abs(e.P-s.truth)
	if s.risky {
		c.risky, c.inRisky = c.risky+1, c.inRisky+is
	}
}

func (c *covered) line(name string) string {
	return fmt.Sprintf("%-22s %.3f  %.3f  %.3f  %.3f  %.3f\n", name, c.in/c.n, (c.in-c.inRisky)/(c.n-c.risky),
		c.inRisky/c.risky, c.width/c.n, c.off/c.n)
}

const histories = 10_000

// TestCoverage: the intervals hold the truth in 95 ± 2 % of 10,000 histories, however the labels were chosen.
func TestCoverage(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var today, powered covered
	for range histories {
		s := simulate(rng)
		today.add(&s, Labelled(s.strata))
		powered.add(&s, Powered(s.strata))
	}
	var b strings.Builder
	b.WriteString("10,000 histories of 150 to 1,500 verdicts with 15 to 150 labels. risky: half of the labels are of " +
		"the riskiest verdicts.\n\n                       covers random risky  width  off\n")
	b.WriteString(today.line("labelled alone") + powered.line("prediction-powered"))
	c := &powered
	require.InDelta(t, 0.95, c.in/c.n, 0.02)
	require.InDelta(t, 0.95, c.inRisky/c.risky, 0.02)
	require.InDelta(t, 0.95, (c.in-c.inRisky)/(c.n-c.risky), 0.02)
	b.WriteString(truthCoverage(t, rng))
	t.Log("\n" + b.String())
	golden.Equal(t, "testdata/coverage.golden", b.String())
}

// truthCoverage is that of Truth: a judge whose errors are known from 30 to 300 labelled verdicts judges tests of which
// another share fails.
func truthCoverage(t *testing.T, rng *rand.Rand) string {
	var truth, plain covered
	binomial := func(n int, p float64) (k int) {
		for range n {
			if rng.Float64() < p {
				k++
			}
		}
		return k
	}
	for range histories {
		se, sp := 0.6+0.39*rng.Float64(), 0.6+0.39*rng.Float64()
		labels, was, is := 30+rng.IntN(271), 0.1+0.5*rng.Float64(), 0.02+0.6*rng.Float64()
		known := VerdictCounts{Fails: binomial(labels, was)}
		known.Passes = labels - known.Fails
		known.FailsSeen, known.PassesSeen = binomial(known.Fails, se), binomial(known.Passes, sp)
		n := 50 + rng.IntN(950)
		fails := binomial(n, is)
		failed := binomial(fails, se) + n - fails - binomial(n-fails, sp)
		s := simulated{truth: is}
		if e, ok := Truth(failed, n, known); ok {
			truth.add(&s, e)
			in := stat.Wilson(failed, n)
			e = Estimate{float64(failed) / float64(n), in}
			plain.add(&s, e)
		}
	}
	require.InDelta(t, 0.95, truth.in/truth.n, 0.02)
	return fmt.Sprintf("\nShare of tests that fail in truth, of tests unlike the labelled ones.\n\n"+
		"                       covers width  off\n%-22s %.3f  %.3f  %.3f\n%-22s %.3f  %.3f  %.3f\n",
		"as judged", plain.in/plain.n, plain.width/plain.n, plain.off/plain.n,
		"Rogan and Gladen", truth.in/truth.n, truth.width/truth.n, truth.off/truth.n)
}
