package jsonstore

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/tree"
)

func backedUp(t *testing.T, from, to string) Backed {
	t.Helper()
	b, err := Backup(t.Context(), from, to, time.Unix(1e9, 0))
	require.NoError(t, err)
	return b
}

// TestBackupWhileServing copies a store repeatedly into one folder while the store is written and compacted. Every copy
// must be complete and contain everything acknowledged before it began.
func TestBackupWhileServing(t *testing.T) {
	dir := t.TempDir()
	from, to := filepath.Join(dir, "from"), filepath.Join(dir, "to")
	s, err := OpenDir(t.Context(), from, Options{JournalLimit: 64 << 10})
	require.NoError(t, err)
	wrote := make(chan int, 1)
	stop := make(chan struct{})
	done := make(chan error, 1)
	go func() {
		var err error
		for i := 0; err == nil; i++ {
			select {
			case <-stop:
				done <- err
				return
			default:
			}
			at := time.Unix(1e9+int64(i), 0).UTC()
			_, err = s.Accept(context.Background(), []tree.Evaluation{{ID: fmt.Sprint("v", i), At: at,
				Prompt: strings.Repeat("check it ", 400), Judgment: tree.Raw(`"pass"`), GroundTruth: tree.Raw(`"fail"`)}})
			select {
			case <-wrote:
			default:
			}
			wrote <- i + 1
		}
		done <- err
	}()
	for range 8 {
		before := 0
		for range 25 {
			before = <-wrote
		}
		b := backedUp(t, from, to)
		copied, err := OpenDir(t.Context(), to, Options{ReadOnly: true})
		require.NoError(t, err)
		info, err := copied.Info(t.Context())
		require.NoError(t, err)
		require.GreaterOrEqual(t, info.Evaluations, before)
		require.NoError(t, copied.Close())
		require.LessOrEqual(t, b.Copied, b.Files)
	}
	close(stop)
	require.NoError(t, <-done)
	want, err := s.Info(t.Context())
	require.NoError(t, err)
	require.NoError(t, s.Close())
	backedUp(t, from, to)
	again := backedUp(t, from, to)
	require.Equal(t, 1, again.Copied, "the journal")
	require.Less(t, again.Copied, again.Files, "snapshots that have not changed are not copied again")

	restored := filepath.Join(dir, "restored")
	_, err = Restore(t.Context(), to, restored, time.Time{})
	require.NoError(t, err)
	_, err = Backup(t.Context(), from, restored, time.Time{})
	require.ErrorContains(t, err, "holds a store that is no backup", "it may have gone on by itself")
	r, err := OpenDir(t.Context(), restored, Options{})
	require.NoError(t, err)
	got, err := r.Info(t.Context())
	require.NoError(t, err)
	got.Bytes, want.Bytes = 0, 0
	require.Equal(t, want, got)
	require.NoError(t, r.Close())
}

func TestBackupRefuses(t *testing.T) {
	dir := t.TempDir()
	from, other, full := filepath.Join(dir, "from"), filepath.Join(dir, "other"), filepath.Join(dir, "full")
	for _, d := range []string{from, other} {
		s, err := OpenDir(t.Context(), d, Options{})
		require.NoError(t, err)
		require.NoError(t, s.Close())
	}
	require.NoError(t, os.Mkdir(full, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(full, "notes.txt"), nil, 0o600))
	for to, says := range map[string]string{
		other: "holds a store that is no backup", full: "is not empty and no earlier backup",
		from: "lies in the store", filepath.Join(from, "x"): "lies in the store",
	} {
		_, err := Backup(t.Context(), from, to, time.Time{})
		require.ErrorContains(t, err, says)
	}
	_, err := Backup(t.Context(), full, filepath.Join(dir, "new"), time.Time{})
	require.Error(t, err)
	require.NoDirExists(t, filepath.Join(dir, "new"))
	// A copy in which one byte is different.
	to := filepath.Join(dir, "to")
	backedUp(t, from, to)
	j := filepath.Join(to, journalName(1))
	b, err := os.ReadFile(j)
	require.NoError(t, err)
	b[len(b)/2] ^= 1
	require.NoError(t, os.WriteFile(j, b, 0o600))
	backedUp(t, from, to) // is written again
}
