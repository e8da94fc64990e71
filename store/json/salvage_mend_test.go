package jsonstore

import (
	"context"
	"maps"
	"path"
	"slices"
	"testing"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/tree"
)

// linkedStore returns a closed store with a lesson of one error type on cases of another, all in a snapshot.
func linkedStore(t *testing.T, wait bool) folder {
	t.Helper()
	ctx, mem := t.Context(), afero.NewMemMapFs()
	s, err := Open(ctx, mem, damageDir, Options{Origin: tree.Origin{ID: "o_test"}})
	require.NoError(t, err)
	lesson := someCase(9)
	lesson.ID, lesson.Type, lesson.Level, lesson.ErrorType = "e_9", tree.Experience, 2, "other_error"
	lesson.CaseData, lesson.Parent = nil, ""
	for i := range 3 {
		_, err = s.Accept(ctx, []tree.Evaluation{someEvaluation(i)})
		require.NoError(t, err)
		n := someCase(i)
		n.Parent, n.ErrorType, n.Direction = lesson.ID, "state_detection_error", lesson.Direction
		n.CaseData.Misses = []tree.Miss{{ErrorType: lesson.ErrorType, From: "model", How: "It did not compare."}}
		lesson.Children = append(lesson.Children, n.ID)
		b := store.Batch{Changes: []tree.Change{tree.NewChange(tree.OpAdd, n, 0, "formation", "a wrong pass")},
			Done: []string{someEvaluation(i).ID}, Entries: []ledger.Entry{{Verdict: &ledger.Verdict{
				Evaluation: someEvaluation(i).ID, Node: n.ID, Labelled: true}}}}
		_, err = s.Commit(ctx, b)
		require.NoError(t, err)
	}
	slices.Sort(lesson.Children)
	_, err = s.Commit(ctx, store.Batch{Changes: []tree.Change{tree.NewChange(tree.OpAdd, lesson, 0, "evolve", "alike")}})
	require.NoError(t, err)
	if wait {
		_, err = s.Accept(ctx, []tree.Evaluation{someEvaluation(7)})
		require.NoError(t, err)
	}
	require.NoError(t, s.Compact(ctx))
	require.NoError(t, s.Close())
	f, err := files(mem)
	require.NoError(t, err)
	return f
}

// TestSalvageWithoutAnIndex checks that a missing index loses no line of an intact file.
func TestSalvageWithoutAnIndex(t *testing.T) {
	f := linkedStore(t, true)
	whole := serve(f.onFS(), false)
	for name := range f {
		if path.Ext(name) != ".index" {
			continue
		}
		bad := maps.Clone(f)
		delete(bad, name)
		mem := bad.onFS()
		r, err := fsckOn(t.Context(), mem, damageDir, true)
		require.NoError(t, err, name)
		require.Empty(t, r.Lost, name)
		require.Len(t, r.Again, 1, name)
		got := serve(mem, false)
		require.Empty(t, got.problems, name)
		require.Equal(t, whole.records, got.records, name)
	}
}

// TestSalvageRemovesLinks checks that no memory that is kept refers to one that is lost, whatever file of memories is
// gone, and that a lesson without its last case is archived.
func TestSalvageRemovesLinks(t *testing.T) {
	ctx := context.Background()
	for branch, mended := range map[string]int{"state_detection_error": 1, "other_error": 3} {
		mem := linkedStore(t, false).onFS()
		require.NoError(t, mem.RemoveAll(path.Join(damageDir, "snapshot.000002", branch)))
		r, err := fsckOn(ctx, mem, damageDir, true)
		require.NoError(t, err)
		require.NotEmpty(t, r.Lost)
		require.Equal(t, mended, r.Mended, branch)
		s, err := Open(ctx, mem, damageDir, Options{})
		require.NoError(t, err)
		kept := 0
		for n, err := range s.Scan(ctx, store.Filter{}) {
			require.NoError(t, err)
			require.NoError(t, tree.CheckLinks(ctx, &n, s.Get), branch)
			require.Equal(t, 2, n.Revision)
			kept++
		}
		require.Equal(t, mended, kept)
		if lesson, err := s.Get(ctx, "e_9"); err == nil {
			require.Equal(t, tree.Archived, lesson.Status)
			require.NotEmpty(t, lesson.ArchivedFor)
		} else {
			require.ErrorIs(t, err, tree.ErrNotFound)
		}
		require.NoError(t, s.Close())
		again, err := fsckOn(ctx, mem, damageDir, false)
		require.NoError(t, err)
		require.True(t, again.Whole())
	}
}

// TestSalvageLearnsKeys checks that a missing table of keys is restored from the ledger, so that no run counts twice,
// and that keys without a verdict are reported as lost.
func TestSalvageLearnsKeys(t *testing.T) {
	ctx := t.Context()
	table := path.Join(damageDir, "snapshot.000002", "known.table")
	mem := linkedStore(t, false).onFS()
	require.NoError(t, mem.Remove(table))
	r, err := fsckOn(ctx, mem, damageDir, true)
	require.NoError(t, err)
	require.Empty(t, r.Lost)
	require.Equal(t, []string{"snapshot.000002/known.table"}, r.Again)
	s, err := Open(ctx, mem, damageDir, Options{})
	require.NoError(t, err)
	got, err := s.Accept(ctx, []tree.Evaluation{someEvaluation(0), someEvaluation(2), someEvaluation(5)})
	require.NoError(t, err)
	require.Equal(t, []store.ReceiptStatus{store.Duplicate, store.Duplicate, store.Accepted},
		[]store.ReceiptStatus{got[0].Status, got[1].Status, got[2].Status})
	require.NoError(t, s.Close())

	mem = linkedStore(t, false).onFS()
	for _, name := range []string{"known.table", "ledger.jsonl", "ledger.index"} {
		require.NoError(t, mem.Remove(path.Join(damageDir, "snapshot.000002", name)))
	}
	r, err = fsckOn(ctx, mem, damageDir, true)
	require.NoError(t, err)
	require.Contains(t, r.Lost, Loss{Kind: LostKeys, File: "snapshot.000002/known.table", Count: 3})
}

// TestReadACutFile checks that a reader is served everything that can be read where one file is cut short, as where it
// is missing, and that a writer is told which file.
func TestReadACutFile(t *testing.T) {
	f := linkedStore(t, true)
	whole := serve(f.onFS(), true)
	for name := range f {
		if path.Dir(name) == damageDir || path.Base(path.Dir(name)) == derivedFolder {
			continue
		}
		bad := maps.Clone(f)
		bad[name] = bad[name][:len(bad[name])/2]
		_, err := Open(t.Context(), bad.onFS(), damageDir, Options{})
		var damage *store.CorruptError
		require.ErrorAs(t, err, &damage, name)
		require.Equal(t, name, path.Join(damageDir, damage.File))
		require.EqualValues(t, len(bad[name]), damage.Offset)
		got := serve(bad.onFS(), true)
		if path.Ext(name) != ".jsonl" {
			require.Equal(t, whole.records, got.records, name)
		}
	}
}
