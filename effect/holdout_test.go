package effect

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestDrawIsTheSameForEverybody(t *testing.T) {
	require.Equal(t, unit("t_1", "salt"), unit("t_1", "salt"))
	require.NotEqual(t, unit("t_1", "salt"), unit("t_1", "other salt"))
	require.NotEqual(t, unit("ab", "c"), unit("b", "ca"), "run and salt do not run together")
	require.InDelta(t, 0.81689879, unit("t_1", "salt"), 1e-8, "the draw of old runs must come out the same for ever")
	for i := range 100 {
		id := fmt.Sprint(i)
		require.False(t, draw(id, "s", 0))
		require.True(t, draw(id, "s", 1))
	}
}

// TestDrawFrequencies: over many runs every arm is drawn with its probability, for any salt.
func TestDrawFrequencies(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		memory := rapid.Float64Range(0, 1).Draw(t, "memory")
		c := Chances{Memory: memory, Other: rapid.Float64Range(0, 1).Draw(t, "other") * (1 - memory)}
		salt := rapid.String().Draw(t, "salt")
		const n = 4000
		count := map[Treatment]int{}
		for i := range n {
			count[DrawArm(fmt.Sprint("run ", i), salt, c)]++
		}
		for arm, p := range map[Treatment]float64{Memory: c.Memory, Other: c.Other, None: c.None()} {
			require.InDelta(t, p, float64(count[arm])/n, 5*math.Sqrt(p*(1-p)/n)+5.0/n, "arm %s", arm)
		}
	})
}

func TestSchedule(t *testing.T) {
	h := Schedule()
	require.NoError(t, h.Check())
	require.InDelta(t, 0.20, h.Chances(0, 1).None(), 1e-12)
	require.InDelta(t, 0.20, h.Chances(199, 1).None(), 1e-12)
	require.InDelta(t, 0.05, h.Chances(200, 1.09).None(), 1e-12)
	require.InDelta(t, 0.50, h.Chances(200, 1.1).None(), 1e-12, "harm is suspected")
	require.Empty(t, h.Warning().EN)

	h.Other = 0.25
	c := h.Chances(0, 1)
	require.InDelta(t, 0.60, c.Memory, 1e-12)
	require.InDelta(t, 0.20, c.Other, 1e-12)
	require.InDelta(t, 0.20, c.None(), 1e-12)
	rho, drawn := c.share()
	require.True(t, drawn)
	require.InDelta(t, 0.75, rho, 1e-12, "of memory, where it is that or none")
}

func TestScheduleSaysWhatItCannotDo(t *testing.T) {
	const blind = "Nothing is held out, so nobody can tell whether memory helps or harms: the breaker is blind. " +
		"Hold out a share of the runs, such as 0.05."
	for _, c := range []struct {
		h     Holdout
		en    string
		blind bool
	}{
		{Fixed(0), blind, true},
		{Holdout{Doubt: 0.5}, blind, true},
		{Fixed(1), "Every run is held out, so no run is given a memory. Hold out less than all, such as 0.2.", false},
		{
			Holdout{First: 0.2, Many: 50},
			"After the first 50 runs nothing is held out; harm that begins later stays unseen.",
			false,
		},
		{Fixed(0.1), "", false},
	} {
		require.Equal(t, c.en, c.h.Warning().EN)
		require.Equal(t, c.en == "", c.h.Warning().ZH == "")
		require.Equal(t, c.blind, c.h.Blind())
	}
	require.EqualError(t, Fixed(1.5).Check(), "hold-out: first is 1.5; give a share from 0 to 1, such as 0.2")
	require.EqualError(t, Holdout{Many: -1}.Check(), "hold-out: the number of first runs is -1; give 0 or more")
	require.Error(t, Fixed(math.NaN()).Check())
}
