package retrieval

import (
	"encoding/binary"
	"math"
	"math/bits"
)

// Vectors are stored twice. Rows have 8 bits a number, and cosines are computed from them. Sketches have one bit a
// number; from a sketch the cosine is estimated, so that a search reads only the rows that can matter. The sketch is
// that of J. Gao and C. Long, "RaBitQ: Quantizing High-Dimensional Vectors with a Theoretical Error Bound for
// Approximate Nearest Neighbor Search", SIGMOD 2024. A vector v is rotated at random and the signs of its numbers are
// stored. ⟨q,v⟩ is then estimated from the product of the signs with q and the product of the signs with v itself,
// which is stored too. The rotation here is three rounds of random signs and a Hadamard transform, which take n log n
// steps instead of n².

// width is the width of an error bound, in standard deviations of the estimate. At 2.2 about 14 rows in a thousand lie
// above their bound. A search misses such a row only if it is also near the edge of the selection;
// TestScanFindsWhatTheExhaustiveScanFinds has the rate.
const width = 2.2

// turnedLength is the length of a rotated vector: dims padded to a power of two, 64 at least, because planes are read
// in units of 64 bits.
func turnedLength(dims int) int {
	return max(64, 1<<bits.Len(uint(dims-1)))
}

// rotation is a random rotation for vectors of one length. It depends on the length only, so
// that sketches on disk stay valid.
type rotation struct {
	dims  int
	signs [3][]float32
}

func newRotation(dims int) *rotation {
	r := &rotation{dims: dims}
	seed := uint64(dims)
	for i := range r.signs {
		r.signs[i] = make([]float32, turnedLength(dims))
		for j := range r.signs[i] { // SplitMix64, Steele et al. 2014
			seed += 0x9e3779b97f4a7c15
			z := (seed ^ seed>>30) * 0xbf58476d1ce4e5b9
			z = (z ^ z>>27) * 0x94d049bb133111eb
			r.signs[i][j] = 1 - 2*float32((z^z>>31)&1)
		}
	}
	return r
}

// turn writes the rotated v to out, which has length turnedLength(dims). v is padded with zeros; the rotation
// preserves lengths and products.
func (r *rotation) turn(v, out []float32) {
	clear(out[copy(out, v):])
	norm := float32(1 / math.Sqrt(float64(len(out))))
	for _, signs := range r.signs {
		for i, s := range signs {
			out[i] *= s * norm
		}
		hadamard(out)
	}
}

// hadamard is the fast Walsh-Hadamard transform, in place, not normalised.
func hadamard(x []float32) {
	for h := 1; h < len(x); h *= 2 {
		for i := 0; i < len(x); i += 2 * h {
			a, b := x[i:i+h], x[i+h:i+2*h]
			for j := range a {
				a[j], b[j] = a[j]+b[j], a[j]-b[j]
			}
		}
	}
}

// vector is an embedding in stored form, scaled to length 1.
type vector struct {
	row    []byte  // one int8 a number; nil: no vector
	scale  float32 // a number of row times scale is a number of the vector
	sketch []byte  // see segment
}

// boundUnit is the unit of stored error bounds, as a part of a cosine.
const boundUnit = 1.0 / 16384

// quantise returns the stored form of v. It returns false for a zero vector and for one with NaN or infinities, which
// have no direction.
func (r *rotation) quantise(v []float32) (vector, bool) {
	var sum, top float64
	for _, x := range v {
		sum += float64(x) * float64(x)
		top = max(top, math.Abs(float64(x)))
	}
	norm := math.Sqrt(sum)
	if !(norm > 1e-12) || math.IsInf(norm, 0) { // the negation is true for NaN too
		return vector{}, false
	}
	k := vector{row: make([]byte, len(v)), scale: float32(top / 127 / norm)}
	unit := make([]float32, len(v))
	for i, x := range v {
		k.row[i] = byte(int8(math.Round(float64(x) / top * 127)))
		unit[i] = float32(float64(x) / norm)
	}
	t := make([]float32, turnedLength(len(v)))
	r.turn(unit, t)
	k.sketch = make([]byte, len(t)/8, len(t)/8+8)
	var length float64
	ones := 0
	for i, x := range t {
		length += math.Abs(float64(x))
		if x > 0 {
			k.sketch[i>>3] |= 1 << (i & 7)
			ones++
		}
	}
	// The estimate of a product is exact for a vector equal to its signs. f, 0 to 1, measures how near v is to that;
	// the paper's bound on the error grows as f falls.
	f := length / math.Sqrt(float64(len(t))) // ⟨signs/√n, v⟩
	bound := width * math.Sqrt(max(0, 1/(f*f)-1)/float64(len(t)-1))
	k.sketch = binary.LittleEndian.AppendUint32(k.sketch, math.Float32bits(float32(1/length)))
	k.sketch = binary.LittleEndian.AppendUint16(k.sketch, uint16(min(ones, math.MaxUint16)))
	k.sketch = binary.LittleEndian.AppendUint16(k.sketch, uint16(min(math.Ceil(bound/boundUnit), math.MaxUint16)))
	return k, true
}

// queryVector is the vector of a query in two forms: integers to compare with rows, and bit planes to compare with
// sketches. sums hold the same information as the planes, see rate.
type queryVector struct {
	ints   []int16     // 14 bits a number, to multiply with rows
	scale  float32     // a number of ints times scale is a number of the vector
	planes [4][]uint64 // the rotated vector in 4 bits a number; plane j has bit j of each
	sums   [][16]byte  // for each four of these numbers, the sum of those that each set of bits names
	low    float32     // the value of the 4-bit number 0
	step   float32     // the difference between two neighbouring 4-bit numbers
	sum    float32     // of all numbers of the rotated vector, as the planes have them
}

// prepare fills q with the vector of a query, and reuses its memory. It returns false for a
// vector without a direction, as quantise does.
func (r *rotation) prepare(v []float32, q *queryVector) bool {
	var sum, top float64
	for _, x := range v {
		sum += float64(x) * float64(x)
		top = max(top, math.Abs(float64(x)))
	}
	norm := math.Sqrt(sum)
	if !(norm > 1e-12) || math.IsInf(norm, 0) {
		return false
	}
	q.ints = resize(q.ints, len(v))
	q.scale = float32(top / 8191 / norm)
	t := make([]float32, turnedLength(len(v)))
	unit := make([]float32, len(v))
	for i, x := range v {
		q.ints[i] = int16(math.Round(float64(x) / top * 8191))
		unit[i] = float32(float64(x) / norm)
	}
	r.turn(unit, t)
	low, high := t[0], t[0]
	for _, x := range t {
		low, high = min(low, x), max(high, x)
	}
	q.low, q.step = low, max((high-low)/15, 1e-9)
	for j := range q.planes {
		q.planes[j] = resize(q.planes[j], len(t)/64)
		clear(q.planes[j])
	}
	q.sums = resize(q.sums, len(t)/4)
	total := 0
	for i, x := range t {
		u := min(int((x-low)/q.step+0.5), 15)
		total += u
		for j := range q.planes {
			q.planes[j][i>>6] |= uint64(u>>j&1) << (i & 63)
		}
		four, bit := &q.sums[i/4], 1<<(i&3)
		for j := range bit {
			four[bit+j] = four[j] + byte(u) // four[0] is always 0
		}
	}
	q.sum = q.low*float32(len(t)) + q.step*float32(total)
	return true
}

// resize returns a slice of length n, with the memory of s if that is large enough. Its contents are undefined.
func resize[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}

// cosine returns the cosine of q and a row of the given scale.
func (q *queryVector) cosine(row []byte, scale float32) float32 {
	return float32(dot(q.ints, row[:len(q.ints)])) * q.scale * scale
}

// likeness returns the cosine of two rows.
func likeness(a, b []byte, scaleA, scaleB float32) float32 {
	b = b[:len(a)]
	s := 0
	for i, x := range a {
		s += int(int8(x)) * int(int8(b[i]))
	}
	return float32(s) * scaleA * scaleB
}
