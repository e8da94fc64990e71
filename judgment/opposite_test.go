package judgment_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/judgment"
	"github.com/memtree/memtree/tree"
)

func TestOpposite(t *testing.T) {
	for in, want := range map[string]string{
		`true`: `false`, `"PASS"`: `"FAIL"`, `"Passed"`: `"Failed"`, `"failure"`: `"success"`, `"通过"`: `"不通过"`, `"A>B"`: `"B\u003eA"`,
		`{"has_defect": true, "defect_details": ["x"]}`:     `{"has_defect":false}`,
		`{"verdict": "failure", "reason": "it is missing"}`: `{"verdict":"success"}`,
		`{"has_bug": 1}`:                     `{"has_bug":0}`,
		`{"passed": true, "result": "pass"}`: `{"passed":false,"result":"fail"}`,
	} {
		got, ok := judgment.Opposite(tree.Raw(in))
		require.True(t, ok, in)
		require.JSONEq(t, want, string(got), in)
		back, ok := judgment.Opposite(got)
		require.True(t, ok, in)
		require.Equal(t, judgment.PolarityOf(judgment.Decode(tree.Raw(in))), judgment.PolarityOf(judgment.Decode(back)), in)
	}
	for _, in := range []string{
		``, `null`, `3`, `"partial"`, `"A=B"`, `"FAIL: the button is missing"`, `[]`, `{}`, `{"reason": "x"}`,
		`{"passed": true, "has_defect": true}`, `{"verdict": {"passed": true}}`, `{"verdict": "flaky"}`,
	} {
		_, ok := judgment.Opposite(tree.Raw(in))
		require.False(t, ok, in)
	}
}

func FuzzOpposite(f *testing.F) {
	f.Add(`{"has_defect": true}`)
	f.Add(`"Ａ"`)
	f.Fuzz(func(t *testing.T, s string) {
		other, ok := judgment.Opposite(tree.Raw(s))
		if !ok {
			return
		}
		_, ok = judgment.Opposite(other)
		require.True(t, ok, "the opposite of %s is %s, which has none", s, other)
	})
}
