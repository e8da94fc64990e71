package estimate

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/internal/golden"
)

// TestAsk: forty labels that Ask chooses narrow the interval more than forty of the riskiest verdicts, and cover as
// well.
func TestAsk(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	ways := []string{"at random", "the riskiest", "as asked for"}
	got := make([]covered, len(ways))
	for range 3000 {
		s, known := drawn(rng, 20)
		for i := range ways {
			strata := append([]Stratum(nil), s.strata...)
			for bin, n := range chosen(rng, i, strata, 40) {
				for range n {
					strata[bin].Known++
					if rng.Float64() < known[bin] {
						strata[bin].Wrong++
					}
				}
			}
			got[i].add(&s, Powered(strata))
		}
	}
	var b strings.Builder
	b.WriteString("20 labels at random, then 40 more. 3,000 histories of 600 verdicts or more.\n\n" +
		"               covers width  off\n")
	for i, c := range got {
		fmt.Fprintf(&b, "%-14s %.3f  %.3f  %.3f\n", ways[i], c.in/c.n, c.width/c.n, c.off/c.n)
		require.InDelta(t, 0.95, c.in/c.n, 0.03)
	}
	require.Less(t, got[2].width, got[1].width)
	require.LessOrEqual(t, got[2].width, got[0].width)
	t.Log("\n" + b.String())
	golden.Equal(t, "testdata/ask.golden", b.String())
}

// drawn returns a history of 600 verdicts with so many labels at random, and the rate of wrong verdicts in each bin.
func drawn(rng *rand.Rand, labels int) (simulated, []float64) {
	var s simulated
	for { // until one is long enough
		if s = simulate(rng); int(count(s.strata)) >= 600 {
			break
		}
	}
	rates, shift := make([]float64, Bins), 0.5*rng.NormFloat64()
	truth, all := 0.0, count(s.strata)
	for i := range s.strata {
		x := &s.strata[i]
		rates[i] = sigmoid(shift + x.odds())
		truth += rates[i] * float64(x.N) / all
		x.Known, x.Wrong = 0, 0
	}
	for range labels {
		i := anyOf(rng, s.strata)
		s.strata[i].Known++
		if rng.Float64() < rates[i] {
			s.strata[i].Wrong++
		}
	}
	s.truth = truth
	return s, rates
}

// anyOf returns the stratum of an unlabelled verdict at random.
func anyOf(rng *rand.Rand, of []Stratum) int {
	for {
		at := rng.Float64() * count(of)
		for i := range of {
			if at -= float64(of[i].N); at < 0 && of[i].Known < of[i].N {
				return i
			}
		}
	}
}

func chosen(rng *rand.Rand, way int, of []Stratum, n int) []int {
	out := make([]int, len(of))
	switch way {
	case 0:
		for range n {
			out[anyOf(rng, of)]++
		}
	case 1:
		for i := len(of) - 1; i >= 0 && n > 0; i-- {
			out[i] = min(n, of[i].N-of[i].Known)
			n -= out[i]
		}
	default:
		return Ask(of, n)
	}
	return out
}

func TestAskLaws(t *testing.T) {
	require.Equal(t, []int{0, 0}, Ask([]Stratum{{N: 3, Known: 3, Wrong: 1, Forecast: 1}, {}}, 5), "none is left")
	got := Ask([]Stratum{{N: 3, Forecast: 0.3}, {N: 2, Forecast: 1}}, 9)
	require.Equal(t, []int{3, 2}, got, "no more than there are")
	require.Empty(t, Ask(nil, 3))
	require.Equal(t, Estimate{0, wide}, Powered(nil))
	e := Powered([]Stratum{{N: 100, Forecast: 20}})
	require.InDelta(t, 0.2, e.P, 0.03)
	require.Less(t, e.Low, 0.05, "predictions alone prove nothing")
	require.Greater(t, e.High, 0.5)
	_, ok := Truth(3, 10, VerdictCounts{Fails: 4, FailsSeen: 4, Passes: 90, PassesSeen: 90})
	require.False(t, ok, "too few labels")
	_, ok = Truth(3, 10, VerdictCounts{Fails: 50, FailsSeen: 25, Passes: 50, PassesSeen: 25})
	require.False(t, ok, "no better than chance")
}
