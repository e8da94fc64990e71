package report_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/ingest"
	"github.com/memtree/memtree/ingest/report"
	"github.com/memtree/memtree/internal/golden"
	"github.com/memtree/memtree/tree"
)

// input is a file to be read.
type input struct{ name, content string }

// readAll reads files as those of one run.
func readAll(t testing.TB, f report.Format, o report.Options, files ...input) (
	es []tree.Evaluation, said []string, skipped int,
) {
	t.Helper()
	rd, err := report.NewReader(f, o)
	require.NoError(t, err)
	take := func(e tree.Evaluation, err error) {
		if err != nil {
			said = append(said, err.Error())
			return
		}
		require.NoError(t, e.Check())
		es = append(es, e)
	}
	for _, in := range files {
		for e, err := range rd.File(in.name, strings.NewReader(in.content)) {
			take(e, err)
		}
	}
	for e, err := range rd.End() {
		take(e, err)
	}
	return es, said, rd.Skipped
}

// samples returns the sample files of a format, by folder where a folder is one report.
func samples(t testing.TB, f report.Format) map[string][]input {
	t.Helper()
	out := map[string][]input{}
	dir := filepath.Join("testdata", string(f))
	require.NoError(t, filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) == ".golden" || filepath.Ext(path) == ".yaml" {
			return err
		}
		b, err := os.ReadFile(path)
		name := strings.TrimPrefix(path, dir+string(filepath.Separator))
		report, _, _ := strings.Cut(filepath.ToSlash(name), "/")
		out[report] = append(out[report], input{filepath.Base(name), string(b)})
		return err
	}))
	require.NotEmpty(t, out)
	return out
}

// TestTwoTools: two tools' reports of one run have the same keys, if the run is named the same.
func TestTwoTools(t *testing.T) {
	named := func(f report.Format, report1 string) (keys []string) {
		es, _, _ := readAll(t, f, report.Options{Run: "nightly-1"}, samples(t, f)[report1]...)
		for i := range es {
			keys = append(keys, es[i].Key()+" "+string(es[i].Judgment))
		}
		return keys
	}
	for _, same := range []struct{ junit, other string }{
		{"pytest-cart.xml", "pytest-cart"}, {"pytest-orders.xml", "pytest-orders"},
		{"playwright-flaky.xml", "playwright-flaky"}, {"playwright-projects.xml", "playwright-projects"},
	} {
		require.ElementsMatch(t, named(report.JUnit, same.junit), named(report.Allure, same.other), same.junit)
	}
	for _, same := range []string{"plain", "flaky", "projects"} {
		require.ElementsMatch(t, named(report.JUnit, "playwright-"+same+".xml"), named(report.Playwright, same+".json"))
	}
}

// sampled are the formats of which there are samples.
var sampled = []report.Format{report.JUnit, report.Playwright, report.Midscene, report.Promptfoo, report.UIBench,
	report.Allure, report.Pytest, report.Inspect, report.DeepEval, report.CSV, report.Map}

// options are how a sample is read.
func options(t testing.TB, f report.Format, name string) report.Options {
	if f != report.Map {
		return report.Options{}
	}
	file, err := os.Open(mappingOf(name))
	require.NoError(t, err)
	defer file.Close()
	m, err := report.ReadMapping("mapping.yaml", file)
	require.NoError(t, err)
	return report.Options{Mapping: m}
}

func TestSamples(t *testing.T) {
	for _, f := range sampled {
		for name, files := range samples(t, f) {
			t.Run(string(f)+"/"+name, func(t *testing.T) {
				es, said, skipped := readAll(t, f, options(t, f, name), files...)
				var b bytes.Buffer
				for i := range es {
					print1(&b, &es[i])
				}
				for _, s := range said {
					fmt.Fprintln(&b, "!", s)
				}
				fmt.Fprintln(&b, "without a verdict:", skipped)
				golden.Equal(t, filepath.Join("testdata", string(f)+".golden", name+".golden"), b.String())
				again, _, _ := readAll(t, f, options(t, f, name), files...)
				require.Equal(t, es, again)
			})
		}
	}
}

// print1 writes what of an evaluation a person would check.
func print1(w io.Writer, e *tree.Evaluation) {
	fmt.Fprintf(w, "%s\n", e.Key())
	line := func(name, s string) {
		if s = strings.ReplaceAll(s, "\n", "\n           "); s != "" {
			fmt.Fprintf(w, "  %-8s %s\n", name, s)
		}
	}
	line("run", e.RunID)
	line("case", e.CaseID)
	line("suite", e.Scope.Suite)
	line("route", e.Scene.Route)
	line("scene", e.Scene.ID)
	line("agent", strings.TrimSpace(e.Agent.Name+" "+e.Agent.Model))
	if e.Attempt > 0 {
		line("attempt", fmt.Sprint(e.Attempt))
	}
	if !e.At.IsZero() {
		line("at", e.At.Format("2006-01-02T15:04:05Z07:00"))
	}
	line("prompt", e.Prompt)
	line("said", string(e.Judgment))
	line("truth", string(e.GroundTruth))
	if e.Correct != nil {
		line("correct", fmt.Sprint(*e.Correct))
	}
	line("reason", e.Reason)
	line("saw", strings.Join(strings.SplitN(e.Observation, "\n", 4)[:min(3, strings.Count(e.Observation, "\n")+1)], "\n"))
}

// failing is a reader that breaks.
type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

func TestReaderFails(t *testing.T) {
	broken := errors.New("the disk is gone")
	for _, f := range sampled {
		rd, err := report.NewReader(f, options(t, f, "nested.json"))
		require.NoError(t, err)
		var last error
		for _, err := range rd.File("x", failing{broken}) {
			last = err
		}
		require.Error(t, last, f)
		var line *ingest.LineError
		require.NotErrorAs(t, last, &line, f)
	}
}

// TestForeignJSON: JSON of another shape is not called empty.
func TestForeignJSON(t *testing.T) {
	for _, content := range []string{strings.Repeat("[", 5000) + strings.Repeat("]", 5000), "[1,2]", `{"a":{"b":1}}`} {
		_, said, _ := readAll(t, report.Playwright, report.Options{}, input{"deep.json", content})
		require.Equal(t, []string{"deep.json is no playwright report"}, said)
	}
	_, said, _ := readAll(t, report.Playwright, report.Options{}, input{"none.json", `{"config":{},"suites":[]}`})
	require.Equal(t, []string{"none.json is empty: it has no test in it"}, said)
}
