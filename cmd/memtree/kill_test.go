package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestKilledWhileRecording kills record midway and records again: no run is lost or doubled, and the tree equals that
// of an undisturbed record.
func TestKilledWhileRecording(t *testing.T) {
	dir := t.TempDir()
	runs := filepath.Join(dir, "runs.jsonl")
	const n = 1600
	wrong := manyRuns(t, runs, n)
	undisturbed := filepath.Join(dir, "undisturbed")
	recordAll(t, undisturbed, runs, n)
	want, stands := treeOf(t, undisturbed)
	require.Equal(t, wrong, stands)

	for i, after := range []int{1, 4} { // batches
		store := filepath.Join(dir, fmt.Sprint("killed", i))
		code, _, errs := try(t, "", "init", "--store", store)
		require.Zero(t, code, errs)
		killDuringRecord(t, store, runs, after)

		code, out, errs := try(t, "", "record", runs, "--store", store, "--json")
		require.Zero(t, code, errs)
		rec := shaped[recordShape](t, out)
		require.Equal(t, n, *rec.Accepted+*rec.Duplicate)
		require.NotZero(t, *rec.Duplicate, "what was accepted before the kill is known")
		code, out, errs = try(t, "", "stats", "--store", store, "--json")
		require.Zero(t, code, errs)
		var s struct{ Evaluations, Outbox, Dead int }
		require.NoError(t, json.Unmarshal([]byte(out), &s))
		require.Equal(t, n, s.Evaluations)
		require.Zero(t, s.Outbox+s.Dead)
		got, stands := treeOf(t, store)
		require.Equal(t, wrong, stands)
		require.Equal(t, want, got, "another tree than undisturbed")
		code, _, errs = try(t, "", "verify", "--store", store)
		require.Zero(t, code, errs)
	}
}

// manyRuns writes n runs, every third wrong, and returns the number of wrong ones.
func manyRuns(t *testing.T, path string, n int) (wrong int) {
	t.Helper()
	var b bytes.Buffer
	for i := range n {
		truth := "pass"
		if i%3 == 0 {
			truth = "fail"
			wrong++
		}
		_, err := fmt.Fprintf(&b, `{"id":"r%d","case_id":"case-%d","at":"2026-01-01T00:00:00Z",`+
			`"scene":{"id":"S%d","type":"form","route":"/orders/%d"},"prompt":"Check form %d of order %d",`+
			`"judgment":"pass","ground_truth":%q,"reason":"field %d was not looked at"}`+"\n",
			i, i%700, i%40, i, i%500, i%300, truth, i%200)
		require.NoError(t, err)
	}
	require.NoError(t, os.WriteFile(path, b.Bytes(), 0o600))
	return wrong
}

func recordAll(t *testing.T, store, runs string, n int) {
	t.Helper()
	code, _, errs := try(t, "", "init", "--store", store)
	require.Zero(t, code, errs)
	code, out, errs := try(t, "", "record", runs, "--store", store, "--json")
	require.Zero(t, code, errs)
	rec := shaped[recordShape](t, out)
	require.Equal(t, n, *rec.Accepted)
}

// killDuringRecord passes so many batches to record, then kills it.
func killDuringRecord(t *testing.T, store, runs string, batches int) {
	t.Helper()
	c, in, _ := recording(t, store, runs, batches)
	require.NoError(t, c.Process.Kill())
	_ = c.Wait() // killed, so it returns an error
	_ = in.Close()
}

// recording starts a process that records from a pipe, and returns once it has
// read so many batches.
func recording(t *testing.T, store, runs string, batches int) (c *exec.Cmd, in io.WriteCloser, stderr *bytes.Buffer) {
	t.Helper()
	exe, err := os.Executable()
	require.NoError(t, err)
	c = exec.CommandContext(t.Context(), exe, "record", "-", "--store", store) //nolint:gosec // this binary
	c.Env = append(os.Environ(), asMemtree+"=1", "LANG=C")
	stderr = &bytes.Buffer{}
	c.Stderr = stderr
	in, err = c.StdinPipe()
	require.NoError(t, err)
	require.NoError(t, c.Start())
	b, err := os.ReadFile(runs) //nolint:gosec // the test's own
	require.NoError(t, err)
	lines := bytes.SplitAfter(b, []byte("\n"))
	// A pipe's buffer of 64 kB holds about one batch of these, and the reader's
	// own not much more: once it has taken all of a few batches, all but the last
	// have been read.
	_, err = in.Write(bytes.Join(lines[:min(len(lines), (batches+2)*batchRuns)], nil))
	require.NoError(t, err)
	return c, in, stderr
}

// TestInterruptedWhileRecording: an interrupted record reports what is recorded and how to continue, does not wait
// for more input, and closes the store.
func TestInterruptedWhileRecording(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a process cannot be sent an interrupt there")
	}
	for _, signal := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		dir := t.TempDir()
		store, runs := filepath.Join(dir, "store"), filepath.Join(dir, "runs.jsonl")
		manyRuns(t, runs, 1000)
		code, _, errs := try(t, "", "init", "--store", store)
		require.Zero(t, code, errs)
		require.NoError(t, os.Remove(filepath.Join(store, "shutdown.json")))
		c, in, stderr := recording(t, store, runs, 1)
		require.NoError(t, c.Process.Signal(signal))
		var exit *exec.ExitError
		require.ErrorAs(t, c.Wait(), &exit, stderr.String())
		_ = in.Close() // Wait did
		require.Equal(t, exitFailed, exit.ExitCode(), stderr.String())
		require.Regexp(t, `^memtree: interrupted; the (256|512|768) runs accepted before that are kept; `+
			`give the same command again to go on`, stderr.String())
		require.FileExists(t, filepath.Join(store, "shutdown.json"), "it was closed")

		code, out, errs := try(t, "", "record", runs, "--store", store, "--json")
		require.Zero(t, code, errs)
		rec := shaped[recordShape](t, out)
		require.Equal(t, 1000, *rec.Accepted+*rec.Duplicate)
		require.NotZero(t, *rec.Duplicate)
	}
}

// treeOf returns the content of the tree, a line per case, and the number of its runs. It omits where and how the
// tree was made.
func treeOf(t *testing.T, store string) (cases []string, runs int) {
	t.Helper()
	code, out, errs := try(t, "", "tree", "--json", "--store", store)
	require.Zero(t, code, errs)
	var all struct {
		Nodes []struct {
			ID          string
			Occurrences []struct{ Evaluation string }
		}
	}
	require.NoError(t, json.Unmarshal([]byte(out), &all))
	for _, n := range all.Nodes {
		line := n.ID
		for _, o := range n.Occurrences {
			line += " " + o.Evaluation
		}
		cases = append(cases, line)
		runs += len(n.Occurrences)
	}
	return cases, runs
}
