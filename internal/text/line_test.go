package text

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSqueeze(t *testing.T) {
	for s, want := range map[string]string{
		"": "", " ": "", "a": "a", "a b": "a b", " a": "a", "a ": "a", "a  b": "a b", "a\nb": "a b", "a\u3000b": "a b",
		"合计 是": "合计 是", "a\u00a0": "a", "a\tb\v": "a b", "\u0085x": "x",
	} {
		require.Equal(t, want, Squeeze(s), "%q", s)
	}
	require.Equal(t, "red text", Line("\x1b[31mred\x1b[0m\r\n text "))
}

func TestAppend(t *testing.T) {
	for _, x := range [][3]string{
		{"", "", ""}, {"A.", "", "A."}, {"", "B.", "B."}, {"A.", "B.", "A. B."}, {"看。", "再看。", "看。再看。"}, {"看", "B", "看 B"},
		{"\xff", "b", "\xff b"},
	} {
		require.Equal(t, x[2], Append(x[0], x[1]))
	}
}

func FuzzSqueeze(f *testing.F) {
	f.Add(" a  b\u3000c\xff")
	f.Fuzz(func(t *testing.T, s string) {
		require.Equal(t, strings.Join(strings.Fields(s), " "), Squeeze(s))
	})
}
