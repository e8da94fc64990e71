//go:build amd64 && !purego

package use

import "golang.org/x/sys/cpu"

var (
	fast = cpu.X86.HasAVX2
	fair = cpu.X86.HasSSSE3 // every processor since 2007

	// VNNI multiplies bytes of 16 outputs and adds four products in one instruction.
	fastest = cpu.X86.HasAVX512VNNI && cpu.X86.HasAVX512F
)

// multiplyFast does what multiplyPlain does, for 16 outputs at once, of four rows or of two.
func multiplyFast(l *layer, sums []int32, a []byte, stride, t int) bool {
	if !fair || t == 0 {
		return false
	}
	rows := padded(t)
	_, _, _ = a[(rows-1)*stride+l.k-1], sums[rows*l.n-1], l.weights[l.k*l.n-1]
	switch {
	case fastest && l.n%32 == 0:
		multiplyVNNI(&sums[0], &a[0], &l.weights[0], stride, rows/4, l.k/4, l.n/32)
	case fast:
		multiplyAVX2(&sums[0], &a[0], &l.weights[0], stride, rows/4, l.k/4, l.n/16)
	default:
		multiplySSSE3(&sums[0], &a[0], &l.weights[0], stride, rows/2, l.k/4, l.n/16)
	}
	return true
}

// multiplyAVX2 multiplies 4 · groups rows, stride bytes apart, of 4 · fours bytes with 16 · panels outputs. All counts
// are above 0. Bytes times weights, added in pairs, must not exceed 32767.
//
//go:noescape
func multiplyAVX2(sums *int32, a, weights *byte, stride, groups, fours, panels int)

// multiplyVNNI multiplies in the same way, with 32 · pairs outputs.
//
//go:noescape
func multiplyVNNI(sums *int32, a, weights *byte, stride, groups, fours, pairs int)

// multiplySSSE3 multiplies 2 · groups rows in the same way.
//
//go:noescape
func multiplySSSE3(sums *int32, a, weights *byte, stride, groups, fours, panels int)
