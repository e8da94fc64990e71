package memtree_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/curation"
	"github.com/memtree/memtree/tree"
)

// TestABannedSentenceDoesNotComeBackByAnEdit: no edit of another lesson has a sentence that a person banned, unless it
// is meant. Whoever means it is obeyed, as later than the ban.
func TestABannedSentenceDoesNotComeBackByAnEdit(t *testing.T) {
	const bad, when = "Add up the tax lines by hand before you judge an invoice.", "an invoice is shown"
	m := summed(t, 4)
	ann, bob := curation.Options{By: "ann"}, curation.Options{By: "bob"}
	teach := func(lesson string) tree.Node {
		d, err := m.Curation().Teach(t.Context(), curation.TaughtLesson{Lesson: lesson, When: []string{when}}, ann)
		require.NoError(t, err)
		return d.Changes[0].Node
	}
	learned := liveOf(t, m, tree.Experience)[0]
	banned, taught := teach(bad), teach("Open the list of lines first and read all of it.")
	_, err := m.Curation().Ban(t.Context(), banned.ID, ann)
	require.NoError(t, err)
	for _, n := range []tree.Node{taught, learned} {
		d := curation.DraftOf(&n)
		d.Lessons[0].Check = bad
		_, err := m.Curation().Edit(t.Context(), n.ID, d, curation.Options{By: "ann"})
		var no *curation.RefusedError
		require.ErrorAs(t, err, &no)
		require.Equal(t, curation.Banned, no.Why)
		require.Equal(t, banned.ID, no.ID)
		require.Equal(t, "ann", no.By)
		same, err := m.Tree().Get(t.Context(), n.ID)
		require.NoError(t, err)
		require.Equal(t, n.Content, same.Content)
	}
	d := curation.DraftOf(&taught)
	d.Lessons[0].Check, bob.Over = bad, true
	_, err = m.Curation().Edit(t.Context(), taught.ID, d, bob)
	require.NoError(t, err)
	g, err := m.Guide(t.Context(), memtree.Query{Prompt: "Check that an invoice is shown"})
	require.NoError(t, err)
	require.Contains(t, g.Text, bad)
	problems(t, m)
}
