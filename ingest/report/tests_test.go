package report_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/ingest/report"
)

// TestTests: the list of Playwright's tests has no verdict. It gives the tests that will run, each by what it asks
// for, and no run.
func TestTests(t *testing.T) {
	b, err := os.ReadFile(filepath.Join("testdata", "playwright", "list.json"))
	require.NoError(t, err)
	in := input{"list.json", string(b)}
	runs, said, skipped := readAll(t, report.Playwright, report.Options{}, in)
	require.Empty(t, runs)
	require.Empty(t, said)
	require.Positive(t, skipped)

	rd, err := report.NewReader(report.Playwright, report.Options{Tests: true})
	require.NoError(t, err)
	prompts := map[string]string{}
	for e, err := range rd.File(in.name, openSample(t, "list.json")) {
		require.NoError(t, err)
		require.Nil(t, e.Judgment)
		require.Nil(t, e.GroundTruth)
		prompts[e.Prompt] = e.Scene.Route
	}
	require.Equal(t, "/cart", prompts["Apply the coupon SAVE10 and check that the total falls by ten per cent"])
	require.Contains(t, prompts, "Cart › takes 99 of an item")
	require.NotContains(t, prompts, "Cart › with a coupon › is refused when it is too old", "test.skip is not run")
	require.Equal(t, 2, rd.Skipped, "that test in two projects")
}

// TestTestsOfRuns: of a report of runs the tests are taken without what came of them.
func TestTestsOfRuns(t *testing.T) {
	rd, err := report.NewReader(report.Playwright, report.Options{Tests: true})
	require.NoError(t, err)
	n := 0
	for e, err := range rd.File("plain.json", openSample(t, "plain.json")) {
		require.NoError(t, err)
		require.Nil(t, e.Judgment)
		require.NotEmpty(t, e.Prompt)
		n++
	}
	require.Positive(t, n)
}

func openSample(t *testing.T, name string) *os.File {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", "playwright", name))
	require.NoError(t, err)
	t.Cleanup(func() { f.Close() })
	return f
}
