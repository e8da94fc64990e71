package stat

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// The values were computed with a pocket calculator from Wilson's formula.
func TestWilson(t *testing.T) {
	for _, c := range []struct {
		k, n      int
		low, high float64
	}{
		{0, 10, 0, 0.27753},
		{10, 10, 0.72247, 1},
		{5, 10, 0.23659, 0.76341},
		{8, 10, 0.49016, 0.94332},
		{97, 565, 0.14283, 0.20497},
		{0, 0, 0, 1},
	} {
		in := Wilson(c.k, c.n)
		require.InDelta(t, c.low, in.Low, 2e-5, "%d of %d", c.k, c.n)
		require.InDelta(t, c.high, in.High, 2e-5, "%d of %d", c.k, c.n)
	}
}

func TestAUCByHand(t *testing.T) {
	auc, in, ok := AUC([]float64{3, 2}, []float64{1, 2})
	require.True(t, ok)
	// Of four pairs three are won and one is a tie. The placement values are 1 and .75
	// on both sides, their variance is .03125, so se² = .03125/2 + .03125/2.
	require.InDelta(t, 0.875, auc, 1e-12)
	require.InDelta(t, 0.875-1.959964*math.Sqrt(0.03125), in.Low, 1e-6)
	require.InDelta(t, 1, in.High, 1e-12)

	auc, in, ok = AUC([]float64{2, 3}, []float64{0, 1})
	require.True(t, ok)
	require.InDelta(t, 1, auc, 1e-12)
	require.Equal(t, Interval{Low: 1, High: 1}, in)

	auc, _, ok = AUC([]float64{0, 0, 0}, []float64{0, 0})
	require.True(t, ok)
	require.InDelta(t, 0.5, auc, 1e-12, "a score that says nothing")

	_, _, ok = AUC(nil, []float64{1})
	require.False(t, ok)
	_, _, ok = AUC([]float64{1}, nil)
	require.False(t, ok)
}

func TestAUCLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		score := rapid.Float64Range(0, 3)
		coarse := rapid.Custom(func(t *rapid.T) float64 { return math.Round(score.Draw(t, "s")) })
		wrong := rapid.SliceOfN(coarse, 1, 20).Draw(t, "wrong")
		right := rapid.SliceOfN(coarse, 1, 20).Draw(t, "right")
		auc, in, ok := AUC(wrong, right)
		if !ok || in.Low > auc+1e-9 || in.High < auc-1e-9 || in.Low < 0 || in.High > 1 {
			t.Fatalf("auc %v in %v", auc, in)
		}
		won := 0.0
		for _, w := range wrong {
			for _, r := range right {
				switch {
				case w > r:
					won++
				case w == r:
					won += 0.5
				}
			}
		}
		if d := auc - won/float64(len(wrong)*len(right)); math.Abs(d) > 1e-9 {
			t.Fatalf("counting pairs differs by %v", d)
		}
		back, _, _ := AUC(right, wrong)
		if math.Abs(auc+back-1) > 1e-9 {
			t.Fatalf("%v and turned round %v", auc, back)
		}
	})
}

func TestMidranksOfNaN(t *testing.T) {
	require.Len(t, ranks([]float64{math.NaN(), 1, math.NaN()}), 3)
}

func TestNormal(t *testing.T) {
	require.InDelta(t, 0.5, Normal(0), 1e-15)
	require.InDelta(t, 0.975, Normal(Z), 1e-12)
	require.InDelta(t, 0.158655, Normal(-1), 1e-6)
}

func TestSpearman(t *testing.T) {
	rho, ok := Spearman([]float64{1, 2, 3}, []float64{10, 40, 90})
	require.True(t, ok)
	require.InDelta(t, 1, rho, 1e-12)
	rho, ok = Spearman([]float64{1, 2, 2, 3}, []float64{4, 2, 2, 1})
	require.True(t, ok)
	require.InDelta(t, -1, rho, 1e-12, "ties on both sides")
	rho, ok = Spearman([]float64{1, 2, 3}, []float64{2, 3, 1})
	require.True(t, ok)
	require.InDelta(t, -0.5, rho, 1e-12)
	_, ok = Spearman([]float64{1, 1}, []float64{1, 2})
	require.False(t, ok, "one side says nothing")
	_, ok = Spearman([]float64{1}, []float64{1})
	require.False(t, ok)
}
