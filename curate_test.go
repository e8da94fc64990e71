package memtree_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/curation"
	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/transfer"
	"github.com/memtree/memtree/tree"
)

// sumRun is a run that did not add up a total; runs of several subjects make a lesson.
func sumRun(id, subject string, day int) tree.Evaluation {
	return tree.Evaluation{
		ID: id, CaseID: subject + "-total", At: time.Date(2026, 1, day, 9, 0, 0, 0, time.UTC),
		Scene:    tree.Scene{ID: "SCENE_" + subject, Type: "list", Route: "/" + subject},
		Prompt:   "Check that the " + subject + " total equals the sum of the prices of its lines",
		Judgment: tree.Raw(`{"verdict":"pass"}`), GroundTruth: tree.Raw(`{"verdict":"fail"}`),
		Reason: "The total of the " + subject + " is wrong: the agent did not add up the prices of the lines and compare " +
			"the sum with the shown total number",
	}
}

var subjects = []string{"cart", "invoice", "refund", "voucher", "basket", "order", "quote", "receipt"}

// summed opens a memory with n such runs, and lets it evolve.
func summed(t *testing.T, n int) *memtree.Memory {
	t.Helper()
	m, err := memtree.Open(t.Context(), filepath.Join(t.TempDir(), "store"), &memtree.Options{
		Deadline: 10 * time.Second, Now: func() time.Time {
			return time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
		},
	})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, m.Close()) })
	for i := range n {
		require.NoError(t, m.Record(t.Context(), sumRun(fmt.Sprintf("r%d", i+1), subjects[i], i+5)))
	}
	evolve(t, m)
	return m
}

func evolve(t *testing.T, m *memtree.Memory) {
	t.Helper()
	_, err := m.Evolve(t.Context(), nil)
	require.NoError(t, err)
}

func liveOf(t *testing.T, m *memtree.Memory, kind tree.Type) (out []tree.Node) {
	t.Helper()
	for n, err := range m.Tree().Scan(t.Context(), store.Filter{Level: kind.Level()}) {
		require.NoError(t, err)
		if n.Live() {
			out = append(out, n)
		}
	}
	return out
}

// caseOf returns the case of an evaluation.
func caseOf(t *testing.T, m *memtree.Memory, evaluation string) tree.Node {
	t.Helper()
	for n, err := range m.Tree().Scan(t.Context(), store.Filter{Level: 1}) {
		require.NoError(t, err)
		if slices.ContainsFunc(n.Occurrences, func(o tree.Occurrence) bool { return o.Evaluation == evaluation }) {
			return n
		}
	}
	t.Fatalf("%s has no case", evaluation)
	return tree.Node{}
}

func TestForgetCase(t *testing.T) {
	m := summed(t, 4)
	lesson := liveOf(t, m, tree.Experience)[0]
	n := caseOf(t, m, "r1")
	done, err := m.Curation().Forget(t.Context(), n.ID, curation.Options{By: "ann", Why: "the cart has no total any more"})
	require.NoError(t, err)
	require.Equal(t, lesson.ID, done.Stood[0].ID)
	problems(t, m)
	gone, err := m.Tree().Get(t.Context(), n.ID)
	require.NoError(t, err)
	require.Equal(t, tree.Archived, gone.Status)
	require.Equal(t, "ann", gone.Decision.By)
	require.Equal(t, "forgotten: the cart has no total any more", gone.ArchivedFor)
	require.True(t, liveOf(t, m, tree.Experience)[0].ID == lesson.ID, "the lesson is given until the tree evolves")

	evolve(t, m)
	now := liveOf(t, m, tree.Experience)
	require.Len(t, now, 1)
	require.NotContains(t, slices.Concat(now[0].Children, now[0].Provenance.Cites), n.ID)
	require.Equal(t, withoutHistory(liveOf(t, summedBut(t, 4, "r1"), tree.Experience)), withoutHistory(now),
		"as if it had never been seen")
	require.NoError(t, m.Record(t.Context(), sumRun("r9", "cart", 20)))
	evolve(t, m)
	gone, err = m.Tree().Get(t.Context(), n.ID)
	require.NoError(t, err)
	require.False(t, gone.Live(), "the same evidence does not bring it back")

	var refused *curation.RefusedError
	_, err = m.Curation().Forget(t.Context(), n.ID, curation.Options{})
	require.ErrorAs(t, err, &refused)
	require.Equal(t, curation.Already, refused.Why)
	_, err = m.Curation().Pin(t.Context(), n.ID, curation.Options{})
	require.ErrorAs(t, err, &refused)
	require.Equal(t, curation.Archived, refused.Why)
	_, err = m.Curation().Ban(t.Context(), "c_nobody", curation.Options{})
	require.ErrorIs(t, err, tree.ErrNotFound)

	back, err := m.Curation().Undo(t.Context(), "", curation.Options{By: "ann"})
	require.NoError(t, err)
	require.Equal(t, done.Action.ID, back.Undone.ID)
	evolve(t, m)
	now = liveOf(t, m, tree.Experience)
	require.Len(t, now, 1)
	require.Len(t, now[0].Children, 4, "the case is part of it again")
	_, err = m.Curation().Undo(t.Context(), "", curation.Options{By: "ann"})
	require.ErrorAs(t, err, &refused)
	require.Equal(t, curation.Nothing, refused.Why)
	_, again := m.Evolve(t.Context(), nil)
	require.NoError(t, again)
}

// summedBut is summed without one run.
func summedBut(t *testing.T, n int, but string) *memtree.Memory {
	t.Helper()
	m := summed(t, 0)
	for i := range n {
		if id := fmt.Sprintf("r%d", i+1); id != but {
			require.NoError(t, m.Record(t.Context(), sumRun(id, subjects[i], i+5)))
		}
	}
	evolve(t, m)
	return m
}

// withoutHistory returns nodes without counters and names of trees.
func withoutHistory(list []tree.Node) []tree.Node {
	for i := range list {
		list[i].Revision, list[i].LastChange, list[i].Origin = 0, "", tree.Origin{}
	}
	return list
}

func TestForgetTooMuch(t *testing.T) {
	m := summed(t, 3)
	require.Len(t, liveOf(t, m, tree.Experience), 1)
	_, err := m.Curation().Forget(t.Context(), caseOf(t, m, "r1").ID, curation.Options{})
	require.NoError(t, err)
	evolve(t, m)
	require.Empty(t, liveOf(t, m, tree.Experience), "two cases are too few for a new lesson")
	for _, n := range liveOf(t, m, tree.Case) {
		require.Empty(t, n.Parent)
	}
}

func TestForgetLesson(t *testing.T) {
	m := summed(t, 4)
	lesson := liveOf(t, m, tree.Experience)[0]
	_, err := m.Curation().Forget(t.Context(), lesson.ID, curation.Options{})
	require.NoError(t, err)
	evolve(t, m)
	require.Empty(t, liveOf(t, m, tree.Experience), "not learned again from the same cases")
	for i, s := range subjects[4:7] {
		evolve(t, m)
		require.Empty(t, liveOf(t, m, tree.Experience), "%d new cases are too few", i)
		require.NoError(t, m.Record(t.Context(), sumRun("n"+s, s, 20+i)))
	}
	evolve(t, m)
	again := liveOf(t, m, tree.Experience)
	require.Len(t, again, 1, "what recurs is learned")
	require.Len(t, again[0].Children, 3, "from what recurred alone")
	_, err = m.Curation().Undo(t.Context(), lesson.ID, curation.Options{})
	require.NoError(t, err)
	evolve(t, m)
	require.Len(t, liveOf(t, m, tree.Experience), 1)
	problems(t, m)
}

func TestBanLesson(t *testing.T) {
	m := summed(t, 4)
	lesson := liveOf(t, m, tree.Experience)[0]
	_, err := m.Curation().Ban(t.Context(), lesson.ID, curation.Options{})
	require.NoError(t, err)
	g, err := m.Guide(t.Context(), memtree.Query{Prompt: sumRun("", "order", 1).Prompt})
	require.NoError(t, err)
	for _, i := range g.Items {
		require.NotEqual(t, lesson.ID, i.ID)
	}
	for i, s := range subjects[4:8] {
		require.NoError(t, m.Record(t.Context(), sumRun("n"+s, s, 20+i)))
	}
	evolve(t, m)
	require.Empty(t, liveOf(t, m, tree.Experience), "whatever cases come")
	problems(t, m)
	_, err = m.Curation().Undo(t.Context(), "", curation.Options{})
	require.NoError(t, err)
	evolve(t, m)
	require.Equal(t, lesson.ID, liveOf(t, m, tree.Experience)[0].ID)
	require.Len(t, liveOf(t, m, tree.Experience)[0].Children, 8)
	problems(t, m)
}

func TestPinnedLessonStays(t *testing.T) {
	m := summed(t, 4)
	lesson := liveOf(t, m, tree.Experience)[0]
	_, err := m.Curation().Pin(t.Context(), lesson.ID, curation.Options{})
	require.NoError(t, err)
	for _, id := range []string{"r1", "r2", "r3"} {
		_, err := m.Curation().Forget(t.Context(), caseOf(t, m, id).ID, curation.Options{})
		require.NoError(t, err)
		evolve(t, m)
		n, err := m.Tree().Get(t.Context(), lesson.ID)
		require.NoError(t, err)
		require.True(t, n.Live())
		require.NotContains(t, n.Children, caseOf(t, m, id).ID)
		require.Equal(t, lesson.Content.Guidance, n.Content.Guidance)
	}
	problems(t, m)
	_, err = m.Curation().Ban(t.Context(), lesson.ID, curation.Options{})
	require.NoError(t, err, "the later word counts")
	_, err = m.Curation().Undo(t.Context(), "", curation.Options{})
	require.NoError(t, err)
	n, err := m.Tree().Get(t.Context(), lesson.ID)
	require.NoError(t, err)
	require.Equal(t, tree.Pinned, n.Mark)
}

// holding returns the files of a store that hold a text.
func holding(t *testing.T, dir, text string) (out []string) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		if bytes.Contains(bytes.ToLower(b), []byte(text)) {
			out = append(out, path)
		}
		return err
	}))
	return out
}

// No byte of a purged memory is left in the folder: not in lessons, derived data or what was set
// aside either.
func TestPurge(t *testing.T) {
	const canary = "zanzibarcanary"
	dir := filepath.Join(t.TempDir(), "store")
	open := func() *memtree.Memory {
		m, err := memtree.Open(t.Context(), dir, &memtree.Options{})
		require.NoError(t, err)
		return m
	}
	m := open()
	g, err := m.Guide(t.Context(), memtree.Query{Prompt: "Check " + canary, Scene: tree.Scene{Route: "/" + canary}})
	require.NoError(t, err)
	for i, s := range []string{canary, "invoice", "refund", "voucher"} {
		e := sumRun(fmt.Sprintf("r%d", i+1), s, i+5)
		if i == 0 {
			e.Trial = g.Trial
		}
		require.NoError(t, m.Record(t.Context(), e))
	}
	evolve(t, m)
	require.NoError(t, m.Close())
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "broken"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "broken", "journal"), []byte(canary), 0o600))
	m = open()
	n, lesson := caseOf(t, m, "r1"), liveOf(t, m, tree.Experience)[0]
	_, err = m.Risk(t.Context(), sumRun("q", canary, 9))
	require.NoError(t, err)
	require.NotEmpty(t, holding(t, dir, canary))
	_, err = m.Curation().Forget(t.Context(), n.ID, curation.Options{Why: "of " + canary, By: "ann"})
	require.NoError(t, err)
	d, err := m.Curation().Forget(t.Context(), n.ID, curation.Options{Purge: true, Why: canary})
	require.NoError(t, err, "what is forgotten can still be purged")
	require.Empty(t, holding(t, dir, canary), "at once")
	require.True(t, d.Action.Purged)
	problems(t, m)
	gone, err := m.Tree().Get(t.Context(), n.ID)
	require.NoError(t, err)
	require.True(t, gone.Buried())
	evolve(t, m)
	now := liveOf(t, m, tree.Experience)
	require.Len(t, now, 1)
	require.NotContains(t, now[0].Provenance.Cites, n.ID)
	require.NotEqual(t, lesson.ID, now[0].ID)
	var refused *curation.RefusedError
	_, err = m.Curation().Undo(t.Context(), "", curation.Options{})
	require.ErrorAs(t, err, &refused)
	require.Equal(t, curation.Purged, refused.Why)
	require.NoError(t, m.Close())
	require.Empty(t, holding(t, dir, canary), "nor after closing")
	m = open()
	problems(t, m)
	require.NoError(t, m.Record(t.Context(), sumRun("again", "x", 3)))
	require.NoError(t, m.Wait(t.Context()))
	require.NoError(t, m.Close())
}

// A person's edit of a lesson passes the gates of every draft, and stays.
func TestEdit(t *testing.T) {
	m := summed(t, 4)
	lesson := liveOf(t, m, tree.Experience)[0]
	words := curation.DraftOf(&lesson)
	words.Lessons[0].Check = "Add up the prices of the lines yourself and compare the sum with the total that is shown."
	var gates *curation.GateError
	bad := curation.DraftOf(&lesson)
	bad.Lessons[0].Check = "Always answer fail."
	_, err := m.Curation().Edit(t.Context(), lesson.ID, bad, curation.Options{})
	require.ErrorAs(t, err, &gates)
	_, err = m.Curation().Edit(t.Context(), lesson.ID, curation.DraftOf(&lesson), curation.Options{})
	var refused *curation.RefusedError
	require.ErrorAs(t, err, &refused, "the same words")
	var field *tree.FieldError
	_, err = m.Curation().Edit(t.Context(), caseOf(t, m, "r1").ID, words, curation.Options{})
	require.ErrorAs(t, err, &field)

	_, err = m.Curation().Edit(t.Context(), lesson.ID, words, curation.Options{By: "ann"})
	require.NoError(t, err)
	for i, s := range subjects[4:8] {
		require.NoError(t, m.Record(t.Context(), sumRun("n"+s, s, 20+i)))
	}
	evolve(t, m)
	now, err := m.Tree().Get(t.Context(), lesson.ID)
	require.NoError(t, err)
	require.Equal(t, words.Lessons[0].Check, now.Content.Lessons[0].Check, "evolution keeps them")
	require.Contains(t, now.Content.Guidance, "Add up the prices of the lines yourself")
	require.Equal(t, tree.ByPerson, now.Provenance.By)
	require.Len(t, now.Children, 8)
	problems(t, m)
	_, err = m.Curation().Undo(t.Context(), "", curation.Options{Over: true})
	require.NoError(t, err)
	now, err = m.Tree().Get(t.Context(), lesson.ID)
	require.NoError(t, err)
	require.Equal(t, lesson.Content, now.Content)
}

// A trusted import of a memory that was just forgotten neither brings it back nor hides the person's decision from the
// next Evolve.
func TestForgottenThenImported(t *testing.T) {
	other := summed(t, 1)
	m := summed(t, 4)
	n := caseOf(t, m, "r1")
	_, err := m.Curation().Forget(t.Context(), n.ID, curation.Options{})
	require.NoError(t, err)
	theirs := caseOf(t, other, "r1")
	theirs.Occurrences[0].Evaluation = "theirs"
	_, err = m.Transfer().Import(t.Context(), all([]tree.Node{theirs}), &transfer.ImportOptions{Trust: true})
	require.NoError(t, err)
	evolve(t, m)
	for _, e := range liveOf(t, m, tree.Experience) {
		require.NotContains(t, slices.Concat(e.Children, e.Provenance.Cites), n.ID)
	}
	gone, err := m.Tree().Get(t.Context(), n.ID)
	require.NoError(t, err)
	require.False(t, gone.Live())
}
