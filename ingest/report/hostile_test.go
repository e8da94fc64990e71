package report_test

import (
	"archive/zip"
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/ingest/report"
)

// TestHostile: what no tool writes is read as far as it goes, or named; nothing of it is expanded, opened or run.
func TestHostile(t *testing.T) {
	const bomb = `<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;">` +
		`<!ENTITY f SYSTEM "file:///etc/passwd">]>` +
		`<testsuite name="s"><testcase classname="c" name="t"><failure message="&c; &f;"/></testcase></testsuite>`
	es, said, _ := readAll(t, report.JUnit, report.Options{}, input{"x", bomb})
	require.Empty(t, said)
	require.Len(t, es, 1)
	require.Equal(t, "&c; &f;", es[0].Observation)

	// What looks like a dump inside another script is none, and a script in a text is a text.
	page := `<html><title>Midscene</title>` +
		`<script>var a = '<script type="midscene_web_dump">{"executions":[{}]}'</script>` +
		`<script type="midscene_web_dump">{"groupName":"g","executions":[{"id":"1","name":"Assert - a","tasks":[` +
		`{"type":"Insight","subType":"Assert","status":"finished",` +
		`"param":{"dataDemand":"__midscene_lt__script__midscene_gt__ is shown"},` +
		`"output":true}]}]}</script><SCRIPT type="midscene_web_dump">{"executions":[{"tasks":`
	es, said, _ = readAll(t, report.Midscene, report.Options{}, input{"x", page})
	require.Len(t, es, 1)
	require.Len(t, said, 1)
	require.Contains(t, said[0], "the file ends in the middle of its JSON")

	// A name in a zip decides nothing but which part is read.
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range []string{"../../etc/passwd", "/samples/x.json", "samples/../../y.json", "_journal/start.json"} {
		w, err := z.Create(name)
		require.NoError(t, err)
		_, err = w.Write([]byte(`{"id": 1, "input": "x", "scores": {}}`))
		require.NoError(t, err)
	}
	require.NoError(t, z.Close())
	es, said, _ = readAll(t, report.Inspect, report.Options{}, input{"x", b.String()})
	require.Empty(t, es)
	require.LessOrEqual(t, len(said), 1)

	for _, deep := range []string{strings.Repeat("[", 1_000_000), strings.Repeat(`{"suites":[`, 300_000),
		strings.Repeat("<testsuite>", 300_000)} {
		for _, f := range sampled {
			es, said, _ := readAll(t, f, options(t, f, "nested.json"), input{"deep", deep})
			require.Empty(t, es)
			require.NotEmpty(t, said, f)
		}
	}
}

// TestBounded: of one long part no more than its bound is kept.
func TestBounded(t *testing.T) {
	const open, end = `<testsuite name="s"><testcase classname="c" name="`, `</testcase></testsuite>`
	long := strings.Repeat("y", 9<<20)
	for _, x := range []struct {
		f    report.Format
		in   string
		runs int
		says string
	}{
		{report.JUnit, open + `t"><failure>` + long + `</failure>` + end, 1, ""},
		{report.JUnit, open + `t"><system-out><![CDATA[` + long + `]]></system-out>` + end, 1, ""},
		{report.JUnit, open + long + `">` + end, 0, "has a tag of more than 4 MiB"},
		{report.Playwright, `{"config":{},"suites":[{"title":"f","specs":[{"title":"` + long +
			`","tests":[{"status":"expected","results":[{"status":"passed"}]}]}]}]}`, 1, ""},
		{report.Promptfoo, `{"evalId":"e","results":{"results":[{"id":"` + long + `"}]}}`, 0, "is longer than 8 MiB"},
		{report.CSV, "prompt,judgment\nshort one,pass\n" + long + ",pass\n", 1, "is longer than 2 MiB"},
	} {
		es, said, _ := readAll(t, x.f, options(t, x.f, "nested.json"), input{"long", x.in})
		require.Len(t, es, x.runs, "%s", said)
		if x.says != "" {
			require.Len(t, said, 1)
			require.Contains(t, said[0], x.says)
		}
	}
}

// TestRecognise: each sample is known by its beginning, but for those that only a person can name.
func TestRecognise(t *testing.T) {
	for _, f := range sampled {
		if f == report.Map || f == report.UIBench {
			continue
		}
		for name, files := range samples(t, f) {
			for _, in := range files {
				require.Equal(t, f, report.Recognise([]byte(in.content[:min(len(in.content), report.Sniff)])), "%s/%s", f, name)
			}
		}
	}
	own := `{"prompt":"x","judgment":"pass","config":1,"suites":[]}`
	for _, own := range []string{"", "{", own, "a line\n", "<html>"} {
		require.Empty(t, report.Recognise([]byte(own)))
	}
}
