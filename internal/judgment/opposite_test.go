package judgment_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/internal/judgment"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

func TestOpposite(t *testing.T) {
	for in, want := range map[string]string{
		`true`: `false`, `"PASS"`: `"FAIL"`, `"Passed"`: `"Failed"`, `"failure"`: `"success"`,
		`"通过"`: `"不通过"`, `"A>B"`: `"B\u003eA"`,
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

func TestBare(t *testing.T) {
	for in, want := range map[string]string{
		`true`: `true`, `"PASS"`: `"PASS"`, `"rejected"`: `"rejected"`,
		`{"has_defect": true, "why": "x"}`:                  `{"has_defect":true}`,
		`{"verdict": "failure", "reason": "it is missing"}`: `{"verdict":"failure"}`, `{"has_bug": 1}`: `{"has_bug":1}`,
	} {
		got, ok := judgment.Bare(tree.Raw(in))
		require.True(t, ok, in)
		require.JSONEq(t, want, string(got), in)
	}
	_, ok := judgment.Bare(tree.Raw(`"FAIL: the button is missing"`))
	require.False(t, ok)
}

func TestOppositeRight(t *testing.T) {
	for _, c := range []struct {
		judgment, truth string
		direction       taxonomy.Direction
		correct         bool
		right, known    bool
	}{
		{`"pass"`, `"fail"`, "", false, true, true},
		{`"pass"`, `"pass"`, "", true, false, true},
		{`"pass"`, ``, "", true, false, true},
		{`"pass"`, ``, taxonomy.FalsePass, false, true, true},
		{`"pass"`, ``, "", false, true, true},
		{`"pass"`, ``, taxonomy.Other, false, false, false},
		{`"A>B"`, `"A=B"`, "", false, false, true},
		{`"A>B"`, `"B>A"`, "", false, true, true},
		{`"A>B"`, ``, "", false, false, false},
		{`"pass"`, `{"total":"12"}`, "", false, false, false}, // cannot be compared
		{`{"verdict":"fail","reason":"no total"}`, `null`, "", false, true, true},
		{`"a long story"`, `"pass"`, "", false, false, false},
	} {
		e := tree.Evaluation{Judgment: tree.Raw(c.judgment), GroundTruth: tree.Raw(c.truth), Direction: c.direction}
		right, known := judgment.OppositeRight(&e, c.correct)
		require.Equal(t, []bool{c.right, c.known}, []bool{right, known}, "%+v", c)
	}
}
