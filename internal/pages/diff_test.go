package pages

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// The lines of a difference are those of both texts, in order, and equal texts differ in nothing.
func TestDiff(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c", "d"}), 0, 12)
		a, b := text.Draw(t, "before"), text.Draw(t, "after")
		var was, is []string
		for _, l := range diff(strings.Join(a, "\n"), strings.Join(b, "\n")) {
			if !l.New() {
				was = append(was, l.Text)
			}
			if !l.Old() {
				is = append(is, l.Text)
			}
		}
		require.Equal(t, strings.Join(a, " "), strings.Join(was, " "))
		require.Equal(t, strings.Join(b, " "), strings.Join(is, " "))
	})
	require.Equal(t, []diffLine{{"", "a"}, {"-", "b"}, {"+", "c"}}, diff("<x>\na\nb", "a\nc"))
}
