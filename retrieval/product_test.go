package retrieval

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestProducts: what a processor has special instructions for gives the numbers of the plain
// way, whatever the length, also at the greatest numbers that a damaged file may have.
func TestProducts(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{0, 1, 15, 16, 17, 31, 256, 300, 768, mostTried} {
		a, row, extreme, lowest := make([]int16, n), make([]byte, n), make([]int16, n), make([]byte, n)
		for i := range a {
			a[i], row[i] = int16(r.IntN(2*8191+1)-8191), byte(r.Uint32())
			extreme[i], lowest[i] = 8191, 0x80
		}
		require.Equal(t, dotPlain(a, row), dot(a, row), "%d numbers", n)
		require.Equal(t, -128*8191*n, dot(extreme, lowest), "%d numbers", n)
	}
	for _, dims := range []int{64, 128, 256, 512} {
		words := dims / 64
		all := make([]uint64, 4*words)
		var planes [4][]uint64
		for j := range planes {
			planes[j] = all[j*words : (j+1)*words]
		}
		for round := range 50 {
			for i := range all {
				all[i] = r.Uint64() | -uint64(round&1) // every second round has all bits
			}
			n := r.IntN(40)
			column := make([]byte, n*(8*words+8))
			for i := range column {
				column[i] = byte(r.Uint32()) | byte(-(round & 1))
			}
			want, got := make([]int32, n), make([]int32, n)
			hitsPlain(&planes, column, want)
			hits(&planes, column, got)
			require.Equal(t, want, got, "%d bits, round %d", dims, round)
		}
	}
	if !fast {
		t.Log("this processor has no special instructions that memtree uses: only the plain way was tried")
	}
}

// mostTried is more numbers than are multiplied at once.
const mostTried = 20_000 + 7
