package use

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestRecent: a remembered vector is the one that was computed, and a caller's change of it reaches nobody.
func TestRecent(t *testing.T) {
	r, computed := newRecent(), 0
	compute := func(s string) []float32 {
		computed++
		return []float32{float32(len(s))}
	}
	for range 3 {
		v := r.vector("one", compute)
		require.Equal(t, []float32{3}, v)
		v[0] = 7
	}
	require.Equal(t, 1, computed)
	for i := range 10_000 { // far more than there are places
		s := fmt.Sprint("text ", i)
		require.Equal(t, []float32{float32(len(s))}, r.vector(s, compute))
	}
}
