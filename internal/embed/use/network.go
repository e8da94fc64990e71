package use

import "math"

// The network: the rows of the pieces, projected to 256 numbers for each of three orders of n-grams, which two
// convolutions with a residual connection turn into features; the mean of the normalized features over the text,
// projected to 512 numbers; and two residual blocks. D. Cer et al., "Universal Sentence Encoder", 2018, and Y. Yang et
// al., "Multilingual Universal Sentence Encoder for Semantic Retrieval", ACL 2020, describe the family.

const (
	width    = 256            // of one order
	orders   = 3              // of n-grams: 2, 3 and 5 pieces
	wide     = orders * width // of all
	features = dims + wide
	hidden   = 320
	floor    = 1e-12 // added to a variance
)

// gram is an n-gram of n pieces, of which left lie before the piece that it is of.
type gram struct{ n, left int }

var grams = [orders]gram{{2, 0}, {3, 1}, {5, 2}}

// network has the layers as slices of the data, and their small tables as numbers.
type network struct {
	project             layer
	first, second       [orders]layer
	pool                layer
	d0, p1, d1, d2      layer
	p3, rest, d3        layer // rest is what the rounding of p3 left
	gain, shift         []float32
	lastGain, lastShift []float32
}

// layer is a matrix of int8, k inputs and n outputs. An output is scale · (sum of products) + bias.
type layer struct {
	k, n              int
	scale, sums, bias []float32 // for each output; sums are those of its weights
	weights           []byte    // panels of 16 outputs; in each for 4 inputs at a time the weights of each output
}

// sizes lists the inputs and outputs of the layers, in the order of the data.
var sizes = [][2]int{
	{dims, wide}, {2 * width, width}, {3 * width, width}, {5 * width, width}, {2 * width, width}, {3 * width, width},
	{5 * width, width}, {features, dims}, {dims, hidden}, {dims, hidden}, {hidden, hidden}, {hidden, dims},
	{hidden, dims}, {hidden, dims}, {dims, dims},
}

// weightSize is the number of bytes of all layers and of the normalizations.
var weightSize = func() int {
	n := 4 * 2 * (wide + features)
	for _, s := range sizes {
		n += s[0]*s[1] + 12*s[1]
	}
	return n
}()

// openNetwork reads the small tables. b has weightSize bytes.
func openNetwork(b []byte) *network {
	floats := func(n int, of func(at int) float32) []float32 {
		out := make([]float32, n)
		for i := range out {
			out[i] = of(4 * i)
		}
		b = b[4*n:]
		return out
	}
	number := func(at int) float32 { return f32(b, at) }
	whole := func(at int) float32 { return float32(int32(le32(b, at))) } //nolint:gosec // the bits
	all := make([]layer, len(sizes))
	for i, s := range sizes {
		l := layer{k: s[0], n: s[1], scale: floats(s[1], number), sums: floats(s[1], whole), bias: floats(s[1], number)}
		l.weights, b = b[:l.k*l.n], b[l.k*l.n:]
		all[i] = l
	}
	return &network{
		project: all[0], first: [orders]layer(all[1:4]), second: [orders]layer(all[4:7]), pool: all[7],
		d0: all[8], p1: all[9], d1: all[10], d2: all[11], p3: all[12], rest: all[13], d3: all[14],
		gain: floats(wide, number), lastGain: floats(features, number),
		shift: floats(wide, number), lastShift: floats(features, number),
	}
}

// work is the memory of one computation.
type work struct {
	text  []byte
	steps []bestPath
	ids   []int32

	levels []byte       // of the rows
	bytes  []byte       // of a convolution's input, as bytes
	sums   []int32      // of a layer's products
	rows   [][2]float32 // base and step of each row
	x      []float32    // wide numbers for each piece
	h      []float32    // the same after the first convolution
	small  [8][]float32
}

// forward computes the vector of the pieces, and those of the beginning and the end around them.
func (n *network) forward(e *Encoder, w *work, pieces []int32, out []float32) {
	t := len(pieces) + 2
	w.levels, w.x, w.h = sized(w.levels, padded(t)*dims), sized(w.x, t*wide), sized(w.h, t*wide)
	w.rows = sized(w.rows, t)
	for i := range t {
		piece := e.control[1]
		switch {
		case i == t-1:
			piece = e.control[2]
		case i > 0:
			piece = pieces[i-1]
		}
		base, step := e.row(piece, w.levels[i*dims:])
		w.rows[i] = [2]float32{base, step}
	}
	w.sums = sized(w.sums, padded(t)*wide)
	n.project.multiply(w.sums, w.levels, dims, t)
	for i := range t {
		x := w.x[i*wide:][:wide]
		n.project.finish(x, w.sums[i*wide:], w.rows[i][0], w.rows[i][1])
		center(x, n.gain, n.shift)
	}
	for i := range grams {
		n.convolve(w, i, t)
	}
	n.head(w, n.mean(w, t), float32(math.Sqrt(float64(t))), out)
}

// convolve applies both convolutions of an order to its part of x, in place. In h a row has width numbers.
func (n *network) convolve(w *work, order, t int) {
	g := grams[order]
	part := func(i int) []float32 { return w.x[i*wide+order*width:][:width] }
	for round, l := range []*layer{&n.first[order], &n.second[order]} {
		in := part
		if round > 0 {
			in = func(i int) []float32 { return w.h[i*width:][:width] }
		}
		zero, step := w.quantize(in, g, t)
		l.multiply(w.sums, w.bytes, width, t)
		for i := range t {
			from, to := in(i), w.h[i*width:][:width]
			if round > 0 {
				to = part(i)
			}
			l.finishOnto(to, from, w.sums[i*width:], float32(-zero*step), step)
		}
	}
}

// quantize writes t rows as bytes, from the least number to the highest, with rows of zeros around them. A number is
// step · (byte − zero).
func (w *work) quantize(row func(i int) []float32, g gram, t int) (zero, step float32) {
	var low, high float32
	for i := range t {
		low, high = bounds(row(i), low, high)
	}
	step = float32(high-low) / 255
	if step == 0 {
		step = 1
	}
	inverse := 1 / step
	zero = float32(int32(float32(-low*inverse) + .5))
	w.bytes = sized(w.bytes, (padded(t)+g.n)*width)
	pad := func(b []byte) {
		for i := range b {
			b[i] = byte(zero)
		}
	}
	pad(w.bytes[:g.left*width])
	for i := range t {
		toBytes(w.bytes[(g.left+i)*width:][:width], row(i), inverse, zero)
	}
	pad(w.bytes[(g.left+t)*width:])
	return zero, step
}

// mean returns the mean of the normalized features over the pieces.
func (n *network) mean(w *work, t int) []float32 {
	sum := w.vector(0, features)
	clear(sum)
	f := w.vector(1, features)
	for i := range t {
		base, step := w.rows[i][0], w.rows[i][1]
		fromLevels(f, w.levels[i*dims:][:dims], base, step)
		copy(f[dims:], w.x[i*wide:][:wide])
		addNormal(sum, f)
	}
	for j := range sum {
		sum[j] = float32(float32(sum[j]*n.lastGain[j])/float32(t)) + n.lastShift[j]
	}
	return sum
}
