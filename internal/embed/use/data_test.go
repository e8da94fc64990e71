package use

import (
	"encoding/binary"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// small returns an encoder file with the counts of a header, and parts of these bytes. Its network is all zeros.
func small(field [13]uint32, unknown float32, parts ...[]byte) []byte {
	b := []byte(magic)
	for _, f := range field {
		b = binary.LittleEndian.AppendUint32(b, f)
	}
	b = binary.LittleEndian.AppendUint32(b, math.Float32bits(unknown))
	b = append(b, make([]byte, 8*chunks+weightSize)...)
	return append(b, slices.Concat(parts...)...)
}

// one is a header for a single row of one bit: a unit in each trie, no replacement.
var one = [13]uint32{version, 1, 0, 1, 1}

func oneRow() []byte { return make([]byte, 4+4+4+rowSize(1)) }

func TestParse(t *testing.T) {
	t.Parallel()
	e, err := parse(small(one, -20, oneRow()))
	require.NoError(t, err)
	require.Equal(t, make([]float32, dims), e.Vector("cart")) // every piece is unknown
}

func TestParseRefuses(t *testing.T) {
	t.Parallel()
	change := func(i int, to uint32) []byte {
		f := one
		f[i] = to
		return small(f, -20, oneRow())
	}
	for want, b := range map[string][]byte{
		"does not begin with MTUE":        []byte("MTSE"),
		"version 2":                       change(0, 2),
		"a count of 4294967295":           change(2, math.MaxUint32),
		"lacks a trie":                    change(1, 0),
		"in row 1 of 1":                   change(10, 1),
		"bytes where the header asks for": change(8, 1),
		"or a score":                      small(one, float32(math.NaN()), oneRow()),
		"in row 0 of 0":                   change(4, 0),
		"bytes where the header asks":     small(one, -20, oneRow())[:1000],
	} {
		_, err := parse(b)
		require.ErrorIs(t, err, errFormat)
		require.ErrorContains(t, err, want)
	}
}

// FuzzParse reads damaged files, and texts by those that are accepted.
func FuzzParse(f *testing.F) {
	head := small(one, -20)[:headerSize]
	f.Add(head, oneRow(), "cart 登录")
	f.Add(builtin[:headerSize], builtin[len(builtin)-5000:], "cart 登录")
	f.Fuzz(func(t *testing.T, head, tail []byte, text string) {
		b := make([]byte, headerSize+8*chunks+weightSize, headerSize+8*chunks+weightSize+len(tail))
		copy(b, head)
		for i := range min(len(tail), 8*chunks) { // the scales too, NaN and infinities among them
			b[headerSize+i] = tail[i]
		}
		e, err := parse(append(b, tail...))
		if err != nil {
			require.ErrorIs(t, err, errFormat)
			return
		}
		checkVector(t, e.Vector(text))
	})
}

// FuzzVector computes vectors of any text.
func FuzzVector(f *testing.F) {
	for _, s := range samples(f) {
		f.Add(s.Text)
	}
	f.Add("\xff\xc3\x28😀<s>▁")
	f.Fuzz(func(t *testing.T, s string) {
		v := encoder(t).Vector(s)
		checkVector(t, v)
		require.Equal(t, v, encoder(t).Vector(s))
	})
}

func checkVector(t *testing.T, v []float32) {
	t.Helper()
	length := math.Sqrt(cosineTo(v, v))
	require.True(t, math.Abs(length-1) < 1e-5 || length == 0, "a length of %g", length)
}
