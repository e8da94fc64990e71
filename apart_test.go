package memtree_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/curation"
	"github.com/memtree/memtree/effect"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// TestApart: a run that shows nothing about its judge is counted, and nothing learns from it, even if its file has a
// ground truth. It does not wait for a label, but a person may give it one.
func TestApart(t *testing.T) {
	ctx := t.Context()
	m, err := memtree.Open(ctx, "", &memtree.Options{Deadline: time.Minute, InMemory: true})
	require.NoError(t, err)
	defer func() { require.NoError(t, m.Close()) }()
	record := func(id string, x tree.Excuse, way taxonomy.Direction) {
		err := m.Record(ctx, memtree.Evaluation{ID: id, Prompt: "check " + id, Judgment: tree.Quote("pass"),
			GroundTruth: tree.Quote("fail"), Excuse: x, Direction: way})
		require.NoError(t, err)
	}
	record("healed", tree.Healed, "")
	record("retried", tree.Retried, "")
	record("offline", tree.Environment, "")
	record("said", "", taxonomy.Environment)
	require.NoError(t, m.Wait(ctx))
	apart := func() effect.Apart {
		s, err := effect.StatsOf(m.Tree().Ledger(ctx, 0))
		require.NoError(t, err)
		return s.Apart
	}
	require.Equal(t, effect.Apart{N: 4, Healed: 1, Retried: 1, Environment: 1, Named: 1}, apart())
	known := func() int {
		r, err := m.Risk(ctx, memtree.Evaluation{Prompt: "new", Judgment: tree.Quote("pass")})
		require.NoError(t, err)
		return r.Known
	}
	require.Zero(t, known())
	info, err := m.Tree().Info(ctx)
	require.NoError(t, err)
	require.Zero(t, info.Nodes, "no case")
	box, err := m.Inbox().List(ctx, 0)
	require.NoError(t, err)
	require.Zero(t, box.Total, "nobody is asked")

	label := func(id string, truth curation.Truth) curation.Labelled {
		d, err := m.Curation().Label(ctx, []string{id}, truth, curation.Options{By: "ann"})
		require.NoError(t, err)
		require.NoError(t, m.Wait(ctx))
		return d
	}
	d := label("healed", curation.Truth{Correct: new(false)})
	require.Len(t, d.Verdicts, 1, "a person outweighs the excuse of a report")
	require.Equal(t, 3, apart().N)
	require.Equal(t, 1, known())

	d = label("said", curation.Truth{Correct: new(true)})
	require.Len(t, d.Decided, 1, "a person's or file's own classification stays")

	err = m.Record(ctx, memtree.Evaluation{ID: "open", Prompt: "check open", Judgment: tree.Quote("pass")})
	require.NoError(t, err)
	require.NoError(t, m.Wait(ctx))
	label("open", curation.Truth{Direction: taxonomy.Environment})
	require.Equal(t, 4, apart().N)
	require.Equal(t, 1, known())
	box, err = m.Inbox().List(ctx, 0)
	require.NoError(t, err)
	require.Zero(t, box.Total)

	apartNow := curation.Truth{Direction: taxonomy.Environment}
	_, err = m.Curation().Relabel(ctx, "healed", apartNow, curation.Options{By: "ann"})
	require.NoError(t, err)
	require.NoError(t, m.Wait(ctx))
	require.Zero(t, known(), "what was learned of it is forgotten")
	_, err = m.Curation().Undo(ctx, "healed", curation.Options{By: "ann"})
	require.NoError(t, err)
	require.NoError(t, m.Wait(ctx))
	require.Equal(t, 1, known())
}
