//go:build unix

package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/internal/cli/access"
	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/store/move"
	"github.com/memtree/memtree/store/postgres"
	"github.com/memtree/memtree/store/postgres/pgtest"
	"github.com/memtree/memtree/tree"
)

// TestRestore dumps a database while it is written and restores it, with the commands of docs/operate.md: what was
// acknowledged before is there, each commit has its hash, and memtree verify finds nothing wrong. Dumped when nothing
// writes, the content is equal by its hash, and new commits go on from there.
func TestRestore(t *testing.T) {
	server := pgtest.Start(t, "fsync=off")
	env := map[string]string{access.LocalVariable: t.TempDir()}
	from := server.URL("postgres") + "&tree=shop"
	code, _, errs := tryWith(t, env, sqlRuns, "record", "-", "--store", from)
	require.Zero(t, code, errs)
	s := openAt(t, from)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var writing sync.WaitGroup
	var mu sync.Mutex
	var accepted []tree.Evaluation
	written := func() int {
		mu.Lock()
		defer mu.Unlock()
		return len(accepted)
	}
	for w := range 4 {
		writing.Go(func() {
			for i := w; ctx.Err() == nil; i += 4 {
				e := tree.Evaluation{ID: fmt.Sprint("w", i), CaseID: "t", At: time.Date(2026, 3, 1, 0, 0, i, 0, time.UTC),
					Prompt: "Check it", Judgment: tree.Raw(`"pass"`)}
				if _, err := s.Accept(t.Context(), []tree.Evaluation{e}); err != nil {
					t.Error(err)
					return
				}
				_, err := s.Commit(t.Context(), store.Batch{Entries: []ledger.Entry{{At: e.At, Verdict: &ledger.Verdict{
					Evaluation: e.ID}}}})
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				accepted = append(accepted, e)
				mu.Unlock()
			}
		})
	}
	enough := func(more int) {
		for n := written(); written() < n+more; {
			time.Sleep(time.Millisecond)
		}
	}
	enough(200)
	mu.Lock()
	before := slices.Clone(accepted)
	mu.Unlock()
	dump, restore := restoring(t, server)
	dump()
	enough(200)
	live := restore("live")
	r := openAt(t, live)
	receipts, err := r.Accept(t.Context(), before)
	require.NoError(t, err)
	for i := range receipts {
		require.Equal(t, store.Duplicate, receipts[i].Status, "it was acknowledged before the dump began")
	}
	chain, all := hashes(t, live), hashes(t, from)
	require.Greater(t, len(all), len(chain))
	require.Greater(t, len(chain), len(before))
	require.Equal(t, all[:len(chain)], chain)

	stop()
	writing.Wait()
	dump()
	quiet := restore("quiet")
	want, err := move.Sum(t.Context(), s)
	require.NoError(t, err)
	r = openAt(t, quiet)
	have, err := move.Sum(t.Context(), r)
	require.NoError(t, err)
	require.Equal(t, want, have)
	require.Equal(t, written()+3, have.Known)
	code, out, errs := tryWith(t, env, sqlRuns, "record", "-", "--store", quiet)
	require.Zero(t, code, errs)
	require.Contains(t, out, "3 recorded before")
}

// openAt opens the store at a URL until the test ends.
func openAt(t *testing.T, url string) *postgres.Store {
	t.Helper()
	a, err := postgres.Parse(url)
	require.NoError(t, err)
	s, err := postgres.Open(t.Context(), a, postgres.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// hashes returns those of the commits of a tree, in order.
func hashes(t *testing.T, url string) (all [][]byte) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), strings.TrimSuffix(url, "&tree=shop"))
	require.NoError(t, err)
	defer conn.Close(context.Background())
	rows, err := conn.Query(t.Context(), `SELECT hash FROM memtree.commit ORDER BY rev`)
	require.NoError(t, err)
	all, err = pgx.CollectRows(rows, pgx.RowTo[[]byte])
	require.NoError(t, err)
	return all
}

// restoring returns what runs the commands of docs/operate.md on a server: one that dumps, and those that restore into
// a new database and verify it. restore returns the URL of the tree there.
func restoring(t *testing.T, server *pgtest.Postgres) (dump func(), restore func(name string) string) {
	t.Helper()
	dir := t.TempDir()
	var lines []string
	b, err := os.ReadFile("../../docs/operate.md")
	require.NoError(t, err)
	_, section, _ := strings.Cut(string(b), "## Backup and restore\n")
	section, _, _ = strings.Cut(section, "\n## ")
	for line := range strings.Lines(section) {
		if rest, ok := strings.CutPrefix(line, "    "); ok {
			lines = append(lines, strings.TrimSpace(rest))
		}
	}
	require.Len(t, lines, 4)
	require.NoError(t, os.Symlink(os.Args[0], filepath.Join(dir, "memtree")))
	shell := func(line, name string) string {
		t.Helper()
		line = strings.NewReplacer("memtree@db.example.org/memtree\"", "postgres@127.0.0.1/postgres\"",
			"memtree@db.example.org/restored", "postgres@127.0.0.1/"+name, "--host=db.example.org", "--host=127.0.0.1",
			"--username=memtree restored", "--username=postgres "+name).Replace(line)
		require.NotContains(t, line, "example")
		c := exec.CommandContext(t.Context(), "sh", "-c", line)
		c.Dir = dir
		c.Env = append(os.Environ(), "PATH="+dir+":"+server.Bin()+":/usr/bin:/bin", fmt.Sprint("PGPORT=", server.Port),
			"PGSSLMODE=disable", access.LocalVariable+"="+t.TempDir(), asMemtree+"=1", "LANG=C")
		out, err := c.CombinedOutput()
		require.NoError(t, err, "%s: %s", line, out)
		return string(out)
	}
	return func() { shell(lines[0], "") }, func(name string) string {
		for _, line := range lines[1:3] {
			shell(line, name)
		}
		require.Contains(t, shell(lines[3], name), "Everything is in order.")
		return server.URL(name) + "&tree=shop"
	}
}

// TestRestoreExport: the file of an export is no backup, and the error names the command for it.
func TestRestoreExport(t *testing.T) {
	file := filepath.Join(t.TempDir(), "oa.mt")
	require.NoError(t, os.WriteFile(file, []byte("x"), 0o600))
	code, _, errs := try(t, "", "restore", file, "--store", filepath.Join(t.TempDir(), "x"))
	require.Equal(t, exitFailed, code)
	require.Contains(t, strings.Join(strings.Fields(errs), " "), "memtree import takes the file of an export")
}
