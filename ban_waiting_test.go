package memtree_test

import (
	"context"
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
	require.Empty(t, imported(t, m, file, nil).Changes, "importing again changes nothing")
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
	var field *tree.FieldError
	_, err = m.Transfer().Promote(t.Context(), &transfer.PromoteOptions{IDs: []string{lesson.ID}})
	require.ErrorAs(t, err, &field)
	require.Contains(t, field.Problem, "banned")
	silent()
	evolve(t, m)
	silent()
	imported(t, m, file, &transfer.ImportOptions{Trust: true})
	evolve(t, m)
	silent()
}

// undecided returns nodes without their history and decisions.
func undecided(list []tree.Node) []tree.Node {
	for i := range list {
		list[i].Decision = nil
	}
	return withoutHistory(list)
}

func TestAnUndoneBanLetsAnImportWaitAgain(t *testing.T) {
	m, lesson, _ := waitingLesson(t)
	was := nodes(t, m)
	by := curation.Options{By: "ann"}
	_, err := m.Curation().Ban(t.Context(), lesson.ID, by)
	require.NoError(t, err)
	_, err = m.Curation().Undo(t.Context(), "", by)
	require.NoError(t, err)
	require.Equal(t, undecided(was), undecided(nodes(t, m)))
	_, err = m.Transfer().Promote(t.Context(), &transfer.PromoteOptions{IDs: []string{lesson.ID}})
	require.NoError(t, err)
	evolve(t, m)
	require.Equal(t, lesson.ID, liveOf(t, m, tree.Experience)[0].ID)
	problems(t, m)
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

// An undo of a ban or forget takes it back whole: every memory, guidance and the counts are as before.
func TestUndoTakesANoBackWhole(t *testing.T) {
	for _, said := range []tree.DecisionKind{tree.DecisionBan, tree.DecisionForget} {
		m := summed(t, 4)
		q, by := memtree.Query{Prompt: sumRun("", "order", 1).Prompt}, curation.Options{By: "ann"}
		was, before := nodes(t, m), guideOf(t, m, q)
		for _, n := range was {
			do := map[tree.DecisionKind]func(context.Context, string, curation.Options) (curation.DecisionResult, error){
				tree.DecisionBan: m.Curation().Ban, tree.DecisionForget: m.Curation().Forget}[said]
			_, err := do(t.Context(), n.ID, by)
			require.NoError(t, err)
			_, err = m.Curation().Undo(t.Context(), "", by)
			require.NoError(t, err)
			require.Equal(t, undecided(was), undecided(nodes(t, m)), "%s of %s", said, n.ID)
			require.Equal(t, before.Text, guideOf(t, m, q).Text)
			problems(t, m)
		}
	}
}

// A file that is imported again gives a banned lesson none of its cases back, trusted or not.
func TestAnImportGivesABannedLessonNoCases(t *testing.T) {
	a := summed(t, 4)
	file, lesson := exported(t, a, nil), liveOf(t, a, tree.Experience)[0]
	_, err := a.Curation().Ban(t.Context(), lesson.ID, curation.Options{By: "ann"})
	require.NoError(t, err)
	for _, trust := range []bool{false, true} {
		imported(t, a, file, &transfer.ImportOptions{Trust: trust})
		for _, n := range liveOf(t, a, tree.Case) {
			require.Empty(t, n.Parent)
		}
		require.Empty(t, imported(t, a, file, &transfer.ImportOptions{Trust: trust}).Changes)
	}
	problems(t, a)
}
