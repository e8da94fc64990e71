package use

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// numbers returns n numbers, some of them extreme, not finite, or −0.
func numbers(r *rand.Rand, n int) []float32 {
	out := make([]float32, n)
	for i := range out {
		if out[i] = float32(100 * r.NormFloat64()); r.IntN(40) == 0 {
			out[i] = []float32{float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1)), 1e38, -1e38, 0,
				float32(math.Copysign(0, -1))}[r.IntN(7)]
		}
	}
	return out
}

// sameBits compares numbers by their bits; any NaN equals any other.
func sameBits(tb testing.TB, want, got []float32, what string) {
	tb.Helper()
	require.Len(tb, got, len(want), what)
	for i, x := range want {
		if x == x || got[i] == got[i] {
			require.Equal(tb, math.Float32bits(x), math.Float32bits(got[i]), "%s, number %d: %g, %g", what, i, x, got[i])
		}
	}
}

// TestFloats proves that the loops over floats compute the same bits with every processor, whatever the length.
func TestFloats(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, n := range []int{0, 1, 8, 24, 31, 32, 256, 320, 500, features} {
		a, b := [3]float32(numbers(r, 3)), numbers(r, 2)
		x, y, z := numbers(r, n), numbers(r, n), numbers(r, n)
		want, got := numbers(r, n), make([]float32, n)
		copy(got, want)
		l := &layer{n: n, scale: x, sums: y, bias: z}
		sums, levels := make([]int32, n), make([]byte, n)
		for i := range sums {
			sums[i], levels[i] = int32(r.Uint32()), byte(r.Uint32())
		}
		l.finishPlain(want, sums, a[0], a[1])
		l.finish(got, sums, a[0], a[1])
		sameBits(t, want, got, "finish")
		l.finishOntoPlain(want, x, sums, a[0], a[1])
		l.finishOnto(got, x, sums, a[0], a[1])
		sameBits(t, want, got, "finishOnto")
		least, most := boundsPlain(x, 0, 0)
		low, high := bounds(x, 0, 0)
		sameBits(t, []float32{least, most}, []float32{low, high}, "bounds")
		plain, bytes := make([]byte, n), make([]byte, n)
		toBytesPlain(plain, x, a[0]/100, a[1]+.5)
		toBytes(bytes, x, a[0]/100, a[1])
		require.Equal(t, plain, bytes)
		var s, q, fastS, fastQ [8]float32
		momentsPlain(x[:n&^7], &s, &q)
		if momentsFast(x[:n&^7], &fastS, &fastQ) {
			sameBits(t, append(s[:], q[:]...), append(fastS[:], fastQ[:]...), "moments")
		}
		mean, inverse := b[0], b[1]
		centerPlain(want, x, y, mean, inverse)
		if centerFast(got, x, y, mean, inverse) {
			sameBits(t, want, got, "center")
		}
		copy(got, want)
		addNormalPlain(want, x, mean, inverse)
		if addNormalFast(got, x, mean, inverse) {
			sameBits(t, want, got, "addNormal")
		}
		levelsPlain(want, levels, a[1], a[2])
		fromLevels(got, levels, a[1], a[2])
		sameBits(t, want, got, "levels")
	}
}
