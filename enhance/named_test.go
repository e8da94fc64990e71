package enhance

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// TestNamesWhatIsHere: a memory of another page names no thing that is not at hand.
func TestNamesWhatIsHere(t *testing.T) {
	n := tree.Node{ID: "c_1", Type: tree.Case, Direction: taxonomy.FalsePass, CaseData: &tree.CaseData{
		Misses: []tree.Miss{{Check: "operate_control", What: []string{"Undo button"}, From: tree.FromRules}},
	}}
	const page = "- heading \"Cart\"\n- button \"Pay\"\n- text: one\n- text: two\n"
	for name, c := range map[string]struct {
		o     Options
		named bool
	}{
		"nobody looked":             {Options{Prompt: "Check the cart"}, false},
		"it is not on the page":     {Options{Prompt: "Check the cart", Seen: page}, false},
		"it is on the page":         {Options{Prompt: "Check the cart", Seen: page + "- button \"↩ Undo\"\n"}, true},
		"the prompt names it":       {Options{Prompt: "Check the undo button", Seen: page}, true},
		"it was missed on the page": {Options{Prompt: "Check the cart", Seen: page, Here: []string{"c_1"}}, true},
	} {
		c.o.Lang = "en"
		g, err := Write([]tree.Node{n}, c.o)
		require.NoError(t, err)
		require.Contains(t, g.Text, "Operate", name)
		if c.named {
			require.Contains(t, g.Text, "Undo button", name)
		} else {
			require.NotContains(t, g.Text, "Undo", name)
			require.Contains(t, g.Text, "Operate the buttons the way the task says", name)
		}
	}
	require.Equal(t, []string{"Undo button"}, n.CaseData.Misses[0].What, "the memory itself stays as it is")
}
