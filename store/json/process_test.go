package jsonstore

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/tree"
)

// TestMain also runs the writing process that kill starts.
func TestMain(m *testing.M) {
	if dir := os.Getenv("MEMTREE_TEST_WRITE"); dir != "" {
		writeForEver(dir)
	}
	os.Exit(m.Run())
}

// withEntries is a batch with the node of a number, its evaluation, a fact and an update of a run.
func withEntries(i int) store.Batch {
	says := ledger.Statement{Text: fmt.Sprintf("Page %d is read only.", i), Kind: ledger.Behaviour}
	return store.Batch{Changes: []tree.Change{add(i)}, Done: []string{fmt.Sprint("ev", i)}, Entries: []ledger.Entry{{
		At: time.Unix(int64(i), 0).UTC(), Known: &ledger.FactEntry{Op: ledger.FactStated, Fact: says.ID(),
			Source: ledger.FromTeam,
			By:     "ann", Says: &says},
	}, {
		At: time.Unix(int64(i), 0).UTC(), Work: &ledger.Work{Run: "r", Kind: ledger.WorkNote, Text: fmt.Sprint("note ", i)},
	}}}
}

// writeForEver accepts and commits, and prints each number when it is durable.
func writeForEver(dir string) {
	ctx := context.Background()
	s, err := OpenDir(ctx, dir, Options{JournalLimit: 16 << 10})
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	from, _ := strconv.Atoi(os.Getenv("MEMTREE_TEST_FROM"))
	for i := from; ; i++ {
		_, err := s.Accept(ctx, []tree.Evaluation{someEvaluation(i)})
		if err == nil {
			_, err = s.Commit(ctx, withEntries(i))
		}
		if err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		fmt.Println(i)
	}
}

func TestSecondProcess(t *testing.T) {
	ctx, dir := context.Background(), t.TempDir()
	started := time.Date(2026, 1, 28, 9, 0, 0, 0, time.UTC)
	s, err := OpenDir(ctx, dir, Options{Started: started})
	require.NoError(t, err)
	_, err = OpenDir(ctx, dir, Options{})
	var locked *store.LockedError
	require.ErrorAs(t, err, &locked)
	require.Equal(t, os.Getpid(), locked.PID)
	require.Equal(t, started, locked.Started)

	r, err := OpenDir(ctx, dir, Options{ReadOnly: true})
	require.NoError(t, err)
	_, err = r.Accept(ctx, []tree.Evaluation{someEvaluation(1)})
	require.ErrorIs(t, err, store.ErrReadOnly)
	for i := range 40 { // it follows, including through snapshots
		_, err := s.Commit(ctx, store.Batch{Changes: []tree.Change{add(i)},
			Entries: []ledger.Entry{{Verdict: &ledger.Verdict{}}}})
		require.NoError(t, err)
		if i%7 == 0 {
			require.NoError(t, s.Compact(ctx))
		}
		for _, k := range []int{i, i / 2} {
			n, err := r.Get(ctx, add(k).Node.ID)
			require.NoError(t, err)
			require.Equal(t, add(k).Node, n)
		}
		info, err := r.Info(ctx)
		require.NoError(t, err)
		require.Equal(t, i+1, info.Nodes)
		require.EqualValues(t, i+1, info.Entries)
	}
	require.NoError(t, r.Close())
	require.NoError(t, s.Close())
	_, err = s.Get(ctx, "c_a")
	require.ErrorIs(t, err, store.ErrClosed)
	require.NoError(t, s.Close())
}

// TestSomebodyElsesFolder checks that a folder that is not a store of this format remains unchanged.
func TestSomebodyElsesFolder(t *testing.T) {
	ctx := context.Background()
	for name, c := range map[string]struct{ file, text, want string }{
		"foreign": {"thesis.doc", "years of work", `is not a memory store and not empty: there is "thesis.doc" in it; ` +
			`choose another folder`},
		"newer": {formatName, `{"format":"memtree","major":2}`,
			"has format 2 and this program knows formats up to 1; use a newer memtree, nothing was changed"},
		"other": {formatName, `[]`, "is not a memory store: its FORMAT.json is not one of memtree's; choose another " +
			"folder"},
		"lost": {"journal.000002.jsonl", "M1 ", `is not a memory store and not empty: there is "journal.000002.jsonl" in ` +
			`it; choose another folder`},
	} {
		for _, readOnly := range []bool{false, true} {
			dir := t.TempDir()
			require.NoError(t, os.WriteFile(filepath.Join(dir, c.file), []byte(c.text), 0o600))
			_, err := OpenDir(ctx, dir, Options{ReadOnly: readOnly})
			var format *store.FormatError
			require.ErrorAs(t, err, &format, name)
			require.Equal(t, c.want, format.Problem, name)
			names, err := os.ReadDir(dir)
			require.NoError(t, err)
			require.Len(t, names, 1)
		}
	}
	_, err := OpenDir(ctx, filepath.Join(t.TempDir(), "absent"), Options{ReadOnly: true})
	require.ErrorIs(t, err, os.ErrNotExist)
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	_, err = OpenDir(ctx, file, Options{})
	require.ErrorContains(t, err, "is a file; a store is a folder")
}

// TestLinkOut checks that a link in the folder does not lead out of it.
func TestLinkOut(t *testing.T) {
	ctx, dir, outside := context.Background(), t.TempDir(), t.TempDir()
	s, err := OpenDir(ctx, dir, Options{})
	require.NoError(t, err)
	require.NoError(t, s.Close())
	journal := filepath.Join(dir, journalName(1))
	b, err := os.ReadFile(journal)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(outside, "x"), b, 0o600))
	require.NoError(t, os.Remove(journal))
	require.NoError(t, os.Symlink(filepath.Join(outside, "x"), journal))
	_, err = OpenDir(ctx, dir, Options{})
	require.ErrorContains(t, err, "escapes")
}

// TestForeignLock checks that a LOCK that is a link or no file is refused, and that nothing is written through it.
func TestForeignLock(t *testing.T) {
	ctx := t.Context()
	victim := filepath.Join(t.TempDir(), "victim")
	require.NoError(t, os.WriteFile(victim, []byte("years of work"), 0o600))
	for name, put := range map[string]func(lock string) error{
		"link out":     func(lock string) error { return os.Symlink(victim, lock) },
		"dangling":     func(lock string) error { return os.Symlink(victim+"2", lock) },
		"link inside":  func(lock string) error { return os.Symlink(formatName, lock) },
		"link to none": func(lock string) error { return os.Symlink("none", lock) },
		"folder":       func(lock string) error { return os.Mkdir(lock, 0o700) },
	} {
		dir := t.TempDir()
		s, err := OpenDir(ctx, dir, Options{})
		require.NoError(t, err)
		require.NoError(t, s.Close())
		format, err := os.ReadFile(filepath.Join(dir, formatName)) //nolint:gosec // the test's own file
		require.NoError(t, err)
		lock := filepath.Join(dir, lockName)
		require.NoError(t, os.Remove(lock))
		require.NoError(t, put(lock))

		var refused *store.FormatError
		_, err = OpenDir(ctx, dir, Options{})
		require.ErrorAs(t, err, &refused, name)
		require.Contains(t, refused.Problem, "has a LOCK that is a link or no regular file; remove it", name)
		_, err = Fsck(ctx, dir, time.Time{}, true)
		require.ErrorAs(t, err, &refused, name)
		to := filepath.Join(t.TempDir(), "copy")
		require.NoError(t, os.Mkdir(to, 0o700))
		require.NoError(t, put(filepath.Join(to, lockName)))
		_, err = Backup(ctx, dir, to, time.Time{})
		require.ErrorAs(t, err, &refused, name)

		now, err := os.ReadFile(filepath.Join(dir, formatName)) //nolint:gosec // the test's own file
		require.NoError(t, err)
		require.Equal(t, format, now, name)
		require.NoFileExists(t, victim+"2", name)
		require.NoFileExists(t, filepath.Join(dir, "none"), name)
		require.NoError(t, os.RemoveAll(lock))
		s, err = OpenDir(ctx, dir, Options{})
		require.NoError(t, err, name)
		require.NoError(t, s.Close())
	}
	b, err := os.ReadFile(victim) //nolint:gosec // the test's own file
	require.NoError(t, err)
	require.Equal(t, "years of work", string(b))
}

func TestReadOnlyFolder(t *testing.T) {
	ctx, dir := context.Background(), t.TempDir()
	s, err := OpenDir(ctx, dir, Options{})
	require.NoError(t, err)
	_, err = s.Commit(ctx, store.Batch{Changes: []tree.Change{add(1)}})
	require.NoError(t, err)
	require.NoError(t, s.Close())
	require.NoError(t, os.Remove(filepath.Join(dir, lockName)))
	require.NoError(t, os.Chmod(dir, 0o555)) //nolint:gosec // it is the test
	t.Cleanup(func() { _ = os.Chmod(dir, 0o755) })
	before, err := os.ReadDir(dir)
	require.NoError(t, err)
	r, err := OpenDir(ctx, dir, Options{ReadOnly: true})
	require.NoError(t, err)
	_, err = r.Get(ctx, add(1).Node.ID)
	require.NoError(t, err)
	require.NoError(t, r.Close())
	after, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, after, len(before))
}

// TestFullDisk simulates a full disk with the process's limit on the size of files, where the system
// allows that.
func TestFullDisk(t *testing.T) {
	require.True(t, isDiskFull(fmt.Errorf("write: %w", syscall.ENOSPC)))
	require.False(t, isDiskFull(syscall.EIO))
}
