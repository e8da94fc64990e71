package estimate

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/internal/golden"
	"github.com/memtree/memtree/internal/stat"
)

// TestAsk: forty labels that Ask chooses narrow the interval more than forty of the riskiest verdicts, and cover as
// well.
func TestAsk(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	ways := []string{"at random", "the riskiest", "as asked for"}
	got := make([]covered, len(ways))
	for range 3000 {
		s, left := drawn(rng, 20)
		for i := range ways {
			strata, left := slices.Clone(s.strata), slices.Clone(left)
			for bin, n := range chosen(rng, i, strata, 40) {
				for range n {
					label(rng, &strata[bin], &left[bin])
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

// drawn returns a history of 600 verdicts or more with so many labels at random, and the number of unlabelled wrong
// verdicts in each bin.
func drawn(rng *rand.Rand, labels int) (simulated, []int) {
	var s simulated
	for len(s.strata) == 0 || verdicts(s.strata) < 600 {
		s = simulate(rng)
	}
	left, shift := make([]int, Bins), 0.5*rng.NormFloat64()
	s.truth = 0
	for i := range s.strata {
		x := &s.strata[i]
		x.Known, x.Wrong = 0, 0
		for range x.N {
			if rng.Float64() < sigmoid(shift+x.odds()) {
				left[i]++
				s.truth += 1 / float64(verdicts(s.strata))
			}
		}
	}
	for range labels {
		i := anyOf(rng, s.strata)
		label(rng, &s.strata[i], &left[i])
	}
	return s, left
}

// label labels one verdict of a stratum in which so many unlabelled ones are wrong.
func label(rng *rand.Rand, x *Stratum, left *int) {
	if rng.IntN(x.N-x.Known) < *left {
		x.Wrong++
		*left--
	}
	x.Known++
}

func verdicts(of []Stratum) (n int) {
	for i := range of {
		n += of[i].N
	}
	return n
}

// anyOf returns the stratum of an unlabelled verdict at random.
func anyOf(rng *rand.Rand, of []Stratum) int {
	for {
		at := rng.IntN(verdicts(of))
		for i := range of {
			if at -= of[i].N; at < 0 && of[i].Known < of[i].N {
				return i
			}
		}
	}
}

func chosen(rng *rand.Rand, way int, of []Stratum, n int) []int {
	out := make([]int, len(of))
	switch way {
	case 0:
		of = slices.Clone(of)
		for range n {
			i := anyOf(rng, of)
			of[i].Known++
			out[i]++
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
	e = Powered([]Stratum{{N: 100, Known: 100, Wrong: 72, Forecast: 60}, {N: 54, Known: 54, Wrong: 38, Forecast: 20}})
	require.Equal(t, Estimate{110. / 154, stat.Interval{Low: 110. / 154, High: 110. / 154}}, e, "all are known")
	e = Powered([]Stratum{{N: 100, Known: 100, Wrong: 72, Forecast: 60}, {N: 55, Known: 54, Wrong: 38, Forecast: 20}})
	require.GreaterOrEqual(t, e.Low, 110./155, "one is not known")
	require.LessOrEqual(t, e.High, 111./155)
	_, ok := Truth(3, 10, VerdictCounts{Fails: 4, FailsSeen: 4, Passes: 90, PassesSeen: 90})
	require.False(t, ok, "too few labels")
	_, ok = Truth(3, 10, VerdictCounts{Fails: 50, FailsSeen: 25, Passes: 50, PassesSeen: 25})
	require.False(t, ok, "no better than chance")
}
