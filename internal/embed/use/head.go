package use

import "math"

// head computes the vector from the mean of the features. Their sum, divided by the root of their number, is root
// times as much.
func (n *network) head(w *work, mean []float32, root float32, out []float32) {
	m := w.vector(2, dims)
	n.pool.apply(w, m, mean)
	for i := range m {
		m[i] *= root
	}
	y0, y1, also := w.vector(3, hidden), w.vector(4, hidden), w.vector(5, hidden)
	n.d0.apply(w, y0, m)
	positive(y0)
	n.p1.apply(w, y1, m)
	n.d1.apply(w, also, y0)
	add(y1, also)
	positive(y1)
	y2, more := w.vector(6, dims), w.vector(7, dims)
	n.d2.apply(w, y2, y1)
	positive(y2)
	n.p3.apply(w, out, y1)
	n.rest.apply(w, more, y1)
	add(out, more)
	n.d3.apply(w, more, y2)
	add(out, more)
	var square float64
	for i, x := range out {
		v := tanh(float64(x))
		out[i] = float32(v)
		square += float64(v * v)
	}
	length := math.Sqrt(square)
	if !(length > floor) || math.IsInf(length, 0) { // only of damaged data; NaN too
		clear(out)
		return
	}
	for i, x := range out {
		out[i] = float32(float64(x) / length)
	}
}

// apply computes a layer's outputs for one row of numbers. It rounds them to 13 bits, which are two rows of bytes
// below 128: the upper bits and the lower seven.
func (l *layer) apply(w *work, out, in []float32) {
	const most = 1<<13 - 1
	low, high := bounds(in, 0, 0)
	step := float32(high-low) / most
	if step == 0 {
		step = 1
	}
	inverse := 1 / step
	zero := float32(int32(float32(-low*inverse) + .5))
	w.bytes = sized(w.bytes, padded(2)*l.k)
	upper, lower := w.bytes[:l.k], w.bytes[l.k:2*l.k]
	for i, v := range in {
		q := min(max(int32(float32(v*inverse)+zero+.5), 0), most)
		upper[i], lower[i] = byte(q>>7), byte(q&127)
	}
	w.sums = sized(w.sums, padded(2)*l.n)
	l.multiply(w.sums, w.bytes, l.k, 2)
	sums := w.sums[:l.n]
	for i := range sums {
		sums[i] = sums[i]<<7 + w.sums[l.n+i]
	}
	l.finish(out, sums, float32(-zero*step), step)
}

func positive(x []float32) {
	for i, v := range x {
		x[i] = above0(v)
	}
}

func add(x, y []float32) {
	for i, v := range y {
		x[i] += v
	}
}

// tanh returns the hyperbolic tangent to some 1e-14, with the same bits on every processor; math.Tanh has other ones
// where math.Exp is in assembly.
func tanh(x float64) float64 {
	a := math.Abs(x)
	if !(a < 20) { // NaN too
		return math.Copysign(1, x)
	}
	// e^2a = 2^k · e^r with r in ±ln2/2, by Taylor's series.
	k := math.Floor(float64(a*(2/math.Ln2)) + .5)
	r := 2*a - float64(k*math.Ln2)
	e := series[len(series)-1]
	for i := len(series) - 2; i >= 0; i-- {
		e = float64(e*r) + series[i]
	}
	e *= math.Float64frombits(uint64(1023+int(k)) << 52) //nolint:gosec // k is from 0 to 58
	return math.Copysign(float64(e-1)/(e+1), x)
}

// series has 1/i!.
var series = func() (s [13]float64) {
	s[0] = 1
	for i := 1; i < len(s); i++ {
		s[i] = s[i-1] / float64(i)
	}
	return s
}()
