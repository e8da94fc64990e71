package effect

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// harmed simulates runs of a test that fails more often by a given difference with memory, until the evidence is proof,
// and returns the number of runs, or 0.
func harmed(rng *rand.Rand, by float64, runs int, e func(x betOutcome) float64) int {
	for i := range runs {
		x := betOutcome{memory: rng.Float64() < 0.5, rho: 0.5, expected: 0.3 + by/2}
		share := 0.3
		if x.memory {
			share += by
		}
		if x.failed = rng.Float64() < share; e(x) >= proof {
			return i + 1
		}
	}
	return 0
}

// TestBoldFindsMore: a purse that is partly bold detects harm of the size bet on more often, by the end of the bet,
// than the steady bet alone; without harm, neither exceeds its error rate.
func TestBoldFindsMore(t *testing.T) {
	const streams = 1000
	found := func(by float64) (bold, steady int) {
		for seed := range uint64(streams) {
			var p purse
			var b bet
			at := func(n int) int { return min(n, 1) }
			bold += at(harmed(rand.New(rand.NewPCG(seed, 2)), by, 400, func(x betOutcome) float64 {
				p.settle(x, 1, proof)
				return p.E()
			}))
			steady += at(harmed(rand.New(rand.NewPCG(seed, 2)), by, 400, func(x betOutcome) float64 {
				b.settle(x, 1)
				return b.E()
			}))
		}
		return bold, steady
	}
	bold, steady := found(0.2)
	t.Logf("of %d streams that harm by .20 found: %d, by the steady bet %d", streams, bold, steady)
	require.Greater(t, bold, steady+streams/50)
	bold, _ = found(0)
	require.LessOrEqual(t, bold, streams/20)
}

// TestBoldStops: it bets no more once its goal is reached, once all information was observed, and once its stake is
// lost.
func TestBoldStops(t *testing.T) {
	x := betOutcome{memory: true, failed: true, rho: 0.8, expected: 0.3}
	for name, b := range map[string]boldBet{
		"there": {Log: math.Log(proof + 1)}, "learned": {Learned: harmEnd}, "lost": {Log: nothing},
	} {
		was := b
		b.settle(x, 0.2, proof, harmEnd)
		require.Equal(t, was, b, name)
	}
	b := boldBet{}
	b.settle(x, 0.2, proof, harmEnd)
	require.Positive(t, b.Log)
	won := b
	x.memory = false
	won.settle(x, 0.2, -1, harmEnd)
	require.Equal(t, b, won, "the others alone have what is to be proven")
}

// TestBoldComesToItsGoal: a bet that always wins reaches its goal and hardly exceeds it.
func TestBoldComesToItsGoal(t *testing.T) {
	var b boldBet
	for range 1000 {
		b.settle(betOutcome{memory: true, failed: true, rho: 0.5, expected: 0.5}, 0.2, proof, harmEnd)
	}
	require.InEpsilon(t, proof, math.Exp(b.Log), 0.03)
}
