package memtree_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/curation"
	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/tree"
)

// problems holds that nothing breaks a law.
func problems(t *testing.T, m *memtree.Memory) {
	t.Helper()
	_, err := m.Verify(context.Background(), func(problem error) { t.Error(problem) })
	require.NoError(t, err)
}

func relabel(t *testing.T, m *memtree.Memory, id, truth string) curation.DecisionResult {
	t.Helper()
	d, err := m.Curation().Relabel(t.Context(), id, curation.Truth{GroundTruth: tree.Raw(truth)},
		curation.Options{By: "ann"})
	require.NoError(t, err)
	problems(t, m)
	return d
}

// A wrong truth is corrected: the case goes, and what was learned from it.
func TestRelabelRight(t *testing.T) {
	m := summed(t, 4)
	n := caseOf(t, m, "r1")
	d := relabel(t, m, "r1", `{"verdict":"pass"}`)
	require.True(t, d.Verdict.Correct)
	require.Len(t, d.Stood, 1)
	gone, err := m.Tree().Get(t.Context(), n.ID)
	require.NoError(t, err)
	require.False(t, gone.Live())
	evolve(t, m)
	require.Equal(t, withoutHistory(liveOf(t, summedBut(t, 4, "r1"), tree.Experience)),
		withoutHistory(liveOf(t, m, tree.Experience)), "as if it had been right from the start")

	var refused *curation.RefusedError
	_, err = m.Curation().Relabel(t.Context(), "r1", curation.Truth{GroundTruth: tree.Raw(`{"verdict":"pass"}`),
		Run: new(sumRun("r1", "cart", 5))}, curation.Options{})
	require.ErrorAs(t, err, &refused, "nothing new")
	var unkept *curation.UnkeptError
	_, err = m.Curation().Relabel(t.Context(), "r1", curation.Truth{GroundTruth: tree.Raw(`{"verdict":"fail"}`)},
		curation.Options{})
	require.ErrorAs(t, err, &unkept, "what it said is handed in again")

	_, err = m.Curation().Undo(t.Context(), "r1", curation.Options{By: "ann"})
	require.NoError(t, err)
	problems(t, m)
	evolve(t, m)
	require.Len(t, liveOf(t, m, tree.Experience)[0].Children, 4)
	require.Equal(t, n.ID, caseOf(t, m, "r1").ID)
	back := verdictOf(t, m, "r1")
	require.False(t, back.Correct)
	require.Equal(t, n.ID, back.Node)
}

// verdictOf returns the last verdict of an evaluation in the ledger.
func verdictOf(t *testing.T, m *memtree.Memory, id string) (v ledger.Verdict) {
	t.Helper()
	for e, err := range m.Tree().Ledger(t.Context(), 0) {
		require.NoError(t, err)
		if e.Verdict != nil && e.Verdict.Evaluation == id {
			v = *e.Verdict
		}
	}
	return v
}

func TestRelabelOtherTruth(t *testing.T) {
	m := summed(t, 4)
	n := caseOf(t, m, "r1")
	d := relabel(t, m, "r1", `{"verdict":"fail","defect":"the tax is missing"}`)
	require.False(t, d.Verdict.Correct)
	require.NotEqual(t, n.ID, d.Verdict.Node)
	now := caseOf(t, m, "r1")
	if now.ID == n.ID { // both name the evaluation
		got, err := m.Tree().Get(t.Context(), d.Verdict.Node)
		require.NoError(t, err)
		now = got
	}
	require.True(t, now.Live())
	require.Contains(t, string(now.CaseData.TestCase.GroundTruth), "tax")
	relabel(t, m, "r1", `{"verdict":"fail"}`)
	was, err := m.Tree().Get(t.Context(), n.ID)
	require.NoError(t, err)
	require.True(t, was.Live(), "the first truth was right after all")
	for range 2 {
		_, err = m.Curation().Undo(t.Context(), "", curation.Options{By: "ann"})
		require.NoError(t, err)
		problems(t, m)
	}
	was, err = m.Tree().Get(t.Context(), n.ID)
	require.NoError(t, err)
	require.True(t, was.Live())
	require.False(t, verdictOf(t, m, "r1").Correct)
}

// A run that was right is wrong after all. Its content was not stored, so it is passed in again.
func TestRelabelWrong(t *testing.T) {
	m := summed(t, 3)
	right := sumRun("ok", "order", 9)
	right.GroundTruth, right.Reason = tree.Raw(`{"verdict":"pass"}`), ""
	require.NoError(t, m.Record(t.Context(), right))
	require.NoError(t, m.Wait(t.Context()))
	d, err := m.Curation().Relabel(t.Context(), "ok", curation.Truth{
		GroundTruth: tree.Raw(`{"verdict":"fail"}`), Run: &right, Reason: sumRun("", "order", 9).Reason,
	}, curation.Options{})
	require.NoError(t, err)
	require.NotEmpty(t, d.Verdict.Node)
	evolve(t, m)
	require.Len(t, liveOf(t, m, tree.Experience)[0].Children, 4)
	_, err = m.Curation().Undo(t.Context(), "", curation.Options{})
	require.NoError(t, err)
	evolve(t, m)
	require.Len(t, liveOf(t, m, tree.Experience)[0].Children, 3)
	require.True(t, verdictOf(t, m, "ok").Correct)
	problems(t, m)
}

// Two runs made the mistake of a case; it stays when the truth of one was wrong.
func TestRelabelOneOfTwo(t *testing.T) {
	m := summed(t, 4)
	require.NoError(t, m.Record(t.Context(), sumRun("r9", "cart", 20)))
	require.NoError(t, m.Wait(t.Context()))
	n := caseOf(t, m, "r9")
	require.Len(t, n.Occurrences, 2)
	relabel(t, m, "r9", `{"verdict":"pass"}`)
	now, err := m.Tree().Get(t.Context(), n.ID)
	require.NoError(t, err)
	require.True(t, now.Live())
	require.Len(t, now.Occurrences, 1)
	require.Equal(t, now.Metadata.CreatedAt, now.Metadata.UpdatedAt)
	_, err = m.Curation().Undo(t.Context(), "", curation.Options{By: "ann"})
	require.NoError(t, err)
	now, err = m.Tree().Get(t.Context(), n.ID)
	require.NoError(t, err)
	require.Len(t, now.Occurrences, 2)
	evolve(t, m)
	problems(t, m)
}

func TestRelabelNames(t *testing.T) {
	m := summed(t, 0)
	for i, id := range []string{"night-1", "night-2", "day"} {
		e := sumRun(id, subjects[i], 5)
		e.RunID = "run-" + id[:3]
		require.NoError(t, m.Record(t.Context(), e))
	}
	require.NoError(t, m.Wait(t.Context()))
	pass := curation.Truth{GroundTruth: tree.Raw(`{"verdict":"pass"}`)}
	var several *curation.SeveralError
	_, err := m.Curation().Relabel(t.Context(), "night", pass, curation.Options{})
	require.ErrorAs(t, err, &several)
	require.Equal(t, []string{"night-1", "night-2"}, several.Evaluations)
	_, err = m.Curation().Relabel(t.Context(), "run-nig", pass, curation.Options{})
	require.ErrorAs(t, err, &several)
	_, err = m.Curation().Relabel(t.Context(), "nobody", pass, curation.Options{})
	require.ErrorIs(t, err, tree.ErrNotFound)
	d, err := m.Curation().Relabel(t.Context(), "run-day", pass, curation.Options{DryRun: true})
	require.NoError(t, err)
	require.Equal(t, "day", d.Verdict.Evaluation)
	require.False(t, verdictOf(t, m, "day").Correct, "a dry run writes nothing")
	var field *tree.FieldError
	_, err = m.Curation().Relabel(t.Context(), "day", curation.Truth{GroundTruth: tree.Raw(`{`)}, curation.Options{})
	require.ErrorAs(t, err, &field)
	_, err = m.Curation().Relabel(t.Context(), "day", curation.Truth{GroundTruth: tree.Raw(`"flaky"`)}, curation.Options{})
	require.ErrorAs(t, err, &field, "what cannot be compared")
}

// Risk learns the new truth, as if it had never learned the other.
func TestRelabelTeachesRisk(t *testing.T) {
	m, other := summed(t, 0), summed(t, 0)
	var q tree.Evaluation
	for i := range 60 {
		e := sumRun(fmt.Sprintf("r%d", i), subjects[i%8], i%25+1)
		e.RunID = fmt.Sprint("run", i)
		if i%3 == 0 {
			e.GroundTruth, e.Reason = tree.Raw(`{"verdict":"pass"}`), ""
		}
		require.NoError(t, m.Record(t.Context(), e))
		if i == 4 {
			e.GroundTruth = tree.Raw(`{"verdict":"pass"}`)
		}
		require.NoError(t, other.Record(t.Context(), e))
		q = e
	}
	q.ID, q.GroundTruth = "", nil
	require.NoError(t, m.Wait(t.Context()))
	require.NoError(t, other.Wait(t.Context()))
	before, err := m.Risk(t.Context(), q)
	require.NoError(t, err)
	relabel(t, m, "r4", `{"verdict":"pass"}`)
	now, err := m.Risk(t.Context(), q)
	require.NoError(t, err)
	want, err := other.Risk(t.Context(), q)
	require.NoError(t, err)
	require.Equal(t, want.P, now.P)
	require.NotEqual(t, before.P, now.P)
}

// A label there and back with the run handed in as it was recorded is the case again, with what the evaluator noted.
func TestRelabelThereAndBackIsTheSameCase(t *testing.T) {
	m := summed(t, 4)
	was := caseOf(t, m, "r1")
	relabel(t, m, "r1", `{"verdict":"pass"}`)
	_, err := m.Curation().Relabel(t.Context(), "r1", curation.Truth{GroundTruth: tree.Raw(`{"verdict":"fail"}`),
		Run: new(sumRun("r1", "cart", 5))}, curation.Options{By: "ann"})
	require.NoError(t, err)
	now := caseOf(t, m, "r1")
	require.Equal(t, was.ID, now.ID)
	require.True(t, now.Live())
	require.Equal(t, was.CaseData, now.CaseData)
	problems(t, m)
	evolve(t, m)
	require.Len(t, liveOf(t, m, tree.Experience)[0].Children, 4)
}
