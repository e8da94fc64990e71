package use

import "math"

// The loops over floats between the products. Each has a form for AVX2 in floats_amd64.s with the same bits: every
// product is rounded before it is added, and sums have a fixed order.

// finish turns the sums of one row into outputs. Its inputs were base + step · byte.
func (l *layer) finish(out []float32, sums []int32, base, step float32) {
	if !l.finishFast(out, sums, base, step) {
		l.finishPlain(out, sums, base, step)
	}
}

func (l *layer) finishPlain(out []float32, sums []int32, base, step float32) {
	out = out[:l.n]
	scale, weights, bias, sums := l.scale[:l.n], l.sums[:l.n], l.bias[:l.n], sums[:l.n]
	for i := range out {
		x := float32(step*float32(sums[i])) + float32(base*weights[i])
		out[i] = float32(scale[i]*x) + bias[i]
	}
}

// finishOnto is finish, with 0 for negative outputs, and then added to from.
func (l *layer) finishOnto(out, from []float32, sums []int32, base, step float32) {
	if !l.finishOntoFast(out, from, sums, base, step) {
		l.finishOntoPlain(out, from, sums, base, step)
	}
}

func (l *layer) finishOntoPlain(out, from []float32, sums []int32, base, step float32) {
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
	low, high, n := boundsFast(x, low, high)
	return boundsPlain(x[n:], low, high)
}

func boundsPlain(x []float32, low, high float32) (least, most float32) {
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
	half := zero + .5
	if !toBytesFast(out, x, inverse, half) {
		toBytesPlain(out, x, inverse, half)
	}
}

func toBytesPlain(out []byte, x []float32, inverse, half float32) {
	out = out[:len(x)]
	for i, v := range x {
		out[i] = byte(min(max(int32(float32(v*inverse)+half), 0), 255))
	}
}

// moments returns the mean of x and the inverse of its standard deviation. It has eight sums of each kind, in a fixed
// order. x has a multiple of 8 numbers.
func moments(x []float32) (mean, inverse float32) {
	var s, q [8]float32
	if !momentsFast(x, &s, &q) {
		momentsPlain(x, &s, &q)
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

func momentsPlain(x []float32, s, q *[8]float32) {
	for i := 0; i+8 <= len(x); i += 8 {
		y := x[i : i+8]
		for j, v := range y {
			s[j] += v
			q[j] += float32(v * v)
		}
	}
}

// center gives x mean 0 and variance 1, and applies a gain and a shift.
func center(x, gain, shift []float32) {
	mean, inverse := moments(x)
	if !centerFast(x, gain, shift, mean, inverse) {
		centerPlain(x, gain, shift, mean, inverse)
	}
}

func centerPlain(x, gain, shift []float32, mean, inverse float32) {
	for i, v := range x {
		x[i] = float32(float32((v-mean)*inverse)*gain[i]) + shift[i]
	}
}

// addNormal adds x to sum, with mean 0 and variance 1.
func addNormal(sum, x []float32) {
	mean, inverse := moments(x)
	if !addNormalFast(sum, x, mean, inverse) {
		addNormalPlain(sum, x, mean, inverse)
	}
}

func addNormalPlain(sum, x []float32, mean, inverse float32) {
	for i, v := range x {
		sum[i] += float32((v - mean) * inverse)
	}
}

// fromLevels turns the levels of a row into numbers: base + step · level.
func fromLevels(out []float32, levels []byte, base, step float32) {
	if !levelsFast(out, levels, base, step) {
		levelsPlain(out, levels, base, step)
	}
}

func levelsPlain(out []float32, levels []byte, base, step float32) {
	for j, l := range levels {
		out[j] = base + float32(step*float32(l))
	}
}
