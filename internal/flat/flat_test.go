package flat

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// What is written is read again, in the same order.
func TestData(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ints := rapid.SliceOf(rapid.IntRange(0, math.MaxUint32)).Draw(t, "ints")
		floats := rapid.SliceOf(rapid.Float32()).Draw(t, "floats")
		doubles := rapid.SliceOf(rapid.Float64()).Draw(t, "doubles")
		texts := rapid.SliceOf(rapid.String()).Draw(t, "texts")
		names := rapid.SliceOfDistinct(rapid.String(), rapid.ID).Draw(t, "names")
		b := AppendInt(nil, len(texts))
		b = AppendInts(b, ints)
		b = AppendFloats(b, floats)
		b = AppendDoubles(b, doubles...)
		b = AppendTexts(b, texts)
		b = AppendNames(b, names)
		b = AppendText(b, "the end")

		d := Open(string(b))
		require.Equal(t, len(texts), d.Int())
		require.Equal(t, append([]int{}, ints...), d.Ints().All())
		f := d.Floats()
		for i, x := range floats {
			require.Equal(t, math.Float32bits(x), math.Float32bits(f.At(i)))
		}
		g := d.Doubles()
		for i, x := range doubles {
			require.Equal(t, math.Float64bits(x), math.Float64bits(g.At(i)))
		}
		list := d.Texts()
		require.Equal(t, len(texts), list.Len())
		for i, s := range texts {
			require.Equal(t, s, list.At(i))
		}
		known := d.Names()
		for i, s := range names {
			at, ok := known.Find(s)
			require.True(t, ok)
			require.Equal(t, i, at)
			_, ok = known.Find(s + "\x00no name")
			require.False(t, ok)
		}
		require.Equal(t, "the end", d.Text())
		require.Empty(t, d.rest)
	})
}

// Data that ends too early is noticed, not read as something else.
func TestCutOff(t *testing.T) {
	b := AppendTexts(nil, []string{"one", "two"})
	for n := range len(b) {
		require.Panics(t, func() { Open(string(b[:n])).Texts() })
	}
}
