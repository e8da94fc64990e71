package retrieval

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestProducts: what a processor has special instructions for gives the numbers of the plain
// way, whatever the length, also at the greatest numbers that a damaged file may have.
func TestProducts(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{0, 1, 15, 16, 17, 31, 256, 300, 768, mostTried} {
		a, row, extreme, lowest := make([]int16, n), make([]byte, n), make([]int16, n), make([]byte, n)
		for i := range a {
			a[i], row[i] = int16(r.IntN(2*8191+1)-8191), byte(r.Uint32())
			extreme[i], lowest[i] = 8191, 0x80
		}
		require.Equal(t, dotPlain(a, row), dot(a, row), "%d numbers", n)
		require.Equal(t, -128*8191*n, dot(extreme, lowest), "%d numbers", n)
	}
	if !fast {
		t.Log("this processor has no special instructions that memtree uses: only the plain way was tried")
	}
}

// TestRate is the same for the scores of slots by their sketches, also where these are damaged.
func TestRate(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, dims := range []int{1, 64, 200, 256, 512, 4096, maxDims} {
		turn, size := newRotation(dims), sketchSize(dims)
		for _, n := range []int{0, 1, 31, 32, 33, 63, 64, 65, 100} {
			v := make([]float32, dims)
			for i := range v {
				v[i] = float32(r.NormFloat64())
			}
			var q queryVector
			require.True(t, turn.prepare(v, &q))
			column, lex := make([]byte, n*size), make([]float32, n)
			for i := range column {
				column[i] = byte(r.Uint32()) | byte(-(n & 1)) // every second round has all bits
			}
			for i := range lex {
				lex[i] = float32(r.IntN(3)) * r.Float32()
				if r.IntN(4) > 0 { // the rest are any number, also NaN and infinities
					binary.LittleEndian.PutUint32(column[(i+1)*size-8:], math.Float32bits(r.Float32()))
				}
			}
			sketches := column
			if blocked(dims) {
				sketches = inBlocks(column, size)
			}
			want, got, wantMost, most := make([]float32, n), make([]float32, n), make([]float32, n), make([]float32, n)
			q.ratePlain(column, 0.3, lex, want, wantMost)
			q.rate(sketches, 0.3, lex, got, most)
			require.Equal(t, want, got, "%d numbers, %d slots", dims, n)
			require.Equal(t, wantMost, most, "%d numbers, %d slots", dims, n)
		}
	}
	// The greatest hits: all numbers of the question are 15, and all bits are set.
	q := queryVector{ints: make([]int16, 4096), sums: make([][16]byte, 1024), step: 1}
	for i := range q.sums {
		for j := range q.sums[i] {
			q.sums[i][j] = byte(15 * bits.OnesCount(uint(j)))
		}
	}
	for j := range q.planes {
		q.planes[j] = slices.Repeat([]uint64{math.MaxUint64}, 64)
	}
	column := bytes.Repeat([]byte{0xff}, sketchSize(4096))
	binary.LittleEndian.PutUint32(column[512:], math.Float32bits(1))
	want, got, most := make([]float32, 1), make([]float32, 1), make([]float32, 1)
	q.ratePlain(column, 0, want, want, most)
	require.Equal(t, []float32{2 * 15 * 4096}, want)
	if blocked(4096) {
		q.rate(inBlocks(column, len(column)), 0, make([]float32, 1), got, most)
		require.Equal(t, want, got)
	}
}

// TestShares is the same for the shares of tokens, also where a list names a slot that does not exist.
func TestShares(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	f := shareFactors{idf: 11.1, flat: 0.3, slope: 0.03}
	for n := range 100 {
		slots := 1 + r.IntN(200)
		for _, wrong := range []int{-1, n / 2, n - 1} {
			var postings []byte
			for i := range n {
				slot := r.IntN(slots)
				if i == wrong {
					slot = []int{slots, math.MaxInt32, 1 << 31, math.MaxUint32}[r.IntN(4)]
				}
				most := uint32(math.MaxUint16) >> (r.IntN(2) * 10)
				postings = appendPosting(postings, slot, uint16(1+r.Uint32N(most)), uint16(r.Uint32N(most+1)))
			}
			want, got := make([]float32, slots), make([]float32, slots)
			require.Equal(t, wrong < 0 || n == 0, addSharesPlain(postings, &f, want))
			require.Equal(t, wrong < 0 || n == 0, addShares(postings, &f, got))
			require.Equal(t, want, got, "%d postings, %d slots", n, slots)
		}
	}
}

// TestTimes is the same for the shares of a token that has a column.
func TestTimes(t *testing.T) {
	r := rand.New(rand.NewPCG(15, 16))
	f := shareFactors{idf: 1.1, flat: 0.3, slope: 0.03}
	for n := range 100 {
		times, tokens, want := make([]uint8, n), make([]uint16, n), make([]float32, n)
		for i := range n {
			times[i], tokens[i] = uint8(r.IntN(4)*r.IntN(256)/3), uint16(r.Uint32N(1<<16)>>r.IntN(16)) //nolint:gosec // fits
			want[i] = r.Float32()
		}
		got := slices.Clone(want)
		addTimesPlain(times, tokens, &f, want)
		addTimes(times, tokens, &f, got)
		require.Equal(t, want, got, "%d slots", n)
	}
}

// TestNext is the same for the choice of slots.
func TestNext(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for n := range 70 {
		values, flags := make([]float32, n), make([]uint8, n)
		for range n / 8 {
			values[r.IntN(n)] = []float32{1, 2, float32(math.Inf(1)), float32(math.NaN())}[r.IntN(4)]
			flags[r.IntN(n)] = uint8(r.IntN(allFlags + 1))
		}
		for at := range n + 1 {
			for _, least := range []float32{0.5, 0.75, float32(math.Inf(-1)), float32(math.NaN())} {
				want := nextAbovePlain(values, 0.5, least, at)
				require.Equal(t, want, nextAbove(values, 0.5, least, at), "from %d of %d", at, n)
				need := needs{least, 0.5, 0, float32(math.Inf(1)), allFlags: least}
				want = nextOpenPlain(values, flags, 0.5, &need, at)
				require.Equal(t, want, nextOpen(values, flags, 0.5, &need, at), "from %d of %d", at, n)
			}
		}
	}
}

// TestOrWhere is the same for the flags of slots of a type.
func TestOrWhere(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	for n := range 140 {
		values, want := make([]uint8, n), make([]uint8, n)
		for i := range values {
			values[i], want[i] = uint8(254+r.IntN(2)), uint8(r.IntN(256))
		}
		got := slices.Clone(want)
		orWherePlain(values, 255, 0x90, want)
		orWhere(values, 255, 0x90, got)
		require.Equal(t, want, got, "%d slots", n)
	}
}

// TestParts is the same for the parts of a check.
func TestParts(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	for n := range 70 {
		parts, want := make([]uint8, n), make([]float32, n)
		for i := range parts {
			parts[i], want[i] = uint8(r.UintN(256)), r.Float32()
		}
		got := slices.Clone(want)
		addPartsPlain(parts, 0.7/(leaning-1), want)
		addParts(parts, 0.7/(leaning-1), got)
		require.Equal(t, want, got, "%d slots", n)
	}
}

// A column gives back the parts that were set, and its upper bits are never less.
func TestPartColumn(t *testing.T) {
	c := &partColumn{make([]uint8, 1), make([]int8, 1)}
	for part := range uint16(leaning) {
		c.set(0, part)
		require.Equal(t, part, c.at(0))
		by := float32(0.7) / (leaning - 1)
		require.LessOrEqual(t, by*float32(part), by*mostPart*float32(c.upper[0]))
		require.Equal(t, part == 0, c.upper[0] == 0)
	}
}

// TestNextFitting is the same for the choice of slots by their task.
func TestNextFitting(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	f := &fitFilter{asked: 5, unit: 0.1}
	f.raise(fitted.fits)
	for n := range 70 {
		shared, leans := make([]float32, n), make([]float32, n)
		for i := range shared {
			leans[i] = []float32{0, r.Float32(), 1, 1.0001, -1}[r.IntN(5)]
			shared[i] = []float32{0, 0, f.need[bucketOf(leans[i])], 100 * r.Float32(), float32(math.Inf(1))}[r.IntN(5)]
		}
		for at := range n + 1 {
			require.Equal(t, f.nextPlain(shared, leans, at), f.next(shared, leans, at), "from %d of %d", at, n)
		}
	}
}

// mostTried is more numbers than are multiplied at once.
const mostTried = 20_000 + 7
