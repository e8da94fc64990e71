package enhance

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// If nobody explained a wrong run, the guidance for the very test names the check that its
// prompt calls for.
func TestSupposed(t *testing.T) {
	n := tree.Node{ID: "c_1", Type: tree.Case, Direction: taxonomy.FalsePass,
		CaseData: &tree.CaseData{Misses: []tree.Miss{{From: tree.FromRules}}}}
	o := Options{Lang: "en", Asked: []string{"no_such_check", "recompute"}, Here: []string{"c_1"}}
	g, err := Write([]tree.Node{n}, o)
	require.NoError(t, err)
	require.Contains(t, g.Text, "Add up")
	require.Empty(t, n.CaseData.Misses[0].Check, "the memory itself stays as it is")

	o.Here = nil // another test: nothing is known of it
	g, err = Write([]tree.Node{n}, o)
	require.NoError(t, err)
	require.Empty(t, g.Text)
	n.CaseData.Misses[0].How = "It did not scroll down."
	o.Here = []string{"c_1"}
	g, err = Write([]tree.Node{n}, o)
	require.NoError(t, err)
	require.NotContains(t, g.Text, "Add up", "what a person said comes first")
}

// A strategy has the checks of many tasks. Of those that the prompt calls for it tells, and of no
// others; where it calls for none, the strategy was found by its words and stays whole.
func TestStrategyTellsWhatIsAsked(t *testing.T) {
	n := tree.Node{ID: "s_1", Type: tree.Strategy, Level: 3, Direction: taxonomy.FalsePass,
		ErrorType: "content_validation_error", Content: tree.Content{Lessons: []tree.Lesson{
			{Kind: "exact_text", Check: "Compare the wording.", From: tree.FromCatalogue},
			{Kind: "recompute", Check: "Add up the items.", From: tree.FromCatalogue},
		}}}
	tell := func(asked ...string) string {
		g, err := Write([]tree.Node{n}, Options{Lang: "en", Asked: asked})
		require.NoError(t, err)
		return g.Text
	}
	require.Contains(t, tell("recompute"), "Add up")
	require.NotContains(t, tell("recompute"), "word by word")
	require.Contains(t, tell("bad_input", "recompute", "exact_text"), "Add up", "the surest comes first")
	require.Contains(t, tell("bad_input"), "word by word")
	require.Len(t, n.Content.Lessons, 2, "the memory itself stays as it is")
}
