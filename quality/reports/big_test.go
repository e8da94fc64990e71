//go:build unix

// Package reports measures the time and the memory of the whole process for recording reports of 100 MB. make reports
// runs it.
package reports

import (
	"archive/zip"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// mostMemory is the memory limit for recording a report, in MiB of the whole process.
const mostMemory = 200

// TestBig records a report of MEMTREE_BIG megabytes of each format with the command, and checks that its peak memory
// is below the limit. make reports runs it.
func TestBig(t *testing.T) {
	size, bin := bigness(t)
	for _, r := range []struct {
		name, format string
		write        func(path string, size int64) (int, error)
	}{
		{"results.xml", "junit", junitShape.write}, {"playwright.json", "playwright", playwrightShape.write},
		{"midscene.html", "midscene", midsceneShape.write}, {"promptfoo.json", "promptfoo", promptfooShape.write},
		{"allure-results", "allure", func(path string, size int64) (int, error) {
			return writeFolder(path, size, allureResult)
		}},
		{"allure.zip", "allure", func(path string, size int64) (int, error) {
			return writeZip(path, size, zip.Deflate, nil, allureResult)
		}},
		{"log.json", "inspect", inspectShape.write},
		{"log.eval", "inspect", func(path string, size int64) (int, error) {
			start := map[string]string{"_journal/start.json": `{"eval":{"eval_id":"e1","task":"shop","model":"m"}}`}
			return writeZip(path, size, zip.Deflate, start, func(g *generator) (string, string) {
				s := inspectSample(g)
				return "samples/s" + strconv.Itoa(g.n) + "_epoch_1.json", s
			})
		}},
		{"test_run.json", "deepeval", deepevalShape.write}, {"table.csv", "csv", csvShape.write},
		{"table.xlsx", "csv", writeWorkbook}, {"runs.jsonl", "map", mapShape.write},
	} { // not uibench: its runs have truths, so it would measure the forming of cases
		t.Run(r.name, func(t *testing.T) { measure(t, bin, r.format, r.name, size<<20, r.write) })
	}
}

// bigness returns how many megabytes a file is to have, and the command. Without MEMTREE_BIG the test is skipped.
func bigness(t *testing.T) (size int64, bin string) {
	size, err := strconv.ParseInt(os.Getenv("MEMTREE_BIG"), 10, 64)
	if err != nil {
		t.Skip("make reports measures reports of 100 MB")
	}
	if bin = os.Getenv("MEMTREE_BIN"); bin == "" {
		bin = filepath.Join(t.TempDir(), "memtree")
		out, err := exec.CommandContext(t.Context(), "go", "build", "-o", bin, "../../cmd/memtree").CombinedOutput()
		require.NoError(t, err, "%s", out)
	}
	return size, bin
}

// peakOf returns the peak memory of a process that ended, in MiB.
func peakOf(c *exec.Cmd) int64 {
	peak := c.ProcessState.SysUsage().(*syscall.Rusage).Maxrss //nolint:forcetypeassert // of every Unix
	if runtime.GOOS != "darwin" {
		peak <<= 10 // there it is in KiB
	}
	return peak >> 20
}

// measure records one report and logs time and memory.
func measure(t *testing.T, bin, format, name string, size int64, write func(string, int64) (int, error)) {
	dir := t.TempDir()
	path := filepath.Join(dir, name)
	want, err := write(path, size)
	require.NoError(t, err)
	args := []string{"ingest", format, path, "--json"}
	if format == "map" {
		m := filepath.Join(dir, "mapping.yaml")
		require.NoError(t, os.WriteFile(m, []byte("fields: {id: uid, prompt: title, judgment: outcome.status}\n"), 0o600))
		args = append(args, "--map", m)
	}
	store := filepath.Join(dir, "store")
	run := func(args ...string) (*exec.Cmd, []byte) {
		c := exec.CommandContext(t.Context(), bin, args...)
		c.Env = append(os.Environ(), "MEMTREE_STORE="+store)
		out, err := c.Output()
		require.NoError(t, err, "%s %s", out, stderr(err))
		return c, out
	}
	run("init")
	start := time.Now()
	c, out := run(args...)
	took := time.Since(start)
	var got struct{ Read, Skipped, RejectedCount int }
	require.NoError(t, json.Unmarshal(out, &got))
	require.Equal(t, want, got.Read+got.Skipped, "every test is read")
	require.Zero(t, got.RejectedCount)
	peak := peakOf(c)
	cpu := c.ProcessState.UserTime() + c.ProcessState.SystemTime()
	t.Logf("%-16s %7d runs %6.1f s, of them %6.1f s of a processor, %4d MiB at the peak", name, want, took.Seconds(),
		cpu.Seconds(), peak)
	require.LessOrEqual(t, peak, int64(mostMemory), "%s takes too much memory", name)
}

func stderr(err error) string {
	if e, ok := err.(*exec.ExitError); ok { //nolint:errorlint // as Output returns it
		return string(e.Stderr)
	}
	return ""
}
