package text

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestAbbreviations: the full stop of an abbreviation before a number or a bracket ends no sentence.
func TestAbbreviations(t *testing.T) {
	for s, want := range map[string][]string{
		"The column is called Vol. (ml) since May. Read it.": {"The column is called Vol. (ml) since May.", "Read it."},
		"See No. 5 of the list. Then go on.":                 {"See No. 5 of the list.", "Then go on."},
		"It says no. The list was empty.":                    {"It says no.", "The list was empty."},
		"It was saved. (The toast came late.)":               {"It was saved.", "(The toast came late.)"},
		"The temp. [°C] was wrong.":                          {"The temp. [°C] was wrong."},
	} {
		require.Equal(t, want, Sentences(s))
	}
}
