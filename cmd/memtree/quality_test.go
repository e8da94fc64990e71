package main

import (
	"context"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/internal/golden"
	"github.com/memtree/memtree/taxonomy"
)

// quality runs the command and returns what it prints, with the times replaced. It has to leave no store.
func quality(t *testing.T, env map[string]string, code int, args ...string) string {
	t.Helper()
	env["MEMTREE_STORE"] = filepath.Join(t.TempDir(), "none")
	out := (&user{t, env}).do(code, "", append([]string{"quality"}, args...)...)
	require.NoDirExists(t, env["MEMTREE_STORE"])
	out = regexp.MustCompile(`\d\.\d{3}( +0\n)`).ReplaceAllString(out, "T.TTT$1")
	return regexp.MustCompile(`"seconds": [\d.e-]+`).ReplaceAllString(out, `"seconds": 0`)
}

// TestQuality compares the rules with what was recorded of a model, on two small suites.
func TestQuality(t *testing.T) {
	for _, lang := range []string{"en", "zh"} {
		dir := filepath.ToSlash(filepath.Join("testdata", "tape", lang))
		var page strings.Builder
		for _, args := range [][]string{
			{"lessons", dir}, {"analyse", dir + "/runs.jsonl", "--labels", "type"},
			{"analyse", dir + "/runs.jsonl", "--labels", "labels.cause"},
		} {
			env := map[string]string{}
			if args[0] == "analyse" {
				env[replayVariable] = dir + "/cassettes"
			}
			out := quality(t, env, exitOK, append(args, "--lang", lang)...)
			requireNarrow(t, out)
			page.WriteString("$ memtree quality " + strings.Join(args, " ") + "\n" + out + "\n")
		}
		golden.Equal(t, "testdata/tape/quality."+lang+".golden", page.String())
		lessons := quality(t, map[string]string{}, exitOK, "lessons", dir, "--json")
		played := map[string]string{replayVariable: dir + "/cassettes"}
		require.Equal(t, lessons, quality(t, played, exitOK, "lessons", dir, "--json"),
			"recordings are found beside the suite")
		var v trees
		require.NoError(t, json.Unmarshal([]byte(lessons), &v))
		require.Len(t, v.Trees, 2)
		require.Zero(t, v.Trees[1].NotRecorded)
		require.Equal(t, byModel, v.Trees[1].Lessons[0].By)
	}
}

func TestQualityJSON(t *testing.T) {
	dir := filepath.ToSlash(filepath.Join("testdata", "tape", "en"))
	golden.Equal(t, "testdata/tape/quality.json.golden",
		quality(t, map[string]string{replayVariable: dir + "/cassettes"}, exitOK,
			"analyse", dir+"/runs.jsonl", "--labels", "type", "--json")+
			quality(t, map[string]string{}, exitOK, "lessons", dir, "--json"))
}

// TestQualityAsks compares with a model that is asked: what it costs, what cannot be used, and what bounds do.
func TestQualityAsks(t *testing.T) {
	dir := filepath.Join("testdata", "tape", "en")
	env := func() map[string]string {
		return map[string]string{"MEMTREE_LLM_MODEL": "m-1", "MEMTREE_LLM_API_KEY": checkKey, "MEMTREE_LLM_PRICE": "1,2",
			"MEMTREE_LLM_BASE_URL": scriptedAnswers(t, filepath.Join(dir, "answers.json"))}
	}
	var v analysts
	ask := func(env map[string]string, args ...string) analyst {
		v = analysts{}
		args = append([]string{"analyse", filepath.Join(dir, "runs.jsonl"), "--labels", "type", "--json"}, args...)
		out := quality(t, env, exitOK, args...)
		require.NoError(t, json.Unmarshal([]byte(out), &v))
		require.Len(t, v.Rows, 2)
		return v.Rows[1]
	}
	kept := filepath.Join(t.TempDir(), "kept")
	e := env()
	e[recordVariable] = kept
	r := ask(e)
	require.Equal(t, byModel, r.By)
	require.Equal(t, 3, r.Invalid, "answers in words")
	require.InDelta(t, float64(v.Model.Calls)*(52+2*13)/1e6/5, r.Cost, 1e-9)
	require.Len(t, folder(t, kept), v.Model.Calls)
	require.Equal(t, 5, ask(env(), "--max-calls", "0").Unanswered)
	e = env()
	delete(e, "MEMTREE_LLM_PRICE")
	require.Equal(t, unknown, ask(e).Cost)

	asked := 0
	e["MEMTREE_LLM_BASE_URL"] = modelServer(t, func(w http.ResponseWriter, _, _ string) {
		asked++
		w.WriteHeader(http.StatusUnauthorized)
	}) + "/v1"
	require.Equal(t, 5, ask(e).Unanswered)
	require.Equal(t, 1, asked, "a key that is refused is refused for all")

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var errs strings.Builder
	code := run(ctx, process{args: []string{"quality", "lessons", dir, "--lang", "en"}, stdout: &errs, stderr: &errs,
		getenv: func(string) string { return "" }})
	require.Equal(t, exitFailed, code)
	require.Equal(t, "memtree: interrupted\n", errs.String())
}

func TestQualityMistakes(t *testing.T) {
	dir := t.TempDir()
	write := func(name, content string) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
		return path
	}
	const wrong = `{"prompt":"p","judgment":"pass","ground_truth":"fail","case_id":"c",` +
		`"labels":{"kind":"x","n":7,"cause":"y"}}` + "\n"
	good := write("good/runs.jsonl", wrong)
	_ = write("queries/runs.jsonl", wrong)
	_ = write("queries/queries.jsonl", "{\"prompt\":\"a\",\"expect\":[]}\n{\"prompt\":\"a\",\"expect\":\"x\"}\n")
	_ = write("nameless/runs.jsonl", wrong)
	_ = write("nameless/queries.jsonl", "{}\n")
	_ = write("tapes/runs.jsonl", wrong)
	_ = write("tapes/cassettes/"+strings.Repeat("b", 32)+".json", "{}")
	for _, lang := range []string{"en", "zh"} {
		var page strings.Builder
		for _, args := range [][]string{
			{"analyse", good}, {"analyse", "--labels", "kind"},
			{"analyse", filepath.Join(dir, "none.jsonl"), "--labels", "kind"},
			{"analyse", dir, "--labels", "kind"}, {"analyse", good, "--labels", "colour"}, {"analyse", good, "--labels", "n"},
			{"analyse", write("a.jsonl", wrong+"\n{\"prompt\":"), "--labels", "kind"},
			{"analyse", write("b.jsonl", wrong+"7\n"), "--labels", "kind"},
			{"analyse", write("c.jsonl", wrong+wrong+"{\"judgment\":1}\n"), "--labels", "kind"},
			{"analyse", write("d.jsonl", ""), "--labels", "kind"},
			{"analyse", write("e.jsonl", wrong+"} x"), "--labels", "kind"},
			{"analyse", good, "--labels", "kind", "--max-calls", "-1"},
			{"lessons", dir}, {"lessons", filepath.Join(dir, "queries")}, {"lessons", filepath.Join(dir, "nameless")},
			{"lessons", filepath.Join(dir, "tapes")}, {"lessons"},
		} {
			code := exitUsage
			if last := filepath.Base(args[len(args)-1]); last == "tapes" ||
				len(args) > 1 && filepath.Base(args[1]) == "none.jsonl" {
				code = exitFailed
			}
			out := strings.ReplaceAll(quality(t, map[string]string{}, code, append(args, "--lang", lang)...), dir, "DIR")
			require.Equal(t, 1, strings.Count(out, "\n"), out)
			page.WriteString(out)
		}
		golden.Equal(t, "testdata/tape/quality_mistakes."+lang+".golden", page.String())
	}
}

func TestClassOf(t *testing.T) {
	for label, want := range map[string]string{
		"async_timing_error": "async_timing_error", "Asynchronous timing error": "async_timing_error",
		"异步时序错误":             "async_timing_error",
		"ASYNC_TIMING_ERROR": "async_timing_error", "recompute": "content_validation_error",
	} {
		got, known := classOf(taxonomy.Default(), label)
		require.True(t, known, label)
		require.Equal(t, want, got)
	}
	got, known := classOf(taxonomy.Default(), "flaky")
	require.False(t, known)
	require.Equal(t, "flaky", got)
}

// FuzzLabelledObjects: whatever a file says, each object stands on the line that is told, and the rest is refused.
func FuzzLabelledObjects(f *testing.F) {
	for _, s := range []string{
		"{}\n{\"a\":1}\n", "[{},\n{}]", "[", "{}\n}", "{}7", "\n\n{\"labels\":{\"a\":\"b\"}}", "[{}] {}",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		a := &app{}
		last := 1
		err := a.objects(t.Context(), "f", b, func(line int, raw json.RawMessage) error {
			require.GreaterOrEqual(t, line, last)
			last = line
			require.True(t, json.Valid(raw))
			_, err := a.labelOf("f", &labelledRun{raw: raw, line: line}, "a.b")
			if err != nil {
				require.IsType(t, &usageError{}, err)
			}
			_ = labelFields([]labelledRun{{raw: raw}})
			return nil
		})
		if err != nil {
			require.IsType(t, &usageError{}, err)
		}
	})
}
