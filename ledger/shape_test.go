package ledger_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/ledger"
)

func TestShapesOfATally(t *testing.T) {
	shape := func(observed bool) ledger.Shape {
		return ledger.Shape{Observed: observed, Verdicts: 50, Mean: []float64{0, 3}, Deviation: []float64{1, 0.5},
			Passes: []float64{0.2, -1}, Fails: []float64{0, 0}}
	}
	check := func(shapes ...ledger.Shape) error {
		c := ledger.Tally{Origin: "o", Verdicts: 60, Rows: []ledger.TallyRow{{Of: ledger.OfAll, Right: 60}}, Shapes: shapes}
		return c.Check()
	}
	require.NoError(t, check())
	require.NoError(t, check(shape(true)))
	require.NoError(t, check(shape(false), shape(true)))
	require.ErrorContains(t, check(shape(true), shape(false)), "one for each")
	require.ErrorContains(t, check(shape(false), shape(false)), "one for each")
	for want, change := range map[string]func(s *ledger.Shape){
		"is 49; use 50":                func(s *ledger.Shape) { s.Verdicts = 49 },
		"passes has 1 numbers":         func(s *ledger.Shape) { s.Passes = s.Passes[:1] },
		"mean has 0 numbers":           func(s *ledger.Shape) { s.Mean = nil },
		"deviation has 0; use 0.001":   func(s *ledger.Shape) { s.Deviation[0] = 0 },
		"fails has 5; use -4 to 4":     func(s *ledger.Shape) { s.Fails[1] = 5 },
		"mean has NaN":                 func(s *ledger.Shape) { s.Mean[0] = math.NaN() },
		"passes has -Inf; use -4 to 4": func(s *ledger.Shape) { s.Passes[0] = math.Inf(-1) },
	} {
		s := shape(false)
		change(&s)
		require.ErrorContains(t, check(s), want)
	}
}
