package guard

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestPlainPhrasesAreTheirOwnUnits: the shorter way for plain phrases gives what the general one gives, for all of the
// lexicon.
func TestPlainPhrasesAreTheirOwnUnits(t *testing.T) {
	seen := 0
	for line := range strings.Lines(lexiconText) {
		_, phrases, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		for p := range strings.SplitSeq(phrases, "|") {
			if !ownUnits(p) {
				continue
			}
			seen++
			u := unitsOf(p)
			first, _, _ := strings.Cut(p, " ")
			require.Equal(t, p, u.joined)
			require.Equal(t, first, u.joined[:u.end[0]])
			require.Len(t, u.end, 1+strings.Count(p, " "))
		}
	}
	require.Greater(t, seen, 1000)
	for _, p := range []string{"", " ", "a ", " a", "a  b", "don't", "好", "a1", "{it}"} {
		require.False(t, ownUnits(p), "%q", p)
	}
}

func BenchmarkLexicon(b *testing.B) {
	for b.Loop() {
		readLexicon()
	}
}
