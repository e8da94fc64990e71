package formation

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/internal/guard"
	"github.com/memtree/memtree/internal/judgment"
	"github.com/memtree/memtree/tree"
)

func TestDiffer(t *testing.T) {
	for name, c := range map[string]struct{ judgment, truth, en, zh string }{
		"same verdict":      {`{"verdict":"pass","reason":"x"}`, `{"verdict":"PASS"}`, "", ""},
		"no truth":          {`{"verdict":"pass"}`, ``, "", ""},
		"other verdict":     {`{"verdict":"pass"}`, `{"verdict":"fail"}`, "“verdict” not as judged", "“verdict”与判断不一致"},
		"bare":              {`"Rome"`, `"Paris"`, "the answer is not the true one", "给出的答案不正确"},
		"other spelling":    {`{"hasDefect":false}`, `{"has_defect":false}`, "", ""},
		"verdict elsewhere": {`{"verdict":"pass"}`, `{"has_defect":false}`, "", ""},
		"missing field":     {`{"a":1}`, `{"a":1,"b":2}`, "the judgment lacks “b”", "判断中缺少“b”"},
		"nested":            {`{"a":{"b":1,"c":2}}`, `{"a":{"b":1,"c":3}}`, "“a.c” not as judged", "“a.c”与判断不一致"},
		"list": {`{"tags":["x","y"]}`, `{"tags":["Y","z"]}`,
			"the judgment lacks “tags”; only the judgment has “tags”", "判断中缺少“tags”；判断中多出“tags”"},
		"numbers":              {`{"n":3}`, `{"n":3.0}`, "", ""},
		"action missing":       {acts("a:1", "b:1"), acts("a:1", "b:1", "b:2"), "b left out", "遗漏操作 b"},
		"actions missing":      {`{"verdict":"done"}`, acts("a:1", "a:2"), "a ×2 left out", "遗漏操作 a ×2"},
		"action superfluous":   {acts("a:1", "b:1"), acts("a:1"), "b not called for", "多余操作 b"},
		"other arguments":      {acts("a:1"), acts("a:2"), "a (x) with other arguments", "操作参数不同 a (x)"},
		"other arguments, two": {acts("a:1", "a:2"), acts("a:3", "a:4"), "a ×2 (x) with other arguments", "操作参数不同 a ×2 (x)"},
		"another order":        {acts("a:1", "b:1"), acts("b:1", "a:1"), "a in another order", "操作顺序不同 a"},
		"all at once": {acts("a:1", "c:1", "d:1"), acts("d:1", "a:2", "b:1"),
			"b left out; a (x) with other arguments; c not called for", "遗漏操作 b；操作参数不同 a (x)；多余操作 c"},
		"tool calls": {`[{"function":{"name":"f","arguments":"{\"x\":1}"}}]`,
			`[{"function":{"name":"f","arguments":"{\"x\": 1.0}"}}]`, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			got := differ(judgment.Decode(tree.Raw(c.judgment)), judgment.Decode(tree.Raw(c.truth)))
			require.Equal(t, c.en, words(got, "en"))
			require.Equal(t, c.zh, words(got, "zh"))
		})
	}
}

// acts writes {"actions": …} from name:x pairs.
func acts(pairs ...string) string {
	list := make([]string, len(pairs))
	for i, p := range pairs {
		name, x, _ := strings.Cut(p, ":")
		list[i] = fmt.Sprintf(`{"name":%q,"kwargs":{"x":%s,"same":true}}`, name, x)
	}
	return `{"actions":[` + strings.Join(list, ",") + `]}`
}

func TestLessonsOfToolRunsGiveNothingAway(t *testing.T) {
	data := shared(t)
	f := New(Options{})
	for _, name := range evaluationFiles {
		for _, e := range evaluations(t, filepath.Join(data, "evaluations", name)) {
			if e.Judgment.Null() {
				continue // a test case without a verdict
			}
			out, err := f.Form(t.Context(), e, &memory{})
			require.NoError(t, err)
			for _, c := range out.Changes {
				require.NoError(t, tree.Check(&c.Node))
				secret := guard.TruthsOf(judgment.Decode(e.GroundTruth), e.Prompt)
				for _, s := range []string{c.Node.Content.Title, c.Node.Content.Description, c.Node.CaseData.ErrorReason} {
					require.False(t, secret.In(s), "%s: %s", e.ID, s)
				}
				_, forces := guard.Forces(c.Node.Content.Guidance)
				require.False(t, forces, c.Node.Content.Guidance)
			}
		}
	}
}

func FuzzDetectDiffer(f *testing.F) {
	f.Add([]byte(`{"verdict":"pass"}`), []byte(`{"has_defect":true}`))
	f.Add([]byte(acts("a:1", "b:2")), []byte(acts("b:2", "a:3", "c:1")))
	f.Add([]byte(`"结论：通过"`), []byte(`[1,2.50,"x"]`))
	f.Add([]byte(`{"a":[{"b":null}]}`), []byte(`{"a":[{"b":1e999}]}`))
	f.Fuzz(func(t *testing.T, judged, truth []byte) {
		e := tree.Evaluation{Prompt: "p", Judgment: judged, GroundTruth: truth}
		j := Detect(&e)
		require.Equal(t, j.Labelled && !j.Correct, j.Direction.Valid())
		require.Equal(t, j, Detect(&e))
		said, is := judgment.Decode(judged), judgment.Decode(truth)
		d := differ(said, is)
		require.Equal(t, d, differ(said, is))
		if json.Valid(judged) && e.Judgment.Check() == nil {
			require.Empty(t, differ(said, said), "nothing differs from itself")
			same := tree.Evaluation{Judgment: judged, GroundTruth: judged}
			if j := Detect(&same); j.Labelled {
				require.True(t, j.Correct)
			}
		}
		truths := guard.TruthsOf(judgment.Decode(truth), "")
		require.False(t, truths.In(guard.Keep(words(d, "en")+string(truth), truths)))
	})
}
