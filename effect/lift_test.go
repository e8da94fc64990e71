package effect

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMantelHaenszelByHand(t *testing.T) {
	// Test one: 8 of 10 with, 1 of 2 without. Test two: 1 of 4 with, 0 of 4 without.
	l := mantelHaenszel([]stratum{{10, 8, 2, 1}, {4, 1, 4, 0}, {5, 5, 0, 0}})
	w := 10.0*2/12 + 4.0*4/8
	require.InDelta(t, (0.3*20/12+0.25*2)/w, l.Lift, 1e-6)
	require.InDelta(t, (0.8*20/12+0.25*2)/w, l.With, 1e-6)
	require.Equal(t, 14, l.N, "a test of one arm says nothing")
	require.Equal(t, 6, l.M)
	require.Less(t, l.Low, 0.0)

	// One test of 50 and 50: the half width is close to 1.96 standard errors of two shares and half a run, 1/(2·25).
	l = mantelHaenszel([]stratum{{50, 30, 50, 20}})
	require.InDelta(t, 0.2, l.Lift, 1e-12)
	require.InDelta(t, 1.96*0.098+0.02, (l.High-l.Low)/2, 0.01)

	l = mantelHaenszel([]stratum{{20, 20, 20, 20}})
	require.Zero(t, l.Lift)
	require.InDelta(t, 0.239, l.High, 0.001, "all alike is not all known")
	require.InDelta(t, -0.239, l.Low, 0.001)
	require.Equal(t, Lift{Low: -1, High: 1}, mantelHaenszel(nil), "nothing is known")
}

// TestLiftCovers: in 95 of 100 simulated histories the interval contains the true value, with few runs of many tests
// and a hold-out that changes with the product.
func TestLiftCovers(t *testing.T) {
	const histories = 400
	in := 0
	for seed := range uint64(histories) {
		rng := rand.New(rand.NewPCG(seed, 2))
		var runs []TrialRun
		for i := range 600 {
			c, base := Chances{Memory: 0.8}, 0.6
			if i >= 200 {
				c, base = Chances{Memory: 0.95}, 0.4
			}
			test := rng.IntN(30)
			base += float64(test%5-2) * 0.08
			r := TrialRun{ID: fmt.Sprint(i), Test: fmt.Sprint(test), Chances: c, Arm: DrawArm(fmt.Sprint(seed, i), "s", c)}
			if r.Arm == Memory {
				base += 0.1
			}
			r.Correct = rng.Float64() < base
			runs = append(runs, r)
		}
		l := lift(sorted(runs), Memory, None, func(r *TrialRun) bool { return r.Correct })
		if l.Low <= 0.1 && 0.1 <= l.High {
			in++
		}
	}
	require.InDelta(t, 0.96, float64(in)/histories, 0.03)
}

func TestNeeded(t *testing.T) {
	require.Zero(t, needed(Lift{N: 80, M: 20, Lift: 0.2}, 0.5, 25), "it is proven")
	require.Zero(t, needed(Lift{N: 80, M: 20, Lift: 0.0001}, 0.5, 1), "nobody could wait for it")
	require.Zero(t, needed(Lift{}, 0.5, 1))
	few := needed(Lift{N: 80, M: 20, Lift: 0.2}, 0.5, 4)
	require.InDelta(t, 270, few, 60)
	require.Greater(t, needed(Lift{N: 80, M: 20, Lift: 0.1}, 0.5, 4), 3*few)
}
