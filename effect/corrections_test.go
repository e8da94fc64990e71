package effect

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/tree"
)

// correctedStream returns the entries of one verdict that was likely to be wrong: its correction, and its truth.
func correctedStream(i int, done ledger.Remedy, right bool) (correction, verdict ledger.Entry) {
	id := fmt.Sprint("v_", i)
	c := ledger.Correction{
		Evaluation: id, P: 0.9, Bound: 0.8, Asked: ledger.Other, Done: done, First: tree.Raw(`"pass"`),
		Other: tree.Raw(`"fail"`), Now: tree.Raw(`"fail"`), Changed: done == ledger.Other,
	}
	v := ledger.Verdict{Evaluation: id, Labelled: true, Correct: right, Mends: !right}
	return ledger.Entry{Correction: &c}, ledger.Entry{Verdict: &v}
}

func TestCorrectionsCount(t *testing.T) {
	c := NewCorrections(0.8)
	for i, right := range []bool{false, false, false, true} {
		cor, ver := correctedStream(i, ledger.Other, right)
		if i == 1 {
			cor, ver = ver, cor // the truth comes first
		}
		for range 2 { // and everything twice
			c.Note(&cor)
			c.Note(&ver)
		}
	}
	open, _ := correctedStream(9, ledger.Other, false)
	c.Note(&open)
	low, _ := correctedStream(10, ledger.Other, false)
	low.Correction.P = 0.7 // below the bound
	c.Note(&low)
	three, truth := correctedStream(11, ledger.Other, false)
	truth.Verdict.Mends = false // wrong before and after
	c.Note(&three)
	c.Note(&truth)
	got := c.Remedied()[2]
	require.Equal(t, []any{ledger.Other, 6, 6, 5, 3, 1, false},
		[]any{got.Remedy, got.N, got.Changed, got.Known, got.Mended, got.Broken, got.Stopped})
	require.Less(t, got.Low, 0.75)
	require.Greater(t, got.High, 0.75)
}

func TestCorrectionsRerun(t *testing.T) {
	c := NewCorrections(0.8)
	for i := range 12 {
		cor, ver := correctedStream(i, ledger.Rerun, true)
		cor.Correction.Asked, cor.Correction.Again = ledger.Rerun, ver.Verdict.Evaluation+"_2"
		again := *ver.Verdict
		again.Evaluation, again.Correct = cor.Correction.Again, false
		for _, e := range []ledger.Entry{{Verdict: &again}, cor, ver} {
			c.Note(&e)
		}
	}
	require.True(t, c.Stopped(ledger.Rerun), "each broke a right verdict")
	got := c.Remedied()[1]
	require.Equal(t, []int{12, 12, 0, 12}, []int{got.N, got.Known, got.Mended, got.Broken})
}

// Corrections that turn bad stop, even after a long good time, and start again when the flags prove that the opposite
// verdict is right again.
func TestCorrectionsStopAndBeginAgain(t *testing.T) {
	c, i := NewCorrections(0.8), 0
	until := func(right, stopped bool, most int) int {
		for n := 1; ; n++ {
			done := ledger.Other
			if c.Stopped(ledger.Other) {
				done = ledger.Flag
			}
			cor, ver := correctedStream(i, done, right)
			i++
			c.Note(&cor)
			c.Note(&ver)
			if c.Stopped(ledger.Other) == stopped {
				return n
			}
			require.Less(t, n, most)
		}
	}
	for range 500 {
		until(false, false, 2)
	}
	require.Less(t, until(true, true, 60), 40)
	require.Less(t, until(false, false, 30), 20)
}

// Corrections of which half mend and half break are stopped in few histories; those of which one in four mends are
// stopped in almost all, and soon.
func TestCorrectionsStopByChance(t *testing.T) {
	const streams, length = 400, 500
	stopped := func(mends float64) int {
		n := 0
		for s := range streams {
			r := rand.New(rand.NewPCG(uint64(s), 7)) //nolint:gosec // a fixed stream
			var x trust
			for range length {
				if x.settle(r.Float64() >= mends); x.stopped {
					n++
					break
				}
			}
		}
		return n
	}
	require.LessOrEqual(t, stopped(0.5), streams/20)
	require.LessOrEqual(t, stopped(0.8), 2)
	require.GreaterOrEqual(t, stopped(0.25), streams*99/100)
}

// A withdrawn truth is replaced by the present one; the bets were settled by it once.
func TestCorrectionsRelabelled(t *testing.T) {
	cor, ver := correctedStream(1, ledger.Other, true)
	again := *ver.Verdict
	again.Correct, again.Mends = false, true
	for _, stream := range [][]ledger.Entry{
		{cor, ver, {Verdict: &again}, {Verdict: &again}}, {ver, {Verdict: &again}, cor}, // truths may come first
	} {
		c := NewCorrections(0.8)
		for _, e := range stream {
			c.Note(&e)
		}
		got := c.Remedied()[2]
		require.Equal(t, []int{1, 1, 0}, []int{got.Known, got.Mended, got.Broken})
		require.Equal(t, 1, c.flip.bet.N)
	}
}

// The store of early truths is bounded.
func TestCorrectionsAreBounded(t *testing.T) {
	c := NewCorrections(0.8)
	for i := range 3 * mostEarly {
		_, v := correctedStream(i, ledger.Flag, true)
		c.Note(&v)
	}
	require.LessOrEqual(t, len(c.early.of), mostEarly)
}
