package use

import "encoding/binary"

// multiply computes the sums of products of t rows of bytes, which begin stride apart in a and are k long, with the
// weights. sums has room for padded(t) rows; those beyond t are undefined.
func (l *layer) multiply(sums []int32, a []byte, stride, t int) {
	if !multiplyFast(l, sums, a, stride, t) {
		multiplyPlain(l, sums, a, stride, t)
	}
}

// padded rounds a number of rows up to the number that a kernel computes at once.
func padded(t int) int { return (t + 3) &^ 3 }

// multiplyPlain computes three rows and two outputs at once: a product of a weight with three bytes that lie 21 bits
// apart has the three products, and 32 of them add up before they meet. A weight has 128 added to it, which is
// subtracted again.
func multiplyPlain(l *layer, sums []int32, a []byte, stride, t int) {
	packed := make([]uint64, l.k)
	for at := 0; at < t; at += 3 {
		clear(packed)
		rows := min(3, t-at)
		var total [3]int32
		for r := range rows {
			for i, x := range a[(at+r)*stride:][:l.k] {
				packed[i] |= uint64(x) << (21 * r)
				total[r] += int32(x)
			}
		}
		for n := 0; n < l.n; n += 2 {
			even, odd := multiplyThree(packed, l.weights[n/16*16*l.k+n%16*4:])
			for r := range rows {
				sum := sums[(at+r)*l.n+n:][:2]
				sum[0], sum[1] = even[r]-128*total[r], odd[r]-128*total[r]
			}
		}
	}
}

// multiplyThree multiplies three packed rows with the weights of two outputs, which are at the beginning of every 64
// bytes of w.
func multiplyThree(packed []uint64, w []byte) (even, odd [3]int32) {
	for len(packed) > 0 {
		some := packed[:min(len(packed), 32)]
		packed = packed[len(some):]
		var x, y uint64
		for ; len(some) >= 4; some = some[4:] {
			b := binary.LittleEndian.Uint64(w) ^ 0x8080808080808080
			w = w[min(64, len(w)):]
			x += some[0]*(b&255) + some[1]*(b>>8&255) + some[2]*(b>>16&255) + some[3]*(b>>24&255)
			y += some[0]*(b>>32&255) + some[1]*(b>>40&255) + some[2]*(b>>48&255) + some[3]*(b>>56)
		}
		const field = 1<<21 - 1
		for r := range 3 {
			even[r] += int32(x >> (21 * r) & field) //nolint:gosec // 21 bits
			odd[r] += int32(y >> (21 * r) & field)  //nolint:gosec // 21 bits
		}
	}
	return even, odd
}

func sized[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n, n+n/4)
	}
	return s[:n]
}

// vector returns memory for n numbers.
func (w *work) vector(i, n int) []float32 {
	w.small[i] = sized(w.small[i], n)
	return w.small[i]
}
