package memtree_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/curation"
	"github.com/memtree/memtree/transfer"
	"github.com/memtree/memtree/tree"
)

// waitingLesson returns a memory with four imported cases and their lesson, all of which wait, and the file.
func waitingLesson(t *testing.T) (m *memtree.Memory, lesson tree.Node, file []byte) {
	a := summed(t, 4)
	m, file = summed(t, 0), exported(t, a, nil)
	imported(t, m, file, nil)
	return m, liveOf(t, a, tree.Experience)[0], file
}

// A ban of a lesson that waits in quarantine holds as any other: its cases give nothing of it once they are promoted,
// it is not learned again, and it leaves with an export. An undo lets it wait again.
func TestABanOfAWaitingLessonHolds(t *testing.T) {
	m, lesson, file := waitingLesson(t)
	by := curation.Options{By: "ann"}
	_, err := m.Curation().Ban(t.Context(), lesson.ID, by)
	require.NoError(t, err)
	require.Equal(t, 1, exportSummary(t, m, nil).Tombstones)

	p, err := m.Transfer().Promote(t.Context(), &transfer.PromoteOptions{ErrorType: lesson.ErrorType})
	require.NoError(t, err)
	require.Len(t, p.Changes, len(lesson.Children), "its cases")
	require.Empty(t, p.Refused)
	silent := func() {
		g, err := m.Guide(t.Context(), memtree.Query{Prompt: sumRun("", "order", 1).Prompt})
		require.NoError(t, err)
		for _, l := range lesson.Content.Lessons {
			require.NotContains(t, g.Text, l.Check)
		}
		require.Empty(t, liveOf(t, m, tree.Experience))
		problems(t, m)
	}
	silent()
	evolve(t, m)
	silent()
	imported(t, m, file, &transfer.ImportOptions{Trust: true})
	evolve(t, m)
	silent()
}

// A banned case that waited stays banned when the same run is recorded here.
func TestABanOfAWaitingCaseHolds(t *testing.T) {
	m, lesson, _ := waitingLesson(t)
	id := lesson.Children[0]
	_, err := m.Curation().Ban(t.Context(), id, curation.Options{By: "ann"})
	require.NoError(t, err)
	for i, s := range subjects[:4] {
		e := sumRun("r"+s, s, i+5)
		require.NoError(t, m.Record(t.Context(), e))
	}
	evolve(t, m)
	n, err := m.Tree().Get(t.Context(), id)
	require.NoError(t, err)
	require.Equal(t, tree.Banned, n.Mark)
	for _, e := range liveOf(t, m, tree.Experience) {
		require.False(t, slices.Contains(e.Children, id))
	}
	problems(t, m)
}
