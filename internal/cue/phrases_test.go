package cue

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/internal/golden"
	"github.com/memtree/memtree/taxonomy"
)

// The stored phrases are those of the built-in checks.
func TestPhrases(t *testing.T) {
	var b []byte
	for sort := range sorts {
		b = append(b, compiled(phrasesOf(taxonomy.Default().Checks(), sort))...)
	}
	golden.Bytes(t, "phrases.flat", b)
}

// Phrases that begin alike are visited in the order in which they were given, with their numbers.
func TestPhrasesInOrder(t *testing.T) {
	phrases := []Phrase{
		{3, "never clicked", 0.3}, {1, "total … #", -2.5}, {2, "never … saw", 1e-9}, {0, "没…点", 7}, {5, "…", 1},
		{4, "never clicks", 4}, {9, "没有", 1.0 / 3},
	}
	var found []Phrase
	NewMatcher(Gap, phrases).Find(Read("It never clicked nor saw a total of 3. 没有点"), func(p Phrase) {
		found = append(found, p)
	})
	require.Equal(t, []Phrase{phrases[0], phrases[2], phrases[5], phrases[1], phrases[3], phrases[6]}, found)
}
