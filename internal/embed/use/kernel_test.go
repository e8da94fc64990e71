//go:build amd64 && !purego

package use

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/cpu"
)

// kernels are those that this processor has, besides the plain one.
var kernels = []struct{ fast, fastest bool }{
	{false, false}, {cpu.X86.HasAVX2, false}, {cpu.X86.HasAVX2, cpu.X86.HasAVX512VNNI && cpu.X86.HasAVX512F},
}

// TestKernels proves that all kernels compute the same sums, for every count of rows and the highest products.
func TestKernels(t *testing.T) {
	defer func(a, b bool) { fast, fastest = a, b }(fast, fastest)
	r := rand.New(rand.NewPCG(1, 2))
	for _, s := range [][2]int{{dims, wide}, {5 * width, width}, {hidden, dims}, {4, 16}} {
		for rows := 1; rows < 22; rows++ {
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
			for _, k := range kernels {
				fast, fastest = k.fast, k.fastest
				got := make([]int32, padded(rows)*l.n)
				require.Equal(t, fair, multiplyFast(l, got, a, l.k, rows))
				require.True(t, !fair || slices.Equal(want[:rows*l.n], got[:rows*l.n]))
			}
		}
	}
}

func TestSameBitsWithEveryKernel(t *testing.T) {
	defer func(a, b, c bool) { fast, fair, fastest = a, b, c }(fast, fair, fastest)
	with := hashOf(t, encoder(t))
	for _, k := range kernels {
		fast, fastest = k.fast, k.fastest
		require.Equal(t, with, hashOf(t, encoder(t)))
	}
	fair = false
	require.Equal(t, with, hashOf(t, encoder(t)))
}

func BenchmarkVectorAVX2(b *testing.B) {
	defer func(was bool) { fastest = was }(fastest)
	fastest = false
	BenchmarkVector(b)
}

func BenchmarkVectorSSSE3(b *testing.B) {
	defer func(a, b bool) { fast, fastest = a, b }(fast, fastest)
	fast, fastest = false, false
	BenchmarkVector(b)
}

func BenchmarkVectorPlain(b *testing.B) {
	defer func(a, b, c bool) { fast, fair, fastest = a, b, c }(fast, fair, fastest)
	fast, fair, fastest = false, false, false
	BenchmarkVector(b)
}
