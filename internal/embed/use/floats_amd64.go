//go:build amd64 && !purego

package use

// The loops over floats, eight at a time, with the same numbers as the plain ones in floats.go. Each returns false
// where these must do it: without AVX2, and for lengths that are no multiple of what it takes at once.

func (l *layer) finishFast(out []float32, sums []int32, base, step float32) bool {
	if !fast || l.n == 0 || l.n%8 > 0 {
		return false
	}
	_, _, _, _, _ = out[l.n-1], sums[l.n-1], l.scale[l.n-1], l.sums[l.n-1], l.bias[l.n-1]
	finishAVX2(&out[0], &sums[0], &l.scale[0], &l.sums[0], &l.bias[0], l.n, base, step)
	return true
}

func (l *layer) finishOntoFast(out, from []float32, sums []int32, base, step float32) bool {
	if !fast || l.n == 0 || l.n%8 > 0 {
		return false
	}
	_, _, _, _, _, _ = out[l.n-1], from[l.n-1], sums[l.n-1], l.scale[l.n-1], l.sums[l.n-1], l.bias[l.n-1]
	finishOntoAVX2(&out[0], &from[0], &sums[0], &l.scale[0], &l.sums[0], &l.bias[0], l.n, base, step)
	return true
}

// boundsFast has the bounds of the first n numbers.
func boundsFast(x []float32, low, high float32) (least, most float32, n int) {
	n = len(x) &^ 7
	if !fast || n == 0 {
		return low, high, 0
	}
	var lows, highs [8]float32
	for i := range lows {
		lows[i], highs[i] = low, high
	}
	boundsAVX2(&x[0], n, &lows, &highs)
	least, most = boundsPlain(lows[:], low, high)
	least, most = boundsPlain(highs[:], least, most)
	return least, most, n
}

func toBytesFast(out []byte, x []float32, inverse, half float32) bool {
	if !fast || len(x) == 0 || len(x)%32 > 0 {
		return false
	}
	_ = out[len(x)-1]
	toBytesAVX2(&out[0], &x[0], len(x), inverse, half)
	return true
}

func momentsFast(x []float32, sums, squares *[8]float32) bool {
	if !fast || len(x) == 0 || len(x)%8 > 0 {
		return false
	}
	momentsAVX2(&x[0], len(x), sums, squares)
	return true
}

func centerFast(x, gain, shift []float32, mean, inverse float32) bool {
	if !fast || len(x) == 0 || len(x)%8 > 0 {
		return false
	}
	_, _ = gain[len(x)-1], shift[len(x)-1]
	centerAVX2(&x[0], &gain[0], &shift[0], len(x), mean, inverse)
	return true
}

func addNormalFast(sum, x []float32, mean, inverse float32) bool {
	if !fast || len(x) == 0 || len(x)%8 > 0 {
		return false
	}
	_ = sum[len(x)-1]
	addNormalAVX2(&sum[0], &x[0], len(x), mean, inverse)
	return true
}

func levelsFast(out []float32, levels []byte, base, step float32) bool {
	if !fast || len(levels) == 0 || len(levels)%8 > 0 {
		return false
	}
	_ = out[len(levels)-1]
	levelsAVX2(&out[0], &levels[0], len(levels), base, step)
	return true
}

// In all of these n is above 0 and a multiple of 8, that of toBytesAVX2 a multiple of 32.

//go:noescape
func finishAVX2(out *float32, sums *int32, scale, weights, bias *float32, n int, base, step float32)

//go:noescape
func finishOntoAVX2(out, from *float32, sums *int32, scale, weights, bias *float32, n int, base, step float32)

//go:noescape
func boundsAVX2(x *float32, n int, least, most *[8]float32)

//go:noescape
func toBytesAVX2(out *byte, x *float32, n int, inverse, half float32)

//go:noescape
func momentsAVX2(x *float32, n int, sums, squares *[8]float32)

//go:noescape
func centerAVX2(x, gain, shift *float32, n int, mean, inverse float32)

//go:noescape
func addNormalAVX2(sum, x *float32, n int, mean, inverse float32)

//go:noescape
func levelsAVX2(out *float32, levels *byte, n int, base, step float32)
