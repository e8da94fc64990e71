package ingest

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/tree"
)

// shared opens a file of the shared data, or skips the test.
func shared(tb testing.TB, name string) *os.File {
	tb.Helper()
	dir := os.Getenv("MEMTREE_SHARED")
	if dir == "" {
		dir = filepath.Join("..", "..", "shared")
	}
	f, err := os.Open(filepath.Join(dir, "data", filepath.FromSlash(name)))
	if err != nil {
		tb.Skipf("the shared data is not here (set MEMTREE_SHARED): %v", err)
	}
	tb.Cleanup(func() { require.NoError(tb, f.Close()) })
	return f
}

func TestSharedEvaluations(t *testing.T) {
	for name, want := range map[string]struct{ read, wrong, falsePass, falseFail, bad int }{
		"webjudge":   {565, 97, 31, 66, 0},
		"agentrx":    {73, 73, 0, 0, 0},
		"whoandwhen": {66, 66, 0, 0, 0},
		"judgebench": {976, 383, 0, 0, 0},
		"tau":        {152, 74, 0, 0, 0},
		"gui-zh":     {0, 0, 0, 0, 51},
	} {
		t.Run(name, func(t *testing.T) {
			es, problems := read(t, shared(t, "evaluations/"+name+".jsonl"))
			require.Len(t, problems, want.bad)
			require.Len(t, es, want.read)
			wrong, pass, fail := 0, 0, 0
			for _, e := range es {
				require.NotNil(t, e.Correct)
				if !*e.Correct {
					wrong++
				}
				switch e.Direction {
				case "false_pass":
					pass++
				case "false_fail":
					fail++
				}
			}
			require.Equal(t, want.wrong, wrong)
			if want.falsePass > 0 {
				require.Equal(t, [2]int{want.falsePass, want.falseFail}, [2]int{pass, fail})
			}
			for _, p := range problems {
				require.Contains(t, p, "judgment is missing: this is a test case with its ground truth, not a run")
			}
		})
	}
}

// TestReadAgreesWithStandardLibrary compares every field of the shared files
// with what encoding/json makes of them.
func TestReadAgreesWithStandardLibrary(t *testing.T) {
	for _, name := range []string{"webjudge", "agentrx", "whoandwhen", "tau"} {
		data, err := io.ReadAll(shared(t, "evaluations/"+name+".jsonl"))
		require.NoError(t, err)
		es, problems := read(t, bytes.NewReader(data))
		require.Empty(t, problems)
		for i, line := range bytes.Split(bytes.TrimSpace(data), []byte("\n")) {
			var want tree.Evaluation
			require.NoError(t, json.Unmarshal(line, &want))
			require.Equal(t, want.Digest(), es[i].Digest(), "%s:%d", name, i+1)
			require.True(t, want.At.Equal(es[i].At))
			require.Equal(t, want.ID, es[i].ID)
		}
	}
}

// TestTorture passes every document of the JSON parsing suite through Read, as a file
// and as the judgment of a good line. Read must refuse what a parser must refuse, and
// accept what it must accept, apart from what it refuses by design.
func TestTorture(t *testing.T) {
	ours := map[string]string{ // accepted by the grammar, refused here
		"y_object_duplicated_key.json":           "is there twice",
		"y_object_duplicated_key_and_value.json": "is there twice",
		"y_object_escaped_null_in_key.json":      "NUL",
		"y_string_null_escape.json":              "NUL",
	}
	dec := json.NewDecoder(shared(t, "security/json_nst_suite.jsonl"))
	n := 0
	for dec.More() {
		var c struct {
			Name, Expect string
			B64          []byte
		}
		require.NoError(t, dec.Decode(&c))
		n++
		es, problems := read(t, bytes.NewReader(c.B64))
		require.Empty(t, es, c.Name)
		require.NotEmpty(t, problems, c.Name)

		line := append(append([]byte(`{"prompt":"p","judgment":`), c.B64...), '}')
		es, problems = read(t, bytes.NewReader(line))
		switch {
		case c.Expect == "n":
			require.NotEmpty(t, problems, "%s %s", c.Name, c.B64)
		case c.Expect == "y" && ours[c.Name] != "":
			require.Contains(t, strings.Join(problems, "\n"), ours[c.Name], c.Name)
		case c.Expect == "y" && !tree.Raw(c.B64).Null():
			require.Empty(t, problems, c.Name)
			require.Len(t, es, 1, c.Name)
		}
	}
	t.Logf("%d documents", n)
}

func FuzzRead(f *testing.F) {
	for _, s := range []string{good, "[" + good + ",1]", "{\n\"prompt\":\"p\"",
		`{"prompt":"\ud83d\ude00","judgment":[1.0e5,{"a":null}],"scene":{"id":"x"}}`, "\x1f\x8b", "x\n{}",
		`{"prompt":"p","verdict":"pass","actual":"fail","expected":"fail"}`,
		`{"prompt":"p","判定":"通过","期望":"失败","correct":true}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for e, err := range Read("f", bytes.NewReader(data)) {
			if err != nil {
				require.False(t, strings.ContainsAny(err.Error(), "\x00\n"), "%q", err)
				continue
			}
			require.NoError(t, e.Check())
			b, err := json.Marshal(e)
			require.NoError(t, err)
			back, problems := read(t, bytes.NewReader(b))
			require.Empty(t, problems)
			require.Equal(t, e.Digest(), back[0].Digest())
		}
	})
}

func BenchmarkRead(b *testing.B) {
	data, err := io.ReadAll(shared(b, "evaluations/webjudge.jsonl"))
	require.NoError(b, err)
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		for _, err := range Read("webjudge.jsonl", bytes.NewReader(data)) {
			if err != nil {
				b.Fatal(err)
			}
			n++
		}
	}
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "evals/s")
}
