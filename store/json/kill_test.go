package jsonstore

import (
	"bufio"
	"context"
	"os"
	"os/exec"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// killsPerFolder limits the size of a store, because all of it is read each time.
const killsPerFolder = 25

// kill kills a process that writes nodes, facts and updates of a run to one folder, repeatedly. What the process
// reported as durable must be there completely, and the store must verify.
func kill(t *testing.T, rounds int) {
	t.Helper()
	ctx, dir := context.Background(), t.TempDir()
	next := 0
	for round := range rounds {
		next = writeUntilKilled(t, dir, next, 1+17*round%40)
		s, err := OpenDir(ctx, dir, Options{})
		require.NoError(t, err)
		for i := range next {
			n, err := s.Get(ctx, add(i).Node.ID)
			require.NoError(t, err)
			require.Equal(t, add(i).Node, n)
		}
		there := map[string]bool{}
		for e, err := range s.Ledger(ctx, 0) {
			require.NoError(t, err)
			switch {
			case e.Known != nil:
				there[e.Known.Says.Text] = true
			case e.Work != nil:
				there[e.Work.Text] = true
			}
		}
		for i := range next {
			require.Contains(t, there, withEntries(i).Entries[0].Known.Says.Text)
			require.Contains(t, there, withEntries(i).Entries[1].Work.Text)
		}
		info, err := s.Info(ctx)
		require.NoError(t, err)
		require.LessOrEqual(t, info.Nodes, next+1)
		next = max(next, info.Evaluations)
		if info.Nodes < info.Evaluations { // accepted, and killed before the commit
			_, err := s.Commit(ctx, withEntries(next-1))
			require.NoError(t, err)
		}
		_, err = s.Verify(ctx, func(problem error) { t.Error(problem) })
		require.NoError(t, err)
		require.NoError(t, s.Close())
	}
}

// writeUntilKilled starts a process that writes from a number on, kills it after it has reported
// some more, and returns the number after the last reported one.
func writeUntilKilled(t *testing.T, dir string, from, say int) int {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0]) //nolint:gosec // this test
	cmd.Env = append(os.Environ(), "MEMTREE_TEST_WRITE="+dir, "MEMTREE_TEST_FROM="+strconv.Itoa(from))
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	said := bufio.NewScanner(out)
	for ; say > 0 && said.Scan(); say-- {
		n, err := strconv.Atoi(said.Text())
		require.NoError(t, err, said.Text())
		from = n + 1
	}
	require.NoError(t, cmd.Process.Kill())
	for said.Scan() { // printed before it was killed
		if n, err := strconv.Atoi(said.Text()); err == nil {
			from = n + 1
		}
	}
	_ = cmd.Wait() // it was killed
	return from
}
