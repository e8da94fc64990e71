package text_test

import (
	"slices"
	"testing"
	"unicode/utf8"

	"github.com/memtree/memtree/internal/text"
	"github.com/stretchr/testify/require"
)

func FuzzText(f *testing.F) {
	for i, s := range samples {
		f.Add(s, i*5)
	}
	f.Add("\x1b]0;\u202e👨‍👩‍👧\xed\xa0\x80 1. e.g. a!?。」\r\n", 7)
	f.Fuzz(func(t *testing.T, s string, n int) {
		n %= 1000
		fit, clip, clean := text.Fit(s, n), text.Clip(s, n), text.Clean(s)
		for _, out := range append([]string{fit, clip, clean},
			slices.Concat(text.Sentences(s), text.Tokens(s), text.Words(s))...) {
			require.True(t, utf8.ValidString(out), "%q", out)
		}
		require.LessOrEqual(t, text.Width(fit), max(0, n))
		require.LessOrEqual(t, utf8.RuneCountInString(clip), max(0, n))
		require.Equal(t, max(0, n), text.Width(text.Pad(s, n)))
		require.Equal(t, clean, text.Clean(clean))
		requireInert(t, clean)
		require.NotContains(t, text.Tokens(s), "")
		require.NotContains(t, text.Words(s), "")
		require.Contains(t, []string{"zh", "en"}, text.Lang(s))
		set := text.Shingles(s, n)
		require.True(t, slices.IsSorted(set))
		require.Len(t, slices.Compact(slices.Clone(set)), len(set))
	})
}
