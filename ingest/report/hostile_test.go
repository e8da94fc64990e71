package report_test

import (
	"archive/zip"
	"bytes"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/unicode"

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

// TestBounded: of one long part no more than its bound is stored.
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
		{report.Playwright, `{"config":{},"suites":[{"title":"f","specs":[{"title":"t","tests":[` +
			strings.Repeat(`{"projectName":"p"},`, 11_000) + `{}]}]}]}`, 0, "has more than 10,000 elements"},
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

// packed returns a zip of files, each of which may be written by do.
func packed(t *testing.T, names []string, do func(name string, w io.Writer)) string {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range names {
		w, err := z.Create(name)
		require.NoError(t, err)
		do(name, w)
	}
	require.NoError(t, z.Close())
	return b.String()
}

// TestArchives: the names of the files in an archive decide nothing, one broken part does not affect the others, and
// an archive that unpacks to more than any report has is refused.
func TestArchives(t *testing.T) {
	result := func(name string, w io.Writer) {
		if strings.HasSuffix(name, "broken-result.json") {
			_, _ = io.WriteString(w, `{"uuid":"u","name":`)
			return
		}
		_, _ = io.WriteString(w, `{"uuid":"`+name+`","name":"`+name+`","status":"passed","historyId":"`+name+`"}`)
	}
	file := packed(t, []string{"a/../../../b-result.json", "/etc/c-result.json", "..;d-result.json",
		"x/broken-result.json", "e-result.json", "attachment.txt"}, result)
	require.Equal(t, report.Allure, report.Recognise([]byte(file)))
	es, said, _ := readAll(t, report.Allure, report.Options{}, input{"allure.zip", file})
	require.Len(t, es, 4)
	require.Equal(t, []string{"allure.zip has a part that cannot be read: x/broken-result.json: line 1: the file " +
		"ends in the middle of its JSON; was it cut off?"}, said)

	// Bombs: a cell, a shared text, a sample and a result of 12 MiB, which are 12 KiB on disk.
	spaces := bytes.Repeat([]byte(" "), 1<<20)
	bomb := func(open, end string, n int) func(string, io.Writer) {
		return func(name string, w io.Writer) {
			switch {
			case strings.HasSuffix(name, "workbook.xml"):
				_, _ = io.WriteString(w, `<workbook><sheets><sheet id="r1"/></sheets></workbook>`)
			case strings.HasSuffix(name, ".rels"):
				_, _ = io.WriteString(w, `<Relationships><Relationship Id="r1" Target="s.xml"/></Relationships>`)
			default:
				_, _ = io.WriteString(w, open)
				for range n {
					_, _ = w.Write(spaces)
				}
				_, _ = io.WriteString(w, end)
			}
		}
	}
	book := []string{"xl/workbook.xml", "xl/_rels/workbook.xml.rels", "xl/s.xml"}
	for _, x := range []struct {
		f     report.Format
		names []string
		do    func(string, io.Writer)
	}{
		{report.CSV, book, bomb("<sheetData><row><c><v>", "</v></c></row></sheetData>", 12)},
		{report.CSV, append(book, "xl/sharedStrings.xml"), bomb("<sst><si><t>", "</t></si></sst>", 12)},
		{report.Inspect, []string{"_journal/start.json", "samples/1.json"}, bomb(`{"id":"`, `"}`, 12)},
		{report.Allure, []string{"x-result.json"}, bomb(`{"uuid":"`, `"}`, 12)},
	} {
		file := packed(t, x.names, x.do)
		before := allocated()
		es, said, _ := readAll(t, x.f, report.Options{}, input{"bomb", file})
		require.Empty(t, es)
		require.NotEmpty(t, said, "%s", x.f)
		require.Less(t, allocated()-before, uint64(60<<20), "of %s much is held", x.f)
	}
}

// allocated is how much memory was ever taken, in bytes.
func allocated() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.TotalAlloc
}

// TestEncodings: a table is read as spreadsheets write it, whatever its letters and marks.
func TestEncodings(t *testing.T) {
	const table = "编号;提示词;判定;期望\r\n甲1;结算页：总价等于小计之和;通过;不通过\r\n甲2;登录页可用;通过;\r\n"
	gbk, err := simplifiedchinese.GB18030.NewEncoder().String(table)
	require.NoError(t, err)
	utf16, err := unicode.UTF16(unicode.BigEndian, unicode.UseBOM).NewEncoder().String(strings.ReplaceAll(table, ";", ","))
	require.NoError(t, err)
	marked, err := simplifiedchinese.GB18030.NewEncoder().String("\ufeff" + table) // GB18030 has a byte order mark too
	require.NoError(t, err)
	want, said, _ := readAll(t, report.CSV, report.Options{}, input{"t", table})
	require.Empty(t, said)
	require.Len(t, want, 2)
	for name, content := range map[string]string{"gbk": gbk, "utf-16": utf16, "utf-8 with a mark": "\ufeff" + table,
		"sep=": "sep=;\r\n" + table, "gb18030 with a mark": marked} {
		got, said, _ := readAll(t, report.CSV, report.Options{}, input{"t", content})
		require.Empty(t, said, name)
		require.Equal(t, want, got, name)
		require.Equal(t, report.CSV, report.Recognise([]byte(content)), name)
	}
}
