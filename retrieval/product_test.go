package retrieval

import (
	"encoding/binary"
	"math"
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
	if !fast {
		t.Log("this processor has no special instructions that memtree uses: only the plain way was tried")
	}
}

// TestRate is the same for the scores of slots by their sketches, also where these are damaged.
func TestRate(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, dims := range []int{64, 128, 256, 512} {
		words := dims / 64
		all := make([]uint64, 4*words)
		q := question{low: -0.3, step: 0.04, sum: 0.7}
		for j := range q.planes {
			q.planes[j] = all[j*words : (j+1)*words]
		}
		for n := range 100 {
			for i := range all {
				all[i] = r.Uint64() | -uint64(n&1) // every second round has all bits
			}
			var column []byte
			for range n {
				for range words {
					column = binary.LittleEndian.AppendUint64(column, r.Uint64()|-uint64(n&1))
				}
				factor := math.Float32bits(r.Float32())
				if r.IntN(4) == 0 {
					factor = r.Uint32() // any number, also NaN and infinities
				}
				column = binary.LittleEndian.AppendUint32(column, factor)
				column = binary.LittleEndian.AppendUint32(column, r.Uint32()|-uint32(n&1))
			}
			lex := make([]float32, n)
			for i := range lex {
				lex[i] = float32(r.IntN(3)) * r.Float32()
			}
			want, got, wantMost, most := make([]float32, n), make([]float32, n), make([]float32, n), make([]float32, n)
			best := q.ratePlain(column, 0.3, lex, want, wantMost)
			require.Equal(t, best, q.rate(column, 0.3, lex, got, most), "%d bits, %d slots", dims, n)
			require.Equal(t, want, got, "%d bits, %d slots", dims, n)
			require.Equal(t, wantMost, most, "%d bits, %d slots", dims, n)
		}
	}
}

// TestShares is the same for the shares of words, also where a list names a slot that is not there.
func TestShares(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	f := shareFactors{idf: 11.1, flat: 0.3, slope: 0.03}
	for n := range 100 {
		slots := 1 + r.IntN(200)
		for _, wrong := range []int{-1, n / 2, n - 1} {
			var postings []byte
			for i := range n {
				slot := r.IntN(slots)
				if i == wrong {
					slot = []int{slots, math.MaxInt32, 1 << 31, math.MaxUint32}[r.IntN(4)]
				}
				most := uint32(math.MaxUint16) >> (r.IntN(2) * 10)
				postings = appendPosting(postings, slot, uint16(1+r.Uint32N(most)), uint16(r.Uint32N(most+1)))
			}
			want, got := make([]float32, slots), make([]float32, slots)
			require.Equal(t, wrong < 0 || n == 0, addSharesPlain(postings, &f, want))
			require.Equal(t, wrong < 0 || n == 0, addShares(postings, &f, got))
			require.Equal(t, want, got, "%d postings, %d slots", n, slots)
		}
	}
}

// mostTried is more numbers than are multiplied at once.
const mostTried = 20_000 + 7
