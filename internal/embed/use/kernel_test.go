//go:build amd64 && !purego

package use

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/cpu"
)

// TestKernels proves that all kernels compute the same sums, for every count of rows and the highest products.
func TestKernels(t *testing.T) {
	defer func(was bool) { fast = was }(fast)
	r := rand.New(rand.NewPCG(1, 2))
	for _, s := range [][2]int{{dims, wide}, {5 * width, width}, {hidden, dims}, {4, 16}} {
		for rows := 1; rows < 10; rows++ {
			l := &layer{k: s[0], n: s[1], weights: make([]byte, s[0]*s[1])}
			top := 256
			for i := range l.weights {
				l.weights[i] = byte(r.IntN(127) - 63)
			}
			if rows%2 == 0 { // a row of levels and full weights
				top = 128
				for i := range l.weights {
					l.weights[i] = byte(r.IntN(255) - 127)
				}
			}
			a := make([]byte, padded(rows)*l.k)
			for i := range a {
				a[i] = byte(r.IntN(top))
			}
			want := make([]int32, padded(rows)*l.n)
			multiplyPlain(l, want, a, l.k, rows)
			for _, fast = range []bool{false, cpu.X86.HasAVX2} {
				got := make([]int32, padded(rows)*l.n)
				require.Equal(t, fair, multiplyFast(l, got, a, l.k, rows))
				require.True(t, !fair || slices.Equal(want[:rows*l.n], got[:rows*l.n]))
			}
		}
	}
}

func TestSameBitsWithoutAVX2(t *testing.T) {
	defer func(a, b bool) { fast, fair = a, b }(fast, fair)
	with := hashOf(t, encoder(t))
	fast = false
	require.Equal(t, with, hashOf(t, encoder(t)))
	fair = false
	require.Equal(t, with, hashOf(t, encoder(t)))
}

func BenchmarkVectorSSSE3(b *testing.B) {
	defer func(was bool) { fast = was }(fast)
	fast = false
	BenchmarkVector(b)
}

func BenchmarkVectorPlain(b *testing.B) {
	defer func(a, b bool) { fast, fair = a, b }(fast, fair)
	fast, fair = false, false
	BenchmarkVector(b)
}
