package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/internal/cli/access"
	"github.com/memtree/memtree/internal/cli/say"
)

// TestSameElsewhere: a command prints the same in the process that holds the store as alone, in both languages and in
// JSON, with the same exit code.
func TestSameElsewhere(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the service is ended by a signal")
	}
	t.Chdir(t.TempDir())
	fixtures, err := filepath.Abs(filepath.Join(sourceDir, "../../fixtures"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile("better.json", []byte(`{"title":"x"}`), 0o600))
	var said [2]string
	for i, store := range []string{"alone", "served"} {
		code, _, errs := try(t, "", "init", "--store", store)
		require.Zero(t, code, errs)
		var s *service
		if store == "served" {
			s = serving(t, "--store", store)
		}
		said[i] = script(t, store, fixtures)
		if s != nil {
			log := s.end(syscall.SIGTERM)
			require.Contains(t, log, `"msg":"command","store":"served","command":"record","exit":0`)
		}
	}
	require.Equal(t, said[0], said[1])
}

// sourceDir is the folder of the tests, independent of the working folder.
var sourceDir, _ = os.Getwd()

// script runs many commands, and returns their output without what differs between two stores.
func script(t *testing.T, store, fixtures string) string {
	t.Helper()
	var out strings.Builder
	ids := func() []string {
		_, tree, _ := try(t, "", "tree", "--json", "--store", store)
		return regexp.MustCompile(`[ces]_[a-z0-9]{20}`).FindAllString(tree, -1)
	}
	give := func(stdin string, args ...string) {
		for _, more := range [][]string{nil, {"--lang", "zh"}, {"--json"}} {
			code, o, e := try(t, stdin, append(append(args, "--store", store), more...)...)
			fmt.Fprintf(&out, "$ %v %v\n%d\n%s%s", args, more, code, o, e)
		}
	}
	file := func(name string) string { return filepath.Join(fixtures, name) }
	give("", "record", file("shop.jsonl"), file("gui-zh.jsonl"), file("tau.jsonl"))
	give(`{"prompt":"Is the total right?","judgment":"pass"}`, "record", "-", "--run", "mon")
	give("", "record", "nowhere.jsonl")
	give("no JSON", "record", "-")
	give("", "record", file("../cmd/memtree/rooms.jsonl"), "--dry-run")
	give("", "guide", "--prompt", "Check that the cart total equals the sum of the item prices", "--route", "/cart")
	give("Check the cart", "guide", "--prompt", "-", "--enhanced", "--findings")
	give("", "guide", "--prompt", "Check the cart", "--run", "mon", "--holdout", "0")
	give("", "evolve", "--explain")
	give("", "evolve", "--review")
	give("", "review")
	give("", "review", "--accept", "j_nowhere")
	give("", "review", "--accept", "all")
	all := ids()
	require.Greater(t, len(all), 3)
	give("", "pin", all[0], "--why", "it is read every week")
	give("", "ban", all[1], "--by", "ann", "--yes")
	give("", "forget", all[2])
	give("", "forget", all[2], "--yes")
	give("", "forget", "c_nowhere")
	give("", "undo")
	give("", "relabel", "nowhere", "--truth", `"pass"`)
	give("", "edit", all[len(all)-1], "--file", "better.json")
	give("", "edit", all[len(all)-1])
	give("", "evolve", "--only", "no_such_type")
	give("", "prune")
	give("", "promote", "c_nowhere")
	give("", "import", "nowhere.memtree")
	give("", "triage", file("../cmd/memtree/rooms.jsonl"), "--correct-above", "0.9", "--out", "corrected.jsonl")
	report := func(name string) string { return filepath.Join(fixtures, "..", "ingest", "report", "testdata", name) }
	give("", "ingest", "junit", report("junit/pytest-cart.xml"), "--run", "night")
	give("", "ingest", "allure", report("allure/pytest-orders"), "--run", "night")
	give("", "ingest", "map", report("junit/pytest-cart.xml"), "--map", "nowhere.yaml")
	give("r\nq\n", "label")
	give("id,truth\nnowhere,pass\n", "label", "--from", "-")
	give("", "tree")
	give("", "show", all[0])
	for name, with := range map[string]string{
		`\b` + store + `\b`:                "STORE",
		`\b[akot]_[a-z0-9]{20}`:            "ID",
		`-?\d+\.\d{6,}`:                    "WITH AGE",
		`"(at|since|seen)": ?"[^"]*"`:      "TIME",
		`\d{4}-\d\d-\d\d[T ]?[0-9:.]*Z?`:   "TIME",
		`(STORE · memtree/1 · )[0-9.]+ kB`: "$1",
	} {
		s := regexp.MustCompile(name).ReplaceAllString(out.String(), with)
		out.Reset()
		out.WriteString(s)
	}
	return out.String()
}

// TestKilledElsewhere: the process that holds the store is killed while it records for another. The other reports
// that, and the same command continues later.
func TestKilledElsewhere(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("it is ended by a signal")
	}
	dir := t.TempDir()
	store, runs := filepath.Join(dir, "store"), filepath.Join(dir, "runs.jsonl")
	const n = 600
	manyRuns(t, runs, n)
	code, _, errs := try(t, "", "init", "--store", store)
	require.Zero(t, code, errs)
	s := serving(t, "--store", store)

	lines, err := os.ReadFile(runs) //nolint:gosec // written above
	require.NoError(t, err)
	in, more := io.Pipe()
	var out, said bytes.Buffer
	ended := make(chan int)
	go func() {
		ended <- run(t.Context(), say.Process{
			Args: []string{"record", "-", "--store", store}, Stdin: in, Stdout: &out, Stderr: &said,
			Getenv: func(string) string { return "" },
		})
	}()
	_, err = more.Write(lines)
	require.NoError(t, err)
	waitFor(t, func() bool { return recordedIn(t, store) >= 256 })
	require.NoError(t, s.cmd.Process.Kill())
	require.Equal(t, exitFailed, <-ended)
	require.Contains(t, said.String(), "which holds the store, ended before this was done; what it acknowledged is kept")
	require.NoError(t, more.Close())
	<-s.rest
	require.Error(t, s.cmd.Wait())

	code, _, errs = try(t, "", "record", runs, "--store", store)
	require.Zero(t, code, errs)
	require.Equal(t, n, recordedIn(t, store))
	code, _, errs = try(t, "", "verify", "--store", store)
	require.Zero(t, code, errs)
}

// TestInterruptElsewhere: Ctrl-C here ends the command there, which reports what was recorded; the service continues.
func TestInterruptElsewhere(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the service is ended by a signal")
	}
	dir := t.TempDir()
	store, runs := filepath.Join(dir, "store"), filepath.Join(dir, "runs.jsonl")
	manyRuns(t, runs, 600)
	code, _, errs := try(t, "", "init", "--store", store)
	require.Zero(t, code, errs)
	s := serving(t, "--store", store)
	lines, err := os.ReadFile(runs) //nolint:gosec // written above
	require.NoError(t, err)
	in, more := io.Pipe()
	defer more.Close()
	ctx, cancel := context.WithCancel(t.Context())
	var out, said bytes.Buffer
	ended := make(chan int)
	go func() {
		ended <- run(ctx, say.Process{
			Args: []string{"record", "-", "--store", store}, Stdin: in, Stdout: &out, Stderr: &said,
			Getenv: func(string) string { return "" },
		})
	}()
	_, err = more.Write(lines)
	require.NoError(t, err)
	waitFor(t, func() bool { return recordedIn(t, store) >= 512 })
	cancel()
	require.Equal(t, exitFailed, <-ended)
	require.Contains(t, said.String(), "interrupted; the 512 runs accepted before that are kept; give the same")
	code, _, errs = try(t, "", "record", runs, "--store", store)
	require.Zero(t, code, errs)
	require.Equal(t, 600, recordedIn(t, store))
	s.end(syscall.SIGTERM)
}

// recordedIn returns the number of recorded runs.
func recordedIn(t *testing.T, store string) int {
	t.Helper()
	_, out, errs := try(t, "", "stats", "--json", "--read-only", "--store", store)
	var n int
	_, err := fmt.Sscanf(regexp.MustCompile(`"evaluations": \d+`).FindString(out), `"evaluations": %d`, &n)
	require.NoError(t, err, errs)
	return n
}

func waitFor(t *testing.T, done func() bool) {
	t.Helper()
	for range 600 {
		if done() {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Fatal("it did not come to that in half a minute")
}

// TestCountsOfSeveral: commands that record at the same time each report their own runs.
func TestCountsOfSeveral(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the service is ended by a signal")
	}
	dir := t.TempDir()
	store := filepath.Join(dir, "store")
	code, _, errs := try(t, "", "init", "--store", store)
	require.Zero(t, code, errs)
	s := serving(t, "--store", store)
	const several, runs = 4, 30
	var all sync.WaitGroup
	outs := make([]string, several)
	for i := range several {
		all.Go(func() {
			var in strings.Builder
			for k := range runs {
				fmt.Fprintf(&in, `{"id":"w%d-%d","case_id":"case-%d-%d","prompt":"Check page %d of shop %d",`+
					`"judgment":"pass","ground_truth":"fail","reason":"word%d%d was not seen"}`+"\n", i, k, i, k, k, i, i, k)
			}
			_, outs[i], _ = try(t, in.String(), "record", "-", "--store", store)
		})
	}
	all.Wait()
	for _, out := range outs {
		require.Contains(t, out, "30 runs: 30 accepted, 0 recorded before")
		require.Contains(t, out, "Of the accepted: 0 right, 30 wrong, 0 without a label")
		require.Contains(t, out, "New cases: 30. Occurrences of known cases: 0.")
	}
	s.end(syscall.SIGTERM)
}

// TestTwoAgents: two memtree mcp on one store both record, and so does a command beside them.
func TestTwoAgents(t *testing.T) {
	store := mcpStore(t)
	before := recordedIn(t, store)
	first, _ := mcpDial(t, store)
	second, said := mcpDial(t, store)
	var out map[string]any
	for i, agent := range []*mcp.ClientSession{first, second} {
		mcpCall(t, agent, "record_outcome", map[string]any{"prompt": fmt.Sprint("Check page ", i), "judgment": true,
			"correct": true, "run_id": fmt.Sprint("run-", i)}, &out)
	}
	code, _, errs := try(t, `{"prompt":"Check the total","judgment":"pass"}`, "record", "-", "--store", store)
	require.Zero(t, code, errs)
	require.Equal(t, before+3, recordedIn(t, store))
	code, _, errs = try(t, "", "compact", "--store", store)
	require.Equal(t, exitFailed, code)
	require.Regexp(t, `memtree mcp \(process \d+\) holds store .*; stop it first`, errs)
	require.NoError(t, first.Close())
	require.Error(t, second.Wait(), "it ends with the process it worked in, and says so")
	require.Contains(t, strings.ReplaceAll(said.String(), "\n", " "), "which held the store, ends, and so does this")
}

// TestOtherVersion: a process of another version runs the command, and a note reports that.
func TestOtherVersion(t *testing.T) {
	store := filepath.Join(t.TempDir(), "store")
	code, _, errs := try(t, "", "init", "--store", store)
	require.Zero(t, code, errs)
	l, err := access.Listen(t.Context(), store, access.Owner{Version: "v0.9.1", Command: "serve"},
		func(_ context.Context, e *access.RemoteCommand) int {
			_, _ = io.WriteString(e.Stdout, strings.Join(e.Args, " ")+"\n")
			return exitRejected
		})
	require.NoError(t, err)
	defer l.Close()
	code, out, errs := try(t, "", "record", "x", "--store", store)
	require.Equal(t, exitRejected, code)
	require.Equal(t, "record x --store "+store+"\n", out)
	require.Contains(t, errs, "so its version does this: v0.9.1, and this is ")
	code, _, errs = try(t, "", "record", "x", "--store", store, "--quiet")
	require.Equal(t, exitRejected, code)
	require.Empty(t, errs)
}
