package effect

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/ledger"
)

// Compare Correct with numbers counted by hand: two put right, one broken, one as wrong as before, and none of those
// without evidence, below the bound, or without an opposite.
func TestCorrect(t *testing.T) {
	yes, no := true, false
	ps := []Prediction{
		{P: 0.9, Enough: true, Wrong: true, Other: &yes, Case: "1"},
		{P: 0.8, Enough: true, Wrong: true, Other: &yes, Case: "2"},
		{P: 0.85, Enough: true, Wrong: false, Other: &no, Case: "3"},
		{P: 0.95, Enough: true, Wrong: true, Other: &no, Case: "4"}, // of three ways
		{P: 0.99, Enough: false, Wrong: true, Other: &yes, Case: "5"},
		{P: 0.79, Enough: true, Wrong: true, Other: &yes, Case: "6"},
		{P: 0.99, Enough: true, Wrong: true, Case: "7"},
		{P: 0.1, Enough: true, Wrong: false, Other: &no, Case: "8"},
	}
	c := Reverse(ps, ledger.CorrectAbove, 1)
	require.Equal(t, 4, c.Flipped)
	require.Equal(t, 2, c.Right)
	require.Equal(t, 1, c.Broken)
	require.InDelta(t, 2.0/8, c.AccuracyBefore, 1e-9)
	require.InDelta(t, 3.0/8, c.AccuracyAfter, 1e-9)
	require.LessOrEqual(t, c.Low, 1.0/8)
	require.GreaterOrEqual(t, c.High, 1.0/8)
	require.Equal(t, c, Reverse(ps, ledger.CorrectAbove, 1))
	require.Zero(t, Reverse(ps, 1.01, 1).Flipped)
	require.Equal(t, Reversal{Bound: 0.8}, Reverse(nil, 0.8, 1))
}

// Where predictions are right, correction pays, and its interval is above zero.
func TestCorrectPays(t *testing.T) {
	var ps []Prediction
	for i := range 200 {
		wrong := i%10 != 0
		ps = append(ps, Prediction{P: 0.9, Enough: true, Wrong: wrong, Other: &wrong, Case: fmt.Sprint(i)})
	}
	c := Reverse(ps, 0.8, 1)
	require.InDelta(t, 0.8, c.AccuracyAfter-c.AccuracyBefore, 1e-9)
	require.Greater(t, c.Low, 0.6)
}
