package memtree_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/curation"
	"github.com/memtree/memtree/effect"
	"github.com/memtree/memtree/find"
	"github.com/memtree/memtree/tree"
)

// A run without a truth waits for a person; once labelled, it is a case, an outcome, and evidence for risk; with the
// label taken back, it waits again. All of that outlives the process.
func TestInbox(t *testing.T) {
	dir := t.TempDir()
	never := effect.Holdout{}
	open := func() *memtree.Memory {
		t.Helper()
		m, err := memtree.Open(t.Context(), dir, &memtree.Options{Deadline: 10 * time.Second, Holdout: &never})
		require.NoError(t, err)
		return m
	}
	m := open()
	require.NoError(t, m.Record(t.Context(), memtree.Evaluation{
		ID: "first", CaseID: "A", Prompt: "Check the total of the cart",
		Judgment: tree.Raw(`"pass"`), GroundTruth: tree.Raw(`"fail"`), Reason: "It did not add up the items."}))
	require.NoError(t, m.Wait(t.Context()))
	g, err := m.Guide(t.Context(), memtree.Query{Prompt: "Check the total of the cart", RunID: "r2"})
	require.NoError(t, err)
	require.NotEmpty(t, g.Trial)
	secret := "password=hunter2hunter2"
	for _, id := range []string{"second", "third"} {
		e := memtree.Evaluation{ID: id, CaseID: "B", RunID: "r-" + id, Prompt: "Check the total of the cart " + secret,
			Judgment: tree.Raw(`"pass"`)}
		if id == "second" {
			e.Trial = g.Trial
		}
		require.NoError(t, m.Record(t.Context(), e))
	}
	require.NoError(t, m.Wait(t.Context()))
	waiting := func() (out []string) {
		t.Helper()
		box, err := m.Inbox().List(t.Context(), 0)
		require.NoError(t, err)
		require.Equal(t, len(box.Waiting), box.Total)
		for _, u := range box.Waiting {
			require.NotContains(t, u.Evaluation.Prompt, "hunter2", "what waits has no secrets")
			out = append(out, u.Evaluation.ID)
		}
		return out
	}
	require.ElementsMatch(t, []string{"second", "third"}, waiting())
	box, err := m.Inbox().List(t.Context(), 1)
	require.NoError(t, err)
	require.Len(t, box.Waiting, 1)
	require.Equal(t, 2, box.Total)

	require.NoError(t, m.Close())
	m = open()
	wrong := false
	d, err := m.Curation().Relabel(t.Context(), "second", curation.Truth{Correct: &wrong, Direction: "false_pass",
		Reason: "The items add up to another sum."}, curation.Options{By: "ann"})
	require.NoError(t, err)
	require.NotEmpty(t, d.Verdict.Node, "it is a case now")
	require.NotEmpty(t, d.Verdict.Features, "risk learns of it")
	require.Equal(t, []string{"third"}, waiting())
	outcomes := func() (n int) {
		t.Helper()
		r, err := m.Effect(t.Context())
		require.NoError(t, err)
		return r.Outcomes.Known
	}
	require.Equal(t, 1, outcomes())

	require.NoError(t, m.Close())
	m = open()
	_, err = m.Curation().Undo(t.Context(), "second", curation.Options{By: "ann"})
	require.NoError(t, err)
	require.ElementsMatch(t, []string{"second", "third"}, waiting())
	require.Zero(t, outcomes())
	right := true
	_, err = m.Curation().Relabel(t.Context(), "second", curation.Truth{Correct: &right}, curation.Options{})
	require.NoError(t, err)
	require.Equal(t, 1, outcomes())

	// Who records it again with a truth needs no person.
	require.NoError(t, m.Record(t.Context(), memtree.Evaluation{ID: "third", CaseID: "B", RunID: "r-third",
		Prompt: "Check the total of the cart " + secret, Judgment: tree.Raw(`"pass"`), GroundTruth: tree.Raw(`"fail"`)}))
	require.NoError(t, m.Wait(t.Context()))
	require.Empty(t, waiting())
	require.NoError(t, m.Close())
}

// What is purged is gone from the inbox too, on disk.
func TestInboxIsPurged(t *testing.T) {
	dir := t.TempDir()
	m, err := memtree.Open(t.Context(), dir, nil)
	require.NoError(t, err)
	require.NoError(t, m.Record(t.Context(), memtree.Evaluation{ID: "one", Prompt: "Check the canary in the cart",
		Judgment: tree.Raw(`"pass"`)}))
	require.NoError(t, m.Wait(t.Context()))
	wrong := false
	d, err := m.Curation().Relabel(t.Context(), "one", curation.Truth{Correct: &wrong, Direction: "false_pass"},
		curation.Options{})
	require.NoError(t, err)
	require.NoError(t, m.Close())
	m, err = memtree.Open(t.Context(), dir, nil)
	require.NoError(t, err)
	_, err = m.Curation().Forget(t.Context(), d.Verdict.Node, curation.Options{Purge: true, Why: "it is private"})
	require.NoError(t, err)
	require.NoError(t, m.Close())
	require.NoError(t, filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		require.False(t, strings.Contains(string(b), "canary"), path)
		return err
	}))
}

// After Wait everything recorded before is found, in any timing of worker and caller.
func TestInboxAfterWait(t *testing.T) {
	m, err := memtree.Open(t.Context(), "", &memtree.Options{Deadline: time.Minute, InMemory: true})
	require.NoError(t, err)
	defer func() { require.NoError(t, m.Close()) }()
	const at = 100
	for round := range 10 {
		var es []memtree.Evaluation
		for i := range at {
			es = append(es, memtree.Evaluation{ID: strconv.Itoa(round*at + i), Prompt: "Check the total of the cart",
				Judgment: tree.Raw(`"pass"`)})
		}
		_, err := m.RecordAll(t.Context(), es)
		require.NoError(t, err)
		for left := 1; left > 0; { // the wait begins just as the last of them is committed
			info, err := m.Tree().Info(t.Context())
			require.NoError(t, err)
			left = info.Outbox
		}
		require.NoError(t, m.Wait(t.Context()))
		runs, err := m.Inbox().Waiting(t.Context(), find.Query{})
		require.NoError(t, err)
		require.Len(t, runs, (round+1)*at)
	}
}
