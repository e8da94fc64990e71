package memtree_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/curation"
	"github.com/memtree/memtree/ledger"
)

// A decision of another person is not overwritten or taken back unless the caller sets over.
func TestDecisionsOfOthers(t *testing.T) {
	m := crowded(t, 20)
	c, right, wrong := m.Curation(), true, false
	max, lea := curation.Options{By: "max"}, curation.Options{By: "lea"}
	over := curation.Options{By: "lea", Over: true}
	theirs := func(err error, by string) *curation.RefusedError {
		t.Helper()
		var refused *curation.RefusedError
		require.ErrorAs(t, err, &refused)
		require.Equal(t, curation.Theirs, refused.Why)
		require.Equal(t, by, refused.By)
		return refused
	}
	now := func() ledger.Verdict {
		v, err := c.Evaluation(t.Context(), "run-00400")
		require.NoError(t, err)
		return v
	}
	_, err := c.Relabel(t.Context(), "run-00400", curation.Truth{Correct: &wrong}, max)
	require.NoError(t, err)
	_, err = c.Relabel(t.Context(), "run-00400", curation.Truth{Correct: &right}, lea)
	require.False(t, theirs(err, "max").Labels[0].Correct)
	_, err = c.Undo(t.Context(), "run-00400", lea)
	theirs(err, "max")
	_, err = c.Undo(t.Context(), "", lea)
	theirs(err, "max")
	require.Equal(t, "max", now().By)

	_, err = c.Relabel(t.Context(), "run-00400", curation.Truth{Correct: &right}, over)
	require.NoError(t, err)
	_, err = c.Undo(t.Context(), "", max)
	var refused *curation.RefusedError
	require.ErrorAs(t, err, &refused)
	require.Equal(t, curation.Since, refused.Why, "lea decided after him")
	require.Equal(t, "lea", refused.By)
	_, err = c.Undo(t.Context(), "", lea)
	require.NoError(t, err)
	require.Equal(t, "max", now().By, "his decision stands again")
	require.False(t, now().Correct)
	_, err = c.Undo(t.Context(), "", lea)
	theirs(err, "max")
	_, err = c.Undo(t.Context(), "run-00400", over)
	require.NoError(t, err)
	require.False(t, now().Labelled)
	_, err = c.Relabel(t.Context(), "run-00400", curation.Truth{Correct: &right}, lea)
	require.NoError(t, err, "nobody has decided any more")
}

// The undo of one verdict takes back no label of many: it names that.
func TestUndoOneOfMany(t *testing.T) {
	m := crowded(t, 20)
	c, wrong := m.Curation(), false
	d, err := c.Label(t.Context(), crowd(5), curation.Truth{Correct: &wrong}, curation.Options{By: "max"})
	require.NoError(t, err)
	for _, id := range []string{"run-00402", d.Verdicts[1].Node} {
		_, err = c.Undo(t.Context(), id, curation.Options{By: "max"})
		var refused *curation.RefusedError
		require.ErrorAs(t, err, &refused)
		require.Equal(t, curation.Several, refused.Why)
		require.Equal(t, d.Action.ID, refused.Now)
		require.Len(t, refused.Labels, 5)
	}
	_, err = c.Undo(t.Context(), d.Action.ID, curation.Options{By: "max"})
	require.NoError(t, err)
}

// A pin, a ban or the text of another person stays.
func TestPinsOfOthers(t *testing.T) {
	m := crowded(t, 20)
	c, wrong := m.Curation(), false
	d, err := c.Label(t.Context(), crowd(1), curation.Truth{Correct: &wrong}, curation.Options{By: "max"})
	require.NoError(t, err)
	id := d.Verdicts[0].Node
	_, err = c.Pin(t.Context(), id, curation.Options{By: "max"})
	require.NoError(t, err)
	var refused *curation.RefusedError
	_, err = c.Ban(t.Context(), id, curation.Options{By: "lea"})
	require.ErrorAs(t, err, &refused)
	require.Equal(t, curation.Theirs, refused.Why)
	require.ErrorContains(t, err, "max decided otherwise (pin "+id+")")
	_, err = c.Ban(t.Context(), id, curation.Options{By: "lea", Over: true})
	require.NoError(t, err)
}
