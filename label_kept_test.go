package memtree_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/curation"
	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// A person's label stays when the run is recorded with another first truth: that is refused in the person's name, forms
// no case and is not lost, since it is accepted once the label was undone.
func TestLabelOutlastsAFirstTruth(t *testing.T) {
	m, err := memtree.Open(t.Context(), t.TempDir(), nil)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, m.Close()) })
	c, right, wrong := m.Curation(), true, false
	ann := curation.Options{By: "ann"}
	run := func(id, truth string) memtree.Evaluation {
		e := memtree.Evaluation{ID: id, CaseID: "case-" + id, Prompt: "Check the total of the cart " + id,
			Judgment: tree.Raw(`{"passed":true}`)}
		if truth != "" {
			e.GroundTruth = tree.Raw(truth)
		}
		return e
	}
	record := func(e memtree.Evaluation) error {
		defer func() { require.NoError(t, m.Wait(t.Context())) }()
		return m.Record(t.Context(), e)
	}
	const passed, failed = `{"passed":true}`, `{"passed":false}`
	for id, truth := range map[string]curation.Truth{
		"right": {Correct: &right}, "environment": {Direction: taxonomy.Environment},
		"wrong": {Correct: &wrong, Direction: "false_pass", Reason: "It did not add up the items."},
	} {
		require.NoError(t, record(run(id, "")))
		_, err := c.Relabel(t.Context(), id, truth, ann)
		require.NoError(t, err)
		was, err := c.Evaluation(t.Context(), id)
		require.NoError(t, err)
		had, other := cases(t, m), failed
		if id == "wrong" {
			other = passed
		}
		for _, x := range []string{other, `"the items add up, or so it seemed to the one who looked"`} {
			err = record(run(id, x))
			require.ErrorIs(t, err, store.ErrContradiction, id)
			var labelled *store.LabelledError
			require.ErrorAs(t, err, &labelled)
			require.Equal(t, "ann", labelled.By)
		}
		require.Equal(t, had, cases(t, m), id)
		now, err := c.Evaluation(t.Context(), id)
		require.NoError(t, err)
		require.Equal(t, was, now)
		require.NoError(t, record(run(id, "")), "as it was recorded")

		receipts, err := m.RecordAll(t.Context(), []memtree.Evaluation{run(id, other), run("new "+id, failed)})
		require.NoError(t, err)
		require.Equal(t, store.Contradiction, receipts[0].Status)
		require.Equal(t, store.Receipt{Key: "new " + id, Status: store.Accepted}, receipts[1], "the others are accepted")
		require.NoError(t, m.Wait(t.Context()))

		_, err = c.Undo(t.Context(), id, ann)
		require.NoError(t, err)
		require.NoError(t, record(run(id, other)), "nobody decided any more")
	}

	// A truth that agrees is accepted, and so is a run as it was recorded, whatever a person decided since.
	require.NoError(t, record(run("agreed", "")))
	_, err = c.Relabel(t.Context(), "agreed", curation.Truth{Correct: &right}, ann)
	require.NoError(t, err)
	require.NoError(t, record(run("agreed", passed)))
	require.NoError(t, record(run("mended", failed)))
	_, err = c.Relabel(t.Context(), "mended", curation.Truth{Correct: &right}, ann)
	require.NoError(t, err)
	require.NoError(t, record(run("mended", failed)))
	now, err := c.Evaluation(t.Context(), "mended")
	require.NoError(t, err)
	require.True(t, now.Correct)
}
