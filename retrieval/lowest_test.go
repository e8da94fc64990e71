package retrieval

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestLowestIsThePrefixOfTheSorted: what is cut off is never among the n lowest, nor equal to the last of them in its
// estimate.
func TestLowestIsThePrefixOfTheSorted(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 1))
		n := 1 + r.IntN(50)
		all := make([]uint64, r.IntN(1000))
		for i := range all {
			looks := float32(r.IntN(1+r.IntN(400))) / 400
			if r.IntN(4) == 0 {
				looks = r.Float32()
			}
			all[i] = uint64(^math.Float32bits(looks))<<32 | uint64(i)
		}
		want := slices.Sorted(slices.Values(all))
		to := min(n, len(want))
		for to > 0 && to < len(want) && want[to]>>32 == want[to-1]>>32 {
			to++
		}
		got := lowest(all, n)
		slices.Sort(got)
		require.GreaterOrEqual(t, len(got), to)
		require.Equal(t, want[:len(got)], got)
		slices.Sort(all)
		require.Equal(t, want, all, "none is lost")
	}
}

func BenchmarkLowest(b *testing.B) {
	all := make([]uint64, 9000)
	r := rand.New(rand.NewPCG(1, 1))
	for i := range all {
		all[i] = uint64(^math.Float32bits(r.Float32()*r.Float32()))<<32 | uint64(i)
	}
	own := make([]uint64, len(all))
	b.Run("sort all", func(b *testing.B) {
		for b.Loop() {
			copy(own, all)
			slices.Sort(own)
		}
	})
	b.Run("choose", func(b *testing.B) {
		for b.Loop() {
			copy(own, all)
			slices.Sort(lowest(own, mostComputed))
		}
	})
}
