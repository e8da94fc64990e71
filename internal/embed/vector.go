package embed

import "math"

// Vector returns the sum of the rows of the tokens of s, scaled to length 1; it has [WordVectors.Dims] values. A text
// without a known token, or whose rows cancel out, gives the zero vector, whose similarity to any vector is 0.
func (t *WordVectors) Vector(s string) []float32 {
	sum := make([]float32, t.dims)
	t.tokens(s, func(row int) { t.addRow(sum, row) })
	var square float64
	for _, x := range sum {
		square += float64(x) * float64(x)
	}
	if square == 0 {
		return sum
	}
	length := math.Sqrt(square)
	for i, x := range sum {
		sum[i] = float32(float64(x) / length)
	}
	return sum
}

// addRow adds a row's values to sum. Each value is four bits; the sixteen that are possible are computed once.
func (t *WordVectors) addRow(sum []float32, row int) {
	var value [16]float32
	scale := t.scale(row)
	for i := range value {
		value[i] = float32(i-8) * scale
	}
	packed := t.rows[row*t.dims/2 : (row+1)*t.dims/2]
	for i := 1; i < len(sum); i += 2 {
		b := packed[i/2]
		sum[i-1] += value[b&15]
		sum[i] += value[b>>4]
	}
}
