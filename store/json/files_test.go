package jsonstore

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/internal/golden"
	"github.com/memtree/memtree/store/storetest"
	"github.com/memtree/memtree/tree"
)

// TestProtocol keeps the list of file operations of every step under review.
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
	_, err = s.Commit(ctx, tree.Batch{Changes: []tree.Change{add(1)}, Done: []string{"ev1"}, Entries: []tree.Entry{{Verdict: &tree.Verdict{}}}})
	require.NoError(t, err)
	fs.Note("snapshot")
	require.NoError(t, s.Compact(ctx))
	fs.Note("commit, second snapshot")
	_, err = s.Commit(ctx, tree.Batch{Changes: []tree.Change{add(1 + 3)}})
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

// TestOldStores opens folders that an earlier version wrote, as recorded.
func TestOldStores(t *testing.T) {
	for _, name := range []string{"good", "torn", "corrupt"} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			require.NoError(t, os.CopyFS(dir, os.DirFS(filepath.Join("testdata/stores/v1", name))))
			golden.Equal(t, filepath.Join("testdata/stores/v1", name+".golden"), describe(t, dir))
		})
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
		for n, err := range s.Scan(ctx, tree.Filter{}) {
			require.NoError(t, err)
			say += fmt.Sprintf("%s %s revision %d %q\n", n.ID, n.ErrorType, n.Revision, n.Content.Title)
		}
		require.NoError(t, s.Close())
	}
	return say
}

// TestMakeOldStores writes the folders of TestOldStores; run it once a format,
// with MEMTREE_MAKE_STORES=1, and never again.
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
			b := tree.Batch{Changes: []tree.Change{add(i)}, Entries: []tree.Entry{{Verdict: &tree.Verdict{Evaluation: e.ID}}}}
			if i%4 > 0 {
				b.Done = []string{e.ID}
			} else if i > 0 {
				b.Dead = []tree.DeadLetter{{Evaluation: e, Why: "no answer"}}
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
