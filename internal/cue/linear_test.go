package cue

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/taxonomy"
)

// Tokens determine the kind. A kind without sentences is as likely as by chance, and so is every kind when no token of
// the text is known.
func TestLinear(t *testing.T) {
	l := fit([][]string{
		{"add the lines up", "the lines add up to less", "add it up"},
		nil,
		{"wait for the spinner", "the spinner was still there", "wait for it"},
	})
	require.Equal(t, []int{0, 2}, l.of)
	scores := make([]float64, 3)
	l.add(scores, "nobody would add these lines", 1)
	require.Greater(t, scores[0], scores[1])
	require.Greater(t, scores[1], scores[2])
	require.InDelta(t, math.Log(1.0/3+leastFound), scores[1], 1e-9)

	clear(scores)
	l.add(scores, "完全不同的话", 1)
	require.InDelta(t, scores[0], scores[2], 1e-9)
	clear(scores)
	l.add(scores, "", 1)
	require.Equal(t, []float64{0, 0, 0}, scores)
	require.Zero(t, fit([][]string{nil, nil}).words.Len())
}

// A team's own sentences are learned. A check without any is found by its phrases.
func TestOwnChecks(t *testing.T) {
	own := `checks:
  - id: t_torque
    name: torque
    errorTypes: [content_validation_error]
    missed: {do: Read the torque off the wrench.}
    said: [{weight: 3, say: [newton metres]}]
`
	words := `    examples:
      - the bolt was tightened by hand
      - nobody looked at the torque wrench
      - bolt came loose in the torque test
      - torque on the bolt was guessed
`
	loose := MissTexts{Said: []string{"That bolt, and its torque."}, Direction: taxonomy.FalsePass}
	for source, want := range map[string]string{own: "", own + words: "t_torque"} {
		tax, err := taxonomy.Parse("t.yaml", []byte(source))
		require.NoError(t, err)
		c := NewCatalogue(tax)
		r, _ := c.Missed(loose)
		require.Equal(t, want, r.Check)
		r, ok := c.Missed(MissTexts{Said: []string{"It says 40 newton metres."}, Direction: taxonomy.FalsePass})
		require.True(t, ok)
		require.Equal(t, "t_torque", r.Check)
	}
}

// The stored models are used for the built-in sentences and for no others.
func TestLearnedOnlyWhereTheSame(t *testing.T) {
	s := sentencesOf(taxonomy.Default().Checks())
	require.Equal(t, stored().key, keyOf(s))
	for sort := range s {
		s[sort] = append(s[sort], nil) // a check of a team, without sentences
	}
	require.Equal(t, stored().key, keyOf(s))
	s[notes][0] = append([]string{"one more"}, s[notes][0]...)
	require.NotEqual(t, stored().key, keyOf(s))
}
