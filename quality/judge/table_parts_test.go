package judge

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSignFlips(t *testing.T) {
	require.InDelta(t, 1./8, signFlipP([]float64{1, 2, 3}), 1e-12, "one way of eight has all signs up")
	require.InDelta(t, 2./8, signFlipP([]float64{-1, 2, 3}), 1e-12)
	require.InDelta(t, 1., signFlipP([]float64{-1, -2}), 1e-12)
	require.InDelta(t, 1., signFlipP([]float64{0, 0}), 1e-12)
}

func TestEmptyFrame(t *testing.T) {
	require.Equal(t, "<a>\nhead\n- nothing\n</a>", emptyFrame("<a>\nhead\n- one\nmore\n- two\n</a>", "- nothing"))
	require.Equal(t, "- nothing", emptyFrame("no memory", "- nothing"))
}

func TestTellingIsSelective(t *testing.T) {
	obeys := armResult{of: mistake{screen: screen{Defect: true}}, score: [2]float64{2, 3}, frame: [2]float64{1, 2}}
	require.Zero(t, obeys.selective(), "both builds moved alike")
	looks := armResult{of: mistake{screen: screen{Defect: true}}, score: [2]float64{2, -1}}
	require.InDelta(t, 3, looks.selective(), 1e-12)
	alarm := armResult{score: [2]float64{-1, 2}}
	require.InDelta(t, 3, alarm.selective(), 1e-12, "after a false alarm the changed build is the broken one")
}
