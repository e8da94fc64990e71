package jsonstore

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/internal/golden"
	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/store/storetest"
	"github.com/memtree/memtree/tree"
)

// TestProtocol pins the file operations of every step in a golden file, so that a review sees them.
func TestProtocol(t *testing.T) {
	ctx := context.Background()
	fs := storetest.NewRecordFS(afero.NewMemMapFs())
	o := Options{Origin: tree.Origin{ID: "o_test"}}
	fs.Note("make and open")
	s, err := Open(ctx, fs, "store", o)
	require.NoError(t, err)
	fs.Note("accept")
	_, err = s.Accept(ctx, []tree.Evaluation{someEvaluation(1)})
	require.NoError(t, err)
	fs.Note("commit")
	_, err = s.Commit(ctx, store.Batch{Changes: []tree.Change{add(1)}, Done: []string{"ev1"},
		Entries: []ledger.Entry{{Verdict: &ledger.Verdict{}}}})
	require.NoError(t, err)
	fs.Note("snapshot")
	require.NoError(t, s.Compact(ctx))
	fs.Note("commit, second snapshot")
	_, err = s.Commit(ctx, store.Batch{Changes: []tree.Change{add(1 + 3)}})
	require.NoError(t, err)
	require.NoError(t, s.Compact(ctx))
	fs.Note("close")
	require.NoError(t, s.Close())
	fs.Note("open after a clean close")
	s, err = Open(ctx, fs, "store", o)
	require.NoError(t, err)
	fs.Note("get")
	_, err = s.Get(ctx, add(1).Node.ID)
	require.NoError(t, err)
	require.NoError(t, s.Close())
	random := regexp.MustCompile(`-[0-9a-f]{16}`)
	golden.Equal(t, "testdata/protocol.golden", random.ReplaceAllString(fs.Text(), "-RANDOM"))
}

// TestOldStores opens folders written by an earlier version: good, torn and corrupt ones, and ones that crashed at each
// step of the protocol.
func TestOldStores(t *testing.T) {
	found, err := filepath.Glob("testdata/stores/v1/*.golden")
	require.NoError(t, err)
	require.Greater(t, len(found), 12)
	for _, name := range found {
		from := strings.TrimSuffix(name, ".golden")
		t.Run(filepath.Base(from), func(t *testing.T) {
			dir := t.TempDir()
			require.NoError(t, os.CopyFS(dir, os.DirFS(from)))
			golden.Equal(t, name, describe(t, dir))
		})
	}
}

// TestMakeCrashedStores writes the crashed folders of TestOldStores. Run it once for each format,
// with MEMTREE_MAKE_STORES=1, and never again.
func TestMakeCrashedStores(t *testing.T) {
	if os.Getenv("MEMTREE_MAKE_STORES") == "" {
		t.Skip("only to make the stores of a new format")
	}
	ctx, disk := t.Context(), storetest.NewCrashFS()
	s, err := Open(ctx, disk, "/store", Options{Origin: tree.Origin{ID: "o_golden", Label: "golden"}})
	require.NoError(t, err)
	write := func(i int) {
		_, err := s.Accept(ctx, []tree.Evaluation{someEvaluation(i)})
		require.NoError(t, err)
		_, err = s.Commit(ctx, store.Batch{Changes: []tree.Change{add(i)},
			Entries: []ledger.Entry{{Verdict: &ledger.Verdict{Evaluation: fmt.Sprint("ev", i)}}},
			Done:    []string{fmt.Sprint("ev", i)}})
		require.NoError(t, err)
	}
	write(0)
	require.NoError(t, s.Compact(ctx))
	write(3)
	_, err = s.Accept(ctx, []tree.Evaluation{someEvaluation(1)})
	require.NoError(t, err)
	begin := disk.Ops()
	write(6)
	require.NoError(t, s.Compact(ctx))
	require.NoError(t, s.Close())
	left := []string{
		"write journal", "sync journal", "sync store", "write nodes.jsonl", "sync nodes.index", "rename tmp-snapshot",
		"write tmp-manifest",
		"sync tmp-manifest", "rename tmp-manifest", "remove journal", "remove nodes.jsonl", "remove snapshot",
		"write tmp-shutdown", "rename tmp-shutdown",
	}
	steps := 0
	for line := range strings.Lines(disk.Trace()) {
		var n int
		var op, file string
		_, err := fmt.Sscan(line, &n, &op, &file)
		require.NoError(t, err)
		step := op + " " + strings.TrimPrefix(filepath.Base(file), ".")
		at := slices.IndexFunc(left, func(s string) bool { return strings.HasPrefix(step, s) })
		if n < begin || at < 0 {
			continue
		}
		steps++
		name := fmt.Sprintf("crashed-%02d-after-%s", steps, strings.NewReplacer(" ", "-", ".", "-").Replace(left[at]))
		left = slices.Delete(left, at, at+1)
		save(t, disk.CrashAt(n+1, uint64(n)), filepath.Join("testdata/stores/v1", name)) //nolint:gosec // a count
	}
	require.Empty(t, left)
}

// save copies a store to a real folder, and makes the folder of its golden file.
func save(t *testing.T, from afero.Fs, to string) {
	t.Helper()
	require.NoError(t, afero.Walk(from, "/store", func(name string, info os.FileInfo, err error) error {
		if err != nil || info.IsDir() || filepath.Base(name) == lockName {
			return err
		}
		b, err := afero.ReadFile(from, name)
		require.NoError(t, err)
		out := filepath.Join(to, strings.TrimPrefix(filepath.ToSlash(name), "/store"))
		require.NoError(t, os.MkdirAll(filepath.Dir(out), 0o750))
		return os.WriteFile(out, b, 0o600) //nolint:gosec // of this test
	}))
	require.NoError(t, os.WriteFile(to+".golden", nil, 0o600))
}

// TestOpenReadsNoBodies checks that what an open reads does not grow with the nodes.
func TestOpenReadsNoBodies(t *testing.T) {
	fs := storetest.NewRecordFS(closedStore(t, 60).onFS())
	for _, readOnly := range []bool{true, false} {
		s, err := Open(t.Context(), fs, damageDir, Options{ReadOnly: readOnly})
		require.NoError(t, err)
		info, err := s.Info(t.Context())
		require.NoError(t, err)
		require.Equal(t, 60, info.Nodes)
		for line := range strings.Lines(fs.Text()) {
			require.False(t, strings.HasPrefix(line, "read ") && strings.Contains(line, "nodes.") && !readOnly, line)
			require.False(t, strings.HasPrefix(line, "read ") && strings.Contains(line, "nodes.") &&
				!strings.HasSuffix(line, " at 0\n"), line)
		}
		require.NoError(t, s.Close())
		fs.Text()
	}
}

func describe(t *testing.T, dir string) string {
	t.Helper()
	ctx := context.Background()
	say := ""
	for _, o := range []Options{{ReadOnly: true}, {}} {
		say += fmt.Sprintf("read only: %v\n", o.ReadOnly)
		s, err := OpenDir(ctx, dir, o)
		if err != nil {
			say += err.Error() + "\n"
			continue
		}
		v, err := s.Verify(ctx, func(problem error) { say += "problem: " + problem.Error() + "\n" })
		require.NoError(t, err)
		say += fmt.Sprintf("%+v\n", v)
		info, err := s.Info(ctx)
		require.NoError(t, err)
		info.Bytes = 0
		say += fmt.Sprintf("%+v\n", info)
		for n, err := range s.Scan(ctx, store.Filter{}) {
			require.NoError(t, err)
			say += fmt.Sprintf("%s %s revision %d %q\n", n.ID, n.ErrorType, n.Revision, n.Content.Title)
		}
		require.NoError(t, s.Close())
	}
	return say
}

// TestMakeOldStores writes the folders of TestOldStores. Run it once for each format, with
// MEMTREE_MAKE_STORES=1, and never again.
func TestMakeOldStores(t *testing.T) {
	if os.Getenv("MEMTREE_MAKE_STORES") == "" {
		t.Skip("only to make the stores of a new format")
	}
	ctx := context.Background()
	for _, name := range []string{"good", "torn", "corrupt"} {
		dir := filepath.Join("testdata/stores/v1", name)
		require.NoError(t, os.RemoveAll(dir))
		s, err := OpenDir(ctx, dir, Options{Origin: tree.Origin{ID: "o_golden", Label: "golden"}})
		require.NoError(t, err)
		for i := range 8 {
			e := someEvaluation(i)
			_, err := s.Accept(ctx, []tree.Evaluation{e})
			require.NoError(t, err)
			b := store.Batch{Changes: []tree.Change{add(i)},
				Entries: []ledger.Entry{{Verdict: &ledger.Verdict{Evaluation: e.ID}}}}
			if i%4 > 0 {
				b.Done = []string{e.ID}
			} else if i > 0 {
				b.Dead = []store.DeadLetter{{Evaluation: e, Why: "no answer"}}
			}
			_, err = s.Commit(ctx, b)
			require.NoError(t, err)
			if i == 3 || i == 5 {
				require.NoError(t, s.Compact(ctx))
			}
		}
		require.NoError(t, s.Close())
		journal := filepath.Join(dir, journalName(3))
		switch name {
		case "torn":
			require.NoError(t, os.Remove(filepath.Join(dir, shutdownName)))
			f, err := os.OpenFile(journal, os.O_APPEND|os.O_WRONLY, 0)
			require.NoError(t, err)
			_, err = f.WriteString("M1 99 400 0badc0de 00")
			require.NoError(t, err)
			require.NoError(t, f.Close())
		case "corrupt":
			b, err := os.ReadFile(journal)
			require.NoError(t, err)
			b[len(b)/3] ^= 4
			require.NoError(t, os.WriteFile(journal, b, 0o600))
		}
		require.NoError(t, os.Remove(filepath.Join(dir, lockName)))
	}
}
