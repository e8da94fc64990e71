package judgment

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/tree"
)

func TestPolarity(t *testing.T) {
	for in, want := range map[string]Polarity{
		`true`:                                   Passes,
		`false`:                                  Fails,
		`"Passed."`:                              Passes,
		`"**FAIL**"`:                             Fails,
		`"FAIL: the button is missing"`:          Fails,
		`"Verdict: pass, and more"`:              Passes,
		`"has_defect: yes"`:                      Fails,
		`"结论：通过。页面正常。"`:                          Passes,
		`"是否有缺陷：否"`:                              Passes,
		`"不通过"`:                                  Fails,
		`{"isCorrect":true}`:                     Passes,
		`{"Has-Defect":"no"}`:                    Passes,
		`{"has_defect":1}`:                       Fails,
		`{"结论":"失败"}`:                            Fails,
		`{"verdict":"pass","has_defect":true}`:   Unread, // contradicts itself
		`{"verdict":{"value":"pass"}}`:           Unread,
		`{"mood":"pass"}`:                        Unread,
		`"The page passes as far as I can tell"`: Unread,
		`"A>B"`:                                  Unread,
		`1`:                                      Unread,
		`["pass"]`:                               Unread,
		`null`:                                   Unread,
		`not json`:                               Unread,
	} {
		require.Equal(t, want, PolarityOf(Decode(tree.Raw(in))), in)
	}
	require.Equal(t, Unread, Unread.Opposite())
	require.Equal(t, Fails, Passes.Opposite())
}

func TestRead(t *testing.T) {
	prose := "a long sentence that says what was seen and nothing of a verdict"
	for _, c := range []struct {
		in, verdict, beside string
	}{
		{`"PASS"`, "pass", ""},
		{`"ok."`, "ok", "."},
		{`true`, "true", ""},
		{`"FAIL: the button is missing"`, "fail", ": the button is missing"},
		{`"Passed: every check"`, "passed", ": every check"},
		{`"结论：通过。按钮可用"`, "通过", "按钮可用"},
		{`"Verdict: FAIL. The button is missing"`, "fail", "The button is missing"},
		{`"` + prose + `"`, "", prose},
		{`". ok"`, "ok", ""},
		{`{"verdict":"success","reason":"all done"}`, "success", "all done\n"},
		{`{"Verdict":"PASS","Mood":"fine"}`, "pass", "fine\n"},
		{`{"Verdict":"a","verdict":"b","VERDICT":"c"}`, "b", "c\na\n"},
		{`{"has_defect":false,"why":["a","b"],"n":3}`, "false", "3\na\nb\n"},
		{`{"has_defect":false,"verdict":"pass"}`, "pass", ""},
		{`{"结论":"通过。","理由":"按钮可用"}`, "通过", "按钮可用\n"},
		{`{"mood":"ok","z":{"k":"deep"}}`, "ok", "k\ndeep\n"},
		{`[1,2]`, "", ""},
		{`null`, "", ""},
		{`not json`, "", ""},
	} {
		verdict, beside := Read(Decode(tree.Raw(c.in)))
		require.Equal(t, c.verdict, verdict, c.in)
		require.Equal(t, c.beside, beside, c.in)
	}
}

func TestReasoning(t *testing.T) {
	for in, want := range map[string]string{
		`"because"`: "because",
		`{"verdict":"pass","reason":"why","Thought":"first","n":"none"}`: "first\nwhy",
		`{"verdict":"fail","理由":"缺少门牌号"}`:                                "缺少门牌号",
		`{"reason":["a"]}`: "",
		`[1]`:              "",
	} {
		require.Equal(t, want, Reasoning(Decode(tree.Raw(in))), in)
	}
}

func TestFlaky(t *testing.T) {
	for in, want := range map[string]bool{
		`"flaky"`: true, `"不稳定"`: true, `{"status":"Unstable"}`: true, `{"is_flaky":true}`: true,
		`{"flaky":true,"verdict":"pass"}`: true,
		`"pass"`:                          false, `{"flaky":false}`: false, `{"note":"flaky"}`: false,
		`"it was flaky last week"`: false,
	} {
		require.Equal(t, want, Flaky(Decode(tree.Raw(in))), in)
	}
}

func TestDefects(t *testing.T) {
	for in, want := range map[string]struct {
		list []any
		told bool
	}{
		`{"defects":["a"],"defect_details":["b"]}`: {[]any{"b", "a"}, true},
		`{"has_defect":false,"defects":[]}`:        {nil, true},
		`{"缺陷列表":["标题缺失"]}`:                        {[]any{"标题缺失"}, true},
		`{"has_defect":true}`:                      {nil, false},
		`{"defects":"one"}`:                        {nil, false},
		`["a"]`:                                    {nil, false},
	} {
		list, told := defects(Decode(tree.Raw(in)))
		require.Equal(t, want.list, list, in)
		require.Equal(t, want.told, told, in)
	}
}

// FuzzReadAny tests the laws of any value: reading it ends, the results keep their
// limits, and the value agrees with itself.
func FuzzReadAny(f *testing.F) {
	for _, s := range []string{`{"verdict":"pass","reason":"x"}`, `{"has_defect":true,"defects":[{"type":"x"}]}`,
		`"结论：通过。页面正常。"`, `{"actions":[{"name":"a","kwargs":{"x":1.0}}]}`, `"a\n:"`, `[1,2.50,"x"]`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		v := Decode(tree.Raw(b))
		verdict, beside := Read(v)
		require.LessOrEqual(t, len(verdict), maxVerdict)
		again, besideAgain := Read(v)
		require.Equal(t, verdict+"\x00"+beside, again+"\x00"+besideAgain)
		require.LessOrEqual(t, len(Reasoning(v)), maxReasoning)
		require.Equal(t, PolarityOf(v), PolarityOf(v))
		same, why := Compare(v, v)
		require.Equal(t, same, why == "", "nothing differs from itself")
		list, told := defects(v)
		require.True(t, told || list == nil)
		Flaky(v)
		ActionsIn(v)
		yes := true
		require.NoError(t, Denied(&tree.Evaluation{Judgment: b, GroundTruth: b, Correct: &yes}, "a", "b"))
	})
}
