package jsonstore

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/tree"
)

// TestMain is also the writing process of TestKill.
func TestMain(m *testing.M) {
	if dir := os.Getenv("MEMTREE_TEST_WRITE"); dir != "" {
		writeForEver(dir)
	}
	os.Exit(m.Run())
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
			_, err = s.Commit(ctx, tree.Batch{Changes: []tree.Change{add(i)}, Done: []string{fmt.Sprint("ev", i)}})
		}
		if err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		fmt.Println(i)
	}
}

// TestKill kills a writing process again and again. What it said was durable is
// there, whole, and the store verifies.
func TestKill(t *testing.T) {
	rounds := 5
	if n, err := strconv.Atoi(os.Getenv("MEMTREE_KILLS")); err == nil {
		rounds = n
	}
	ctx, dir := context.Background(), t.TempDir()
	next := 0
	for round := range rounds {
		cmd := exec.CommandContext(ctx, os.Args[0]) //nolint:gosec // this test
		cmd.Env = append(os.Environ(), "MEMTREE_TEST_WRITE="+dir, "MEMTREE_TEST_FROM="+strconv.Itoa(next))
		out, err := cmd.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, cmd.Start())
		said := bufio.NewScanner(out)
		for want := 20 + 7*round%40; want > 0 && said.Scan(); want-- {
			n, err := strconv.Atoi(said.Text())
			require.NoError(t, err, said.Text())
			next = n + 1
		}
		require.NoError(t, cmd.Process.Kill())
		for said.Scan() { // said before it died
			if n, err := strconv.Atoi(said.Text()); err == nil {
				next = n + 1
			}
		}
		_ = cmd.Wait() // it was killed

		s, err := OpenDir(ctx, dir, Options{})
		require.NoError(t, err)
		for i := range next {
			n, err := s.Get(ctx, add(i).Node.ID)
			require.NoError(t, err)
			require.Equal(t, add(i).Node, n)
		}
		info, err := s.Info(ctx)
		require.NoError(t, err)
		require.LessOrEqual(t, info.Nodes, next+1)
		next = max(next, info.Evaluations)
		if info.Nodes < info.Evaluations { // accepted, and killed before the commit
			_, err := s.Commit(ctx, tree.Batch{Changes: []tree.Change{add(next - 1)}, Done: []string{fmt.Sprint("ev", next-1)}})
			require.NoError(t, err)
		}
		_, err = s.Verify(ctx, func(problem error) { t.Error(problem) })
		require.NoError(t, err)
		require.NoError(t, s.Close())
	}
}

func TestSecondProcess(t *testing.T) {
	ctx, dir := context.Background(), t.TempDir()
	started := time.Date(2026, 1, 28, 9, 0, 0, 0, time.UTC)
	s, err := OpenDir(ctx, dir, Options{Started: started})
	require.NoError(t, err)
	_, err = OpenDir(ctx, dir, Options{})
	var locked *tree.LockedError
	require.ErrorAs(t, err, &locked)
	require.Equal(t, os.Getpid(), locked.PID)
	require.Equal(t, started, locked.Started)

	r, err := OpenDir(ctx, dir, Options{ReadOnly: true})
	require.NoError(t, err)
	_, err = r.Accept(ctx, []tree.Evaluation{someEvaluation(1)})
	require.ErrorIs(t, err, tree.ErrReadOnly)
	for i := range 40 { // it follows, through snapshots too
		_, err := s.Commit(ctx, tree.Batch{Changes: []tree.Change{add(i)}, Entries: []tree.Entry{{Verdict: &tree.Verdict{}}}})
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
	require.ErrorIs(t, err, tree.ErrClosed)
	require.NoError(t, s.Close())
}

// TestSomebodyElsesFolder: what is not a store this program knows stays as it is.
func TestSomebodyElsesFolder(t *testing.T) {
	ctx := context.Background()
	for name, c := range map[string]struct{ file, text, want string }{
		"foreign": {"thesis.doc", "years of work", `is not a memory store and not empty: there is "thesis.doc" in it; choose another folder`},
		"newer":   {formatName, `{"format":"memtree","major":2}`, "has format 2 and this program knows formats up to 1; use a newer memtree, nothing was changed"},
		"other":   {formatName, `[]`, "is not a memory store: its FORMAT.json is not one of memtree's; choose another folder"},
		"lost":    {"journal.000002.jsonl", "M1 ", `is not a memory store and not empty: there is "journal.000002.jsonl" in it; choose another folder`},
	} {
		for _, readOnly := range []bool{false, true} {
			dir := t.TempDir()
			require.NoError(t, os.WriteFile(filepath.Join(dir, c.file), []byte(c.text), 0o600))
			_, err := OpenDir(ctx, dir, Options{ReadOnly: readOnly})
			var format *tree.FormatError
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

// TestLinkOut: a link in the folder does not lead out of it.
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

func TestReadOnlyFolder(t *testing.T) {
	ctx, dir := context.Background(), t.TempDir()
	s, err := OpenDir(ctx, dir, Options{})
	require.NoError(t, err)
	_, err = s.Commit(ctx, tree.Batch{Changes: []tree.Change{add(1)}})
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

// TestFsck goes the way of an owner whose journal is damaged.
func TestFsck(t *testing.T) {
	ctx, dir := context.Background(), t.TempDir()
	s, err := OpenDir(ctx, dir, Options{})
	require.NoError(t, err)
	for i := range 6 {
		_, err := s.Commit(ctx, tree.Batch{Changes: []tree.Change{add(i)}})
		require.NoError(t, err)
	}
	require.NoError(t, s.Close())
	journal := filepath.Join(dir, journalName(1))
	b, err := os.ReadFile(journal)
	require.NoError(t, err)
	b[len(b)/2] ^= 1
	require.NoError(t, os.WriteFile(journal, b, 0o600))

	var corrupt *tree.CorruptError
	_, err = OpenDir(ctx, dir, Options{})
	require.ErrorAs(t, err, &corrupt)
	r, err := FsckDir(ctx, dir, false)
	require.NoError(t, err)
	require.Equal(t, corrupt, r.Damage)
	require.Less(t, r.Left, uint64(6))
	require.Positive(t, r.Left)
	left := int(r.Left) //nolint:gosec // small
	same, err := os.ReadFile(journal)
	require.NoError(t, err)
	require.Equal(t, b, same, "it changes nothing")
	r, err = FsckDir(ctx, dir, true)
	require.NoError(t, err)
	require.Len(t, r.Moved, 1)
	aside, err := os.ReadFile(filepath.Join(dir, r.Moved[0]))
	require.NoError(t, err)
	require.Equal(t, b[corrupt.Offset:], aside)
	s, err = OpenDir(ctx, dir, Options{})
	require.NoError(t, err)
	info, err := s.Info(ctx)
	require.NoError(t, err)
	require.Equal(t, left, info.Nodes)
	require.NoError(t, s.Close())
}

// TestNoHarm flips every bit of a small closed store, and cuts every file at
// every length: each is told of, or does no harm.
func TestNoHarm(t *testing.T) {
	ctx, dir := context.Background(), t.TempDir()
	s, err := OpenDir(ctx, dir, Options{})
	require.NoError(t, err)
	for i := range 4 {
		_, err = s.Accept(ctx, []tree.Evaluation{someEvaluation(i)})
		require.NoError(t, err)
		_, err := s.Commit(ctx, tree.Batch{Changes: []tree.Change{add(i)}, Entries: []tree.Entry{{Verdict: &tree.Verdict{}}}})
		require.NoError(t, err)
		if i == 1 {
			require.NoError(t, s.Compact(ctx))
		}
	}
	require.NoError(t, s.Close())
	whole, problems := holds(t, dir)
	require.Empty(t, problems)
	require.NoError(t, filepath.WalkDir(dir, func(name string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() == lockName {
			return err
		}
		good, err := os.ReadFile(name) //nolint:gosec // of this test
		require.NoError(t, err)
		step := max(1, len(good)*8/40) | 1 // every bit takes minutes; all kinds of places do not
		for bit := 0; bit < 8*len(good); bit += step {
			bad := append([]byte{}, good...)
			bad[bit/8] ^= 1 << (bit % 8)
			require.NoError(t, os.WriteFile(name, bad, 0o600)) //nolint:gosec // of this test
			got, problems := holds(t, dir)
			require.True(t, got == whole || len(problems) > 0, "%s bit %d", name, bit)
		}
		for size := 0; size < len(good); size += max(1, len(good)/10) {
			require.NoError(t, os.WriteFile(name, good[:size], 0o600)) //nolint:gosec // of this test
			got, problems := holds(t, dir)
			require.True(t, got == whole || len(problems) > 0, "%s cut at %d", name, size)
		}
		return os.WriteFile(name, good, 0o600) //nolint:gosec // of this test
	}))
}

// holds returns all that a store says it holds, and what it says is wrong.
func holds(t *testing.T, dir string) (string, []string) {
	t.Helper()
	ctx := context.Background()
	s, err := OpenDir(ctx, dir, Options{ReadOnly: true})
	if err != nil {
		return "", []string{err.Error()}
	}
	defer func() { require.NoError(t, s.Close()) }()
	var problems []string
	var say strings.Builder
	_, err = s.Verify(ctx, func(problem error) { problems = append(problems, problem.Error()) })
	if err != nil {
		problems = append(problems, err.Error())
	}
	for n, err := range s.Scan(ctx, tree.Filter{}) {
		b, _ := encode(n) // of a node that was read
		fmt.Fprint(&say, string(b), err)
	}
	for e, err := range s.Ledger(ctx, 0) {
		b, _ := encode(e) // likewise
		fmt.Fprint(&say, string(b), err)
	}
	info, err := s.Info(ctx)
	fmt.Fprint(&say, info, err)
	return say.String(), problems
}

// TestFullDisk uses the process's limit on the size of files as a full disk
// would be used, where the system lets it.
func TestFullDisk(t *testing.T) {
	require.True(t, full(fmt.Errorf("write: %w", syscall.ENOSPC)))
	require.False(t, full(syscall.EIO))
}
