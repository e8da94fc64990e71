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
