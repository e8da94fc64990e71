//go:build amd64 && !purego

package use

import "golang.org/x/sys/cpu"

var fast = cpu.X86.HasAVX2

// multiplyFast does what multiplyPlain does, four rows and 16 outputs at once.
func multiplyFast(l *layer, sums []int32, a []byte, stride, t int) bool {
	if !fast || t == 0 {
		return false
	}
	groups := padded(t) / 4
	_, _, _ = a[(4*groups-1)*stride+l.k-1], sums[4*groups*l.n-1], l.weights[l.k*l.n-1]
	multiplyAVX2(&sums[0], &a[0], &l.weights[0], stride, groups, l.k/4, l.n/16)
	return true
}

// multiplyAVX2 multiplies 4 · groups rows, stride bytes apart, of 4 · fours bytes with 16 · panels outputs. All counts
// are above 0. Bytes times weights, added in pairs, must not exceed 32767.
//
//go:noescape
func multiplyAVX2(sums *int32, a, weights *byte, stride, groups, fours, panels int)
