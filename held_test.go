package memtree_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree"
	jsonstore "github.com/memtree/memtree/store/json"
	"github.com/memtree/memtree/tree"
)

// waitingStore makes a store with two runs, one of them without a label, and a snapshot.
func waitingStore(t *testing.T) (dir string, runs []memtree.Evaluation) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "store")
	runs = []memtree.Evaluation{
		{ID: "known", Prompt: "Check the total of the cart", Judgment: tree.Raw(`"pass"`), GroundTruth: tree.Raw(`"fail"`)},
		{ID: "open", Prompt: "Check the total of the order", Judgment: tree.Raw(`"pass"`)},
	}
	m, err := memtree.Open(t.Context(), dir, nil)
	require.NoError(t, err)
	_, err = m.RecordAll(t.Context(), runs)
	require.NoError(t, err)
	require.NoError(t, m.Wait(t.Context()))
	require.NoError(t, m.Close())
	s, err := jsonstore.OpenDir(t.Context(), dir, jsonstore.Options{})
	require.NoError(t, err)
	require.NoError(t, s.Compact(t.Context()))
	require.NoError(t, s.Close())
	return dir, runs
}

// waitingIn returns how many runs of a store wait for a label. The runs are recorded first.
func waitingIn(t *testing.T, dir string, runs ...memtree.Evaluation) int {
	t.Helper()
	m, err := memtree.Open(t.Context(), dir, nil)
	require.NoError(t, err)
	defer func() { require.NoError(t, m.Close()) }()
	_, err = m.RecordAll(t.Context(), runs)
	require.NoError(t, err)
	require.NoError(t, m.Wait(t.Context()))
	box, err := m.Inbox().List(t.Context(), 0)
	require.NoError(t, err)
	return box.Total
}

// flip damages one bit of the file that a pattern names.
func flip(t *testing.T, pattern string, at int) {
	t.Helper()
	files, err := filepath.Glob(pattern)
	require.NoError(t, err)
	require.NotEmpty(t, files, pattern)
	b, err := os.ReadFile(files[0])
	require.NoError(t, err)
	b[at] ^= 1
	require.NoError(t, os.WriteFile(files[0], b, 0o600))
}

// Runs without a label survive a copy and a repair. If their own file is damaged, recording them again brings them
// back.
func TestWaitingRunsAreKept(t *testing.T) {
	t.Run("backup", func(t *testing.T) {
		dir, _ := waitingStore(t)
		copied, again := filepath.Join(t.TempDir(), "copy"), filepath.Join(t.TempDir(), "again")
		for range 2 {
			_, err := jsonstore.Backup(t.Context(), dir, copied, time.Time{})
			require.NoError(t, err)
		}
		_, err := jsonstore.Restore(t.Context(), copied, again, time.Time{})
		require.NoError(t, err)
		require.Equal(t, 1, waitingIn(t, again))
	})
	t.Run("repair", func(t *testing.T) {
		dir, _ := waitingStore(t)
		flip(t, filepath.Join(dir, "snapshot.*", "*", "nodes.index"), 100)
		r, err := jsonstore.Fsck(t.Context(), dir, time.Time{}, true)
		require.NoError(t, err)
		require.Empty(t, r.Lost)
		require.Equal(t, 1, waitingIn(t, dir))
	})
	t.Run("damaged", func(t *testing.T) {
		dir, runs := waitingStore(t)
		flip(t, filepath.Join(dir, "derived", "inbox.*"), 200)
		r, err := jsonstore.Fsck(t.Context(), dir, time.Time{}, true)
		require.NoError(t, err)
		require.Len(t, r.Lost, 1)
		require.Equal(t, jsonstore.LostHeld, r.Lost[0].Kind)
		require.Zero(t, waitingIn(t, dir))
		require.Equal(t, 1, waitingIn(t, dir, runs...))
		require.Equal(t, 1, waitingIn(t, dir, runs...), "once")
	})
}

// A store that cannot be read is an error that names the file, in every file and wherever the damage is.
func TestDamageIsNamed(t *testing.T) {
	dir, _ := waitingStore(t)
	files, err := filepath.Glob(filepath.Join(dir, "snapshot.*", "*", "nodes.*"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, f := range files {
		whole, err := os.ReadFile(f)
		require.NoError(t, err)
		for at := 0; at < len(whole); at += max(1, len(whole)/40) {
			flip(t, f, at)
			m, err := memtree.Open(t.Context(), dir, &memtree.Options{ReadOnly: true})
			if err == nil {
				_, err = m.Guide(t.Context(), memtree.Query{Prompt: "Check the total of the cart"})
				require.NoError(t, m.Close())
			}
			if err != nil {
				require.ErrorContains(t, err, filepath.Base(f))
			}
			require.NoError(t, os.WriteFile(f, whole, 0o600))
		}
	}
}

// A crash at any moment after a run is formed keeps its text while not much waits: the folder as it is then has it.
func TestWaitingRunsOutliveACrash(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "store")
	m, err := memtree.Open(t.Context(), dir, nil)
	require.NoError(t, err)
	defer func() { require.NoError(t, m.Close()) }()
	for i := range 3 {
		require.NoError(t, m.Record(t.Context(), memtree.Evaluation{
			ID: string(rune('a' + i)), Prompt: "Check the total of the order", Judgment: tree.Raw(`"pass"`)}))
		require.NoError(t, m.Wait(t.Context()))
		crashed := filepath.Join(t.TempDir(), "crashed")
		require.NoError(t, os.CopyFS(crashed, os.DirFS(dir)))
		require.NoError(t, os.Remove(filepath.Join(crashed, "LOCK")))
		require.Equal(t, i+1, waitingIn(t, crashed))
	}
}
