package use

import (
	"encoding/binary"
	"math"
)

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

// finish turns the sums of one row into outputs. Its inputs were base + step · byte.
func (l *layer) finish(out []float32, sums []int32, base, step float32) {
	out = out[:l.n]
	scale, weights, bias, sums := l.scale[:l.n], l.sums[:l.n], l.bias[:l.n], sums[:l.n]
	for i := range out {
		x := float32(step*float32(sums[i])) + float32(base*weights[i])
		out[i] = float32(scale[i]*x) + bias[i]
	}
}

// finishOnto is finish, with 0 for negative outputs, and then added to from.
func (l *layer) finishOnto(out, from []float32, sums []int32, base, step float32) {
	out = out[:l.n]
	scale, weights, bias, sums, from := l.scale[:l.n], l.sums[:l.n], l.bias[:l.n], sums[:l.n], from[:l.n]
	for i := range out {
		x := float32(step*float32(sums[i])) + float32(base*weights[i])
		out[i] = above0(float32(scale[i]*x)+bias[i]) + from[i]
	}
}

// above0 returns x, or 0 if that is less or NaN.
func above0(x float32) float32 {
	if x > 0 {
		return x
	}
	return 0
}

// bounds returns the least and the highest number of x, low and high.
func bounds(x []float32, low, high float32) (least, most float32) {
	for _, v := range x {
		if v < low {
			low = v
		}
		if v > high {
			high = v
		}
	}
	return low, high
}

// toBytes rounds numbers to bytes: x · inverse + zero.
func toBytes(out []byte, x []float32, inverse, zero float32) {
	out = out[:len(x)]
	half := zero + .5
	for i, v := range x {
		out[i] = byte(min(max(int32(float32(v*inverse)+half), 0), 255))
	}
}

// moments returns the mean of x and the inverse of its standard deviation. It has eight sums of each kind, in a fixed
// order. x has a multiple of 8 numbers.
func moments(x []float32) (mean, inverse float32) {
	var s, q [8]float32
	for i := 0; i+8 <= len(x); i += 8 {
		y := x[i : i+8]
		for j, v := range y {
			s[j] += v
			q[j] += float32(v * v)
		}
	}
	var sum, square float64
	for j := range s {
		sum += float64(s[j])
		square += float64(q[j])
	}
	n := float64(len(x))
	m := sum / n
	variance := max(square/n-float64(m*m), 0)
	return float32(m), float32(1 / math.Sqrt(variance+floor))
}

// center gives x mean 0 and variance 1, and applies a gain and a shift.
func center(x, gain, shift []float32) {
	mean, inverse := moments(x)
	for i, v := range x {
		x[i] = float32(float32((v-mean)*inverse)*gain[i]) + shift[i]
	}
}

// addNormal adds x to sum, with mean 0 and variance 1.
func addNormal(sum, x []float32) {
	mean, inverse := moments(x)
	for i, v := range x {
		sum[i] += float32((v - mean) * inverse)
	}
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
