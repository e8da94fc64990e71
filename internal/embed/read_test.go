package embed_test

import (
	"encoding/binary"
	"math"
	"strings"
	"testing"

	"github.com/memtree/memtree/internal/embed"
	"github.com/stretchr/testify/require"
)

// header has the five numbers after the magic.
type header struct{ version, dims, count, bits, vocabulary uint32 }

// bytesOf makes a file with any header. Every nibble is 9, so every value is its row's scale.
func bytesOf(h header, lengths, words string, scales []float32, rows int) []byte {
	b := []byte("MTSE")
	for _, x := range []uint32{h.version, h.dims, h.count, h.bits, h.vocabulary} {
		b = binary.LittleEndian.AppendUint32(b, x)
	}
	b = append(b, lengths+words...)
	for _, s := range scales {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(s))
	}
	return append(b, strings.Repeat("\x99", rows)...)
}

func small() []byte {
	return bytesOf(header{1, 4, 3, 4, 10}, "\x04\x03\x03", "cartlog登", []float32{1, 2, 0.5}, 6)
}

func TestReadSmall(t *testing.T) {
	t.Parallel()
	b := small()
	got, err := embed.Read(b)
	require.NoError(t, err)
	clear(b) // Read has copied b
	require.Equal(t, 4, got.Dims())
	require.Regexp(t, `^static-4/[0-9a-f]{8}$`, got.ID())
	require.Equal(t, []string{"log", "cart", "登"}, got.Tokens("logCart, xx登"))
	require.InDeltaSlice(t, []float32{.5, .5, .5, .5}, got.Vector("log cart"), 1e-7)
}

func TestReadRefuses(t *testing.T) {
	t.Parallel()
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	one := []float32{1}
	for _, c := range []struct {
		want string
		b    []byte
	}{
		{"begin with MTSE", nil},
		{"begin with MTSE", []byte("MTSE")},
		{"begin with MTSE", append([]byte("MTSX"), small()[4:]...)},
		{"version 2", bytesOf(header{2, 2, 1, 4, 1}, "\x01", "a", one, 1)},
		{"8 bits", bytesOf(header{1, 2, 1, 8, 1}, "\x01", "a", one, 1)},
		{"0 dimensions", bytesOf(header{1, 0, 1, 4, 1}, "\x01", "a", one, 0)},
		{"3 dimensions", bytesOf(header{1, 3, 1, 4, 1}, "\x01", "a", one, 1)},
		{"4294967294 dimensions", bytesOf(header{1, math.MaxUint32 - 1, 1, 4, 1}, "\x01", "a", one, 1)},
		{"no words", bytesOf(header{1, 2, 0, 4, 0}, "", "", nil, 0)},
		{"32 bytes where the header asks for",
			bytesOf(header{1, 8192, math.MaxUint32, 4, math.MaxUint32}, "\x01", "ab", one, 1)},
		{"31 bytes where the header asks for 95", bytesOf(header{1, 130, 1, 4, 1}, "\x01", "a", one, 1)},
		{"bytes where", append(small(), 0)},
		{"bytes where", small()[:len(small())-1]},
		{"not UTF-8", bytesOf(header{1, 2, 1, 4, 1}, "\x01", "\xff", one, 1)},
		{"word 1 has length 9", bytesOf(header{1, 2, 1, 4, 1}, "\x09", "a", one, 1)},
		{"word 1 has length 0", bytesOf(header{1, 2, 1, 4, 1}, "\x00", "a", one, 1)},
		{"lengths add up to 1", bytesOf(header{1, 2, 1, 4, 2}, "\x01", "ab", one, 1)},
		{`word 2 ("a") does not sort after`, bytesOf(header{1, 2, 2, 4, 2}, "\x01\x01", "ba", []float32{1, 1}, 2)},
		{`word 2 ("a") does not sort after`, bytesOf(header{1, 2, 2, 4, 2}, "\x01\x01", "aa", []float32{1, 1}, 2)},
		{"scale of word 1 is NaN", bytesOf(header{1, 2, 1, 4, 1}, "\x01", "a", []float32{nan}, 1)},
		{"scale of word 1 is +Inf", bytesOf(header{1, 2, 1, 4, 1}, "\x01", "a", []float32{inf}, 1)},
		{"scale of word 1 is -1", bytesOf(header{1, 2, 1, 4, 1}, "\x01", "a", []float32{-1}, 1)},
		{"scale of word 1 is 1.00000001", bytesOf(header{1, 2, 1, 4, 1}, "\x01", "a", []float32{1e30}, 1)},
	} {
		_, err := embed.Read(c.b)
		require.ErrorIs(t, err, embed.ErrFormat)
		require.ErrorContains(t, err, c.want)
	}
}

func FuzzRead(f *testing.F) {
	f.Add(small(), "logCart's 登录 isn't")
	f.Add(bytesOf(header{1, 2, 1, 4, 1}, "\x01", "a", []float32{1e6}, 1), "aaa")
	f.Fuzz(func(t *testing.T, b []byte, s string) {
		got, err := embed.Read(b)
		if err != nil {
			require.ErrorIs(t, err, embed.ErrFormat)
			return
		}
		requireVector(t, got, s)
	})
}

func FuzzVector(f *testing.F) {
	f.Add("waitForSelector's 点击Submit按钮 İstanbul isn't ﷺ\xff")
	f.Fuzz(func(t *testing.T, s string) { requireVector(t, table(t), s) })
}

func requireVector(t *testing.T, table *embed.WordVectors, s string) {
	t.Helper()
	v := table.Vector(s)
	require.Len(t, v, table.Dims())
	if square := dot(v, v); square != 0 {
		require.InDelta(t, 1, square, 1e-5)
	}
	require.NotContains(t, table.Tokens(s), "")
}
