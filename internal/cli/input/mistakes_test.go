package input

import (
	"errors"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/ingest"
	"github.com/memtree/memtree/ingest/report"
	"github.com/memtree/memtree/internal/cli/say"
	"github.com/memtree/memtree/internal/golden"
	"github.com/memtree/memtree/internal/judgment"
	"github.com/memtree/memtree/internal/text"
	"github.com/memtree/memtree/tree"
)

// badLines are lines that record rejects, every mistake at least once.
var badLines = []string{
	`{"prompt": 1}`, `{"prompt": true, "judgment": "pass"}`, `{"prompt": false}`, `{"prompt": []}`, `{"prompt": {}}`,
	`{"scope": "shop"}`, `{"scope": 3}`, `{"scope": []}`, `{"scope": true}`, `{"test_case": false}`,
	`{"judgment": "x"}`, `{"prompt": "p"}`, `{"prompt": "p", "ground_truth": "fail"}`, `not json`,
	`{"a" 1}`, `{"a": }`, `{1}`,
	`{"a": 1 "b": 2}`, `{"a": [1 2]}`, `{"a": -x}`, `{"a": "\x"}`, `{"a": "b\u12"}`, `{"prompt": "p"} trailing`,
	`{"prompt": "p", "prompt": "q"}`, "{\"prompt\": \"\xff\"}", "{\"prompt\": \"a\x01\"}", `{"prompt": "\ud800"}`,
	`{"prompt": "\u0000"}`, "{\"prompt\": \"a\x00\"}",
	`{"prompt": "p", "judgment": ` + strings.Repeat("[", 80) + strings.Repeat("]", 80) + `}`,
	`{"prompt": "p", "judgment": ` + strings.Repeat(`{"a":`, 80) + "1" + strings.Repeat("}", 80) + `}`,
	`{"prompt": "p", "judgment": 1, "suite_tests": [1]}`, `{"prompt": "p", "judgment": 1, "position": 0.5}`,
	`{"prompt": "p", "judgment": 1, "correct": "yes"}`, `{"prompt": "p", "judgment": 1, "at": "yesterday"}`,
	`{"run_id": "a", "runId": "b"}`, `{"prompt": "p", "verdict": "pass", "expected": "the total is 12"}`,
	`{"prompt": "p", "judgment": 1, "direction": "up"}`,
	`{"prompt": "p", "judgment": 1, "correct": true, "direction": "false_pass"}`,
	`{"prompt": "p", "judgment": 1, "attempt": -1}`, `{"prompt": "p", "judgment": 1, "at": "1812-01-01T00:00:00Z"}`,
	`{"prompt": "p", "judgment": 1, "position": -1}`,
	`{"prompt": "p", "judgment": 1, "id": "` + strings.Repeat("x", 2000) + `"}`,
	`{"prompt": "p", "judgment": 1, "suite_tests": [` + strings.Repeat(`"t",`, tree.MaxDepth*70) + `"t"]}`,
	`{"prompt": "p", "judgment": "pass", "ground_truth": "fail", "correct": true}`,
	`{"prompt": "p", "judgment": "pass", "ground_truth": "pass", "correct": false}`,
	`{"prompt": "p", "verdict": "fail", "expected": "fail", "direction": "false_fail"}`,
	`{"prompt": "p", "judgment": "pass", "ground_truth": "fail", "direction": "false_fail"}`,
}

// badFiles are files that record rejects, at least in part.
var badFiles = []string{
	"", "\x1f\x8b", "\x28\xb5\x2f\xfd", "PK\x03\x04", "\xff\xfe{", "binary\x00", "[1, [], \"x\", , {} {} ,]", "[{}",
	"{\"a\": \"b\n{\"prompt\": 1}", "{\n\n{\"prompt\": 1}", "{\n\"a\": 1",
	"{\"prompt\": \"" + strings.Repeat("x", ingest.MaxRecord) + "\"}",
}

// badTables are tables of labels that label rejects, at least in part.
var badTables = []string{
	"", "a,right", "PK\x03\x04", "id,truth\na\x00", "id,truth\n\xff\xff", "id,truth\na,right\na,wrong\n,right\n\"x\"y,z\n",
	"id,truth\n" + strings.Repeat("a,\n", 100_000), strings.Repeat("a", 64<<20+1),
}

// foundMistakes returns every error text for bad input, as a rejectLine.
func foundMistakes(t *testing.T) []Reject {
	t.Helper()
	var all []Reject
	read := func(content string) {
		n := len(all)
		for _, err := range ingest.Read("bad", strings.NewReader(content)) {
			var line *ingest.LineError
			var file *ingest.FileError
			switch {
			case errors.As(err, &line):
				all = append(all, Reject{File: "bad.jsonl", Line: line.Line, Field: line.Field, Error: line.Problem})
			case errors.As(err, &file):
				all = append(all, Reject{File: "bad.jsonl", Error: file.Problem})
			}
		}
		require.Greater(t, len(all), n, "%.80q is taken", content)
	}
	for _, content := range slices.Concat(badLines, badFiles) {
		read(content)
	}
	dir, err := os.Open(t.TempDir())
	require.NoError(t, err)
	for _, err := range ingest.Read("bad", dir) {
		var f *ingest.FileError
		require.ErrorAs(t, err, &f)
		all = append(all, Reject{File: "bad.jsonl", Error: f.Problem})
	}
	require.NoError(t, dir.Close())
	for _, content := range badTables {
		got, err := report.ReadLabels("bad", strings.NewReader(content))
		for _, line := range got.Bad {
			all = append(all, Reject{File: "labels.csv", Line: line.Line, Field: line.Field, Error: line.Problem})
		}
		if file, ok := errors.AsType[*ingest.FileError](err); ok {
			all = append(all, Reject{File: "labels.csv", Error: file.Problem})
		}
	}
	// Only a program that fills in an evaluation itself can cause these.
	whole := tree.Evaluation{Prompt: "p", Judgment: tree.Raw(`"pass"`)}
	for _, mend := range []func(*tree.Evaluation){
		func(e *tree.Evaluation) { e.Prompt = "\xff" },
		func(e *tree.Evaluation) { e.Judgment = tree.Raw("{") },
		func(e *tree.Evaluation) { e.Judgment = tree.Raw(strings.Repeat("[", 80) + strings.Repeat("]", 80)) },
	} {
		e := whole
		mend(&e)
		var f *tree.FieldError
		require.ErrorAs(t, errors.Join(e.Check(), judgment.Denied(&e, "judgment", "ground_truth")), &f)
		all = append(all, Reject{File: "bad.jsonl", Field: f.Field, Error: f.Problem})
	}
	return all
}

// TestMistakesInChinese: errors for bad input contain no English except names. The golden file is for people to read.
func TestMistakesInChinese(t *testing.T) {
	f := &Files{Voice: say.New(say.Process{Args: []string{"--lang=zh"}, Getenv: func(string) string { return "" }})}
	names := regexp.MustCompile(`"(?:[^"\\]|\\.)*"|\\?[\\A-Za-z][A-Za-z0-9_+-]*`)
	allowed := strings.Fields(`bad.jsonl bad jsonl JSON UTF-8 UTF-16 NUL MiB gzip gunzip zstd unzstd zip ` +
		`true false T09 Z U+0001 ` +
		`\n \u4e2d \u0001 \ud800 x prompt judgment observation ground_truth correct direction false_pass false_fail other ` +
		`environment labels labels.csv csv CSV GBK truth note ` +
		`suite_tests position scope test_case attempt at run_id runId id verdict expected a`)
	lines := map[string]bool{}
	for _, r := range foundMistakes(t) {
		said := f.RejectLine(r)
		for _, word := range names.FindAllString(said, -1) {
			require.True(t, word[0] == '"' || slices.Contains(allowed, word), "%q of %q, from %q", word, said, r.Error)
		}
		require.NotRegexp(t, `\p{Han}[,;?]`, said)
		require.NotContains(t, said, "%!")
		lines[text.Line(said)] = true
	}
	golden.Equal(t, "testdata/mistakes.zh.golden", strings.Join(slices.Sorted(maps.Keys(lines)), "\n")+"\n")
}
