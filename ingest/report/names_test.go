package report_test

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/ingest/report"
)

// TestAttachmentByItsName: a picture beside the report is found, as long as one path alone ends with its name.
func TestAttachmentByItsName(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "shot.png"), []byte("one"), 0o600))
	a, err := report.OpenAttachments(dir)
	require.NoError(t, err)
	defer a.Close()
	for range 2 {
		f, err := a.Open("/home/ci/shop/test-results/cart/shot.png")
		require.NoError(t, err)
		b, err := io.ReadAll(f)
		require.NoError(t, err)
		require.NoError(t, f.Close())
		require.Equal(t, "one", string(b))
	}
	_, err = a.Open("/home/ci/shop/test-results/login/shot.png")
	require.ErrorContains(t, err, "is one of several pictures of this name in the report")
	_, err = a.Open("shot.png")
	require.NoError(t, err, "the whole path is there")
}

// TestRunOfPlaywright: all tests of a report have one run, which --run names otherwise; their ids stay as they were.
func TestRunOfPlaywright(t *testing.T) {
	const content = `{"config":{},"suites":[{"title":"a.spec.ts","specs":[
{"title":"one","id":"x1","tests":[{"annotations":[{"type":"product","description":"shop"}],"projectName":"chrome",
 "results":[{"status":"passed","startTime":"2026-01-05T09:00:01.000Z"}],"status":"expected"}]},
{"title":"two","id":"x2","tests":[{"projectName":"chrome",
 "results":[{"status":"failed","startTime":"2026-01-05T09:00:00.000Z"}],"status":"unexpected"}]}]}]}`
	es, _, _ := readWith(t, report.Playwright, t.TempDir(), input{"report.json", content})
	require.Len(t, es, 2)
	for _, e := range es {
		require.Equal(t, "2026-01-05T09:00:01Z", e.RunID)
	}
	require.Equal(t, "x1|chrome|2026-01-05T09:00:01Z", es[0].ID)
	require.Equal(t, "shop", es[0].Scope.Product)
	require.Empty(t, es[1].Scope.Product)
}

// TestProductOfJUnit: the property product of a test, or of a suite around it, names the product.
func TestProductOfJUnit(t *testing.T) {
	const content = `<testsuites><testsuite name="a" timestamp="2026-01-05T09:00:00"><properties>
<property name="product" value="shop"/><property name="os" value="linux"><x/></property></properties>
<testcase classname="a" name="one"/><testcase classname="a" name="two"><properties>
<property name="product">bank</property></properties></testcase></testsuite>
<testsuite name="b"><properties/><testcase classname="b" name="three"/></testsuite></testsuites>`
	es, _, _ := readWith(t, report.JUnit, t.TempDir(), input{"junit.xml", content})
	var got []string
	for _, e := range es {
		got = append(got, e.Scope.Product)
	}
	require.Equal(t, []string{"shop", "bank", ""}, got)
}

// TestSuitesOfOneClass: tests of one class and name in two suites are two tests, in any order, with and without a time
// and a name of the run. Two testcases of one suite are attempts at one.
func TestSuitesOfOneClass(t *testing.T) {
	suite := func(name, at, inner string) string {
		return `<testsuite name="` + name + `"` + at + `><testcase name="total" classname="CartTest">` + inner +
			`</testcase></testsuite>`
	}
	const bad = `<failure message="x">boom</failure>`
	for _, at := range []string{"", ` timestamp="2026-11-20T10:00:00"`} {
		a, b := suite("pkg.a.CartTest", at, bad), suite("pkg.b.CartTest", at, "")
		for _, suites := range []string{a + b, b + a, a + b + suite("pkg.c", at, bad), suite("", at, bad) + b} {
			for _, run := range []string{"", "nightly"} {
				content := "<testsuites>" + suites + "</testsuites>"
				es, said, _ := readAll(t, report.JUnit, report.Options{Run: run}, input{"su.xml", content})
				require.Empty(t, said)
				require.Len(t, es, strings.Count(suites, "<testsuite "), content)
				keys := map[string]bool{}
				for _, e := range es {
					require.Zero(t, e.Attempt)
					require.Empty(t, e.Excuse)
					if run != "" || at != "" {
						keys[e.Key()] = true
					}
				}
				if run != "" || at != "" {
					require.Len(t, keys, len(es))
				}
			}
		}
	}
	again := `<testsuite name="a"><testcase name="total" classname="C">` + bad +
		`</testcase><testcase name="total" classname="C"/></testsuite>`
	es, _, _ := readAll(t, report.JUnit, report.Options{}, input{"su.xml", again})
	require.Len(t, es, 1)
	require.Equal(t, 2, es[0].Attempt)
}

// TestRepeatedPlaywright: with --repeat-each a spec has several tests of one project. Each is a run of its own, and the
// results of one are attempts.
func TestRepeatedPlaywright(t *testing.T) {
	one := func(second int, status, result string) string {
		return fmt.Sprintf(`{"expectedStatus":"passed","projectName":"chromium","status":%q,"results":[{"status":%q,`+
			`"retry":0,"startTime":"2026-11-20T10:00:%02d.000Z"}]}`, status, result, second)
	}
	for _, run := range []string{"", "nightly"} {
		content := `{"suites":[{"title":"a.spec.ts","specs":[{"title":"total","id":"x","tests":[` +
			one(0, "unexpected", "failed") + "," + one(5, "expected", "passed") + "," + one(9, "expected", "passed") + `]}]}]}`
		es, said, _ := readAll(t, report.Playwright, report.Options{Run: run}, input{"pw.json", content})
		require.Empty(t, said)
		require.Len(t, es, 3)
		keys := map[string]bool{}
		for _, e := range es {
			require.Empty(t, e.Excuse)
			require.Equal(t, es[0].CaseID, e.CaseID)
			keys[e.Key()] = true
		}
		require.Len(t, keys, 3)
		require.JSONEq(t, `"fail"`, string(es[0].Judgment))
	}
}
