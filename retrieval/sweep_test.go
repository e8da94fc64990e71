package retrieval

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/taxonomy"
)

// No score and no fit depends on how many goroutines share a sweep.
func TestSweepBy(t *testing.T) {
	ix, c := New(taxonomy.Default(), spell(t)), newCorpus(3)
	ix.atOnce = 0 // no merge, so that there are many chunks
	for i := range 9 {
		require.NoError(t, ix.Update(t.Context(), uint64(i), c.nodes(40))) //nolint:gosec // small
	}
	found := 0
	for range 10 {
		q := Query{Prompt: c.prompt()}
		s, _, err := ix.begin(t.Context(), ix.state.Load(), &q)
		require.NoError(t, err)
		_, lean := ix.checks().Task(q.Prompt)
		sweep := func(n int) (score, high []float32, best []fittingSlot) {
			fits := s.newFit(q.Prompt)
			fits.raise(fitted.fits / 2)
			require.NoError(t, s.sweepBy(n, lean, fits))
			return slices.Clone(s.score), slices.Clone(s.high), fits.cut()
		}
		score, high, best := sweep(1)
		found += len(best)
		for n := 2; n < 12; n += 3 {
			gotScore, gotHigh, got := sweep(n)
			require.Equal(t, score, gotScore, "%d goroutines", n)
			require.Equal(t, high, gotHigh, "%d goroutines", n)
			require.Equal(t, best, got, "%d goroutines", n)
		}
		ix.release(s)
	}
	require.Positive(t, found)
}
