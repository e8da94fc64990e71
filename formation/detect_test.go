package formation

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

func TestDetectDerives(t *testing.T) {
	const right, wrong, none = "right", "wrong", "unlabelled"
	for _, c := range []struct {
		judgment, truth, want string
		direction             taxonomy.Direction
	}{
		{`true`, `true`, right, ""},
		{`true`, `false`, wrong, taxonomy.FalsePass},
		{`false`, `true`, wrong, taxonomy.FalseFail},
		{`"pass"`, `"PASSED"`, right, ""},
		{`"pass"`, `"fail"`, wrong, taxonomy.FalsePass},
		{`"failure"`, `"success"`, wrong, taxonomy.FalseFail},
		{`"通过"`, `"失败"`, wrong, taxonomy.FalsePass},
		{`"有缺陷"`, `"无缺陷"`, wrong, taxonomy.FalseFail},
		{`"不通过"`, `"未通过"`, right, ""},
		{`"结论：通过。页面正常。"`, `false`, wrong, taxonomy.FalsePass},
		{`"FAIL: the button is missing"`, `"pass"`, wrong, taxonomy.FalseFail},
		{`{"has_defect":true}`, `{"has_defect":true,"defect_details":["x"],"defect_level":"high"}`, right, ""},
		{`{"hasDefect":false,"defects":[]}`, `{"has_defect":true}`, wrong, taxonomy.FalsePass},
		{`{"hasDefect":true,"defects":[{"type":"x"}]}`, `{"has_defect":false,"defect_details":[]}`, wrong,
			taxonomy.FalseFail},
		{`{"has_defect":1}`, `{"has_defect":0}`, wrong, taxonomy.FalseFail},
		{`{"verdict":"success","reason":"all good"}`, `{"verdict":"failure"}`, wrong, taxonomy.FalsePass},
		{`{"verdict":"failure"}`, `"success"`, wrong, taxonomy.FalseFail},
		{`{"verdict":"pass"}`, `{"has_defect":false}`, right, ""},
		// contradicts itself; field by field it agrees
		{`{"verdict":"pass","has_defect":true}`, `{"verdict":"pass"}`, right, ""},
		{`{"verdict":"A>B"}`, `{"verdict":"B>A"}`, wrong, taxonomy.Other},
		{`3`, `3.0`, right, ""},
		{`"3"`, `3`, right, ""},
		{`4`, `3`, wrong, taxonomy.Other},
		{`" Paris. "`, `"paris"`, right, ""},
		{`"Rome"`, `"Paris"`, wrong, taxonomy.Other},
		{`{"city":"paris","why":"x"}`, `{"city":"Paris"}`, right, ""},
		{`{"city":"Paris"}`, `{"city":"Paris","country":"France"}`, wrong, taxonomy.Other},
		{`{"Total-Count":2}`, `{"total_count":2}`, right, ""},
		{`["a","b"]`, `["a","b"]`, right, ""},
		{`["b","a"]`, `["a","b"]`, wrong, taxonomy.Other},
		{`{"verdict":"done","actions":[{"name":"a","kwargs":{"x":1}}]}`, `{"actions":[{"name":"a","kwargs":{"x":1.0}}]}`,
			right, ""},
		{`{"verdict":"done"}`, `{"actions":[{"name":"a","kwargs":{}}]}`, wrong, taxonomy.FalsePass},
		{`{"verdict":"flaky"}`, `{"verdict":"pass"}`, none, ""},
		{`"fail"`, `"flaky"`, none, ""},
		{`"The page looks fine to me and every one of the elements that I could find is where it should have ` +
			`been in the end."`, `"pass"`, none, ""},
		{`{"a":1}`, `{"b":2}`, none, ""},
		{`"fail"`, `null`, none, ""},
		{`"fail"`, ``, none, ""},
	} {
		t.Run(c.judgment+" "+c.truth, func(t *testing.T) {
			got := Detect(&tree.Evaluation{Prompt: "p", Judgment: tree.Raw(c.judgment), GroundTruth: tree.Raw(c.truth)})
			require.Equal(t, c.want != none, got.Labelled, got.Note)
			require.Equal(t, c.want == right, got.Correct)
			require.Equal(t, c.direction, got.Direction)
		})
	}
}

func TestDetectExplicitWins(t *testing.T) {
	yes, no := true, false
	e := func(correct *bool, d taxonomy.Direction, judgment, truth string) *tree.Evaluation {
		return &tree.Evaluation{Correct: correct, Direction: d, Judgment: tree.Raw(judgment), GroundTruth: tree.Raw(truth)}
	}
	for name, c := range map[string]struct {
		e    *tree.Evaluation
		want Detection
	}{
		"right": {e(&yes, "", `"fail"`, ``), Detection{Labelled: true, Correct: true}},
		"right against the truth": {e(&yes, "", `"fail"`, `"pass"`),
			Detection{Labelled: true, Correct: true,
				Note: "correct is true although judgment and ground truth contradict each other; it counts as right"}},
		"wrong, direction derived": {e(&no, "", `"pass"`, `"fail"`), Detection{Labelled: true,
			Direction: taxonomy.FalsePass}},
		"wrong, direction given": {e(&no, taxonomy.Other, `"x"`, ``), Detection{Labelled: true, Direction: taxonomy.Other}},
		"wrong, nothing to read": {e(&no, "", `"x"`, ``), Detection{Labelled: true, Direction: taxonomy.Other}},
		"direction alone": {e(nil, taxonomy.FalseFail, `"x"`, ``),
			Detection{Labelled: true, Direction: taxonomy.FalseFail}},
		"other direction than read": {e(&no, taxonomy.FalseFail, `"pass"`, `"fail"`),
			Detection{Labelled: true, Direction: taxonomy.FalseFail,
				Note: "direction is false_fail although judgment and ground truth read as false_pass; it counts as given"}},
		"wrong although equal": {e(&no, taxonomy.FalsePass, `"pass"`, `"pass"`),
			Detection{Labelled: true, Direction: taxonomy.FalsePass,
				Note: "it is marked wrong although judgment and ground truth say the same; it counts as wrong"}},
		"flaky but explicit": {e(&no, "", `"flaky"`, `"pass"`), Detection{Labelled: true, Direction: taxonomy.Other}},
	} {
		t.Run(name, func(t *testing.T) { require.Equal(t, c.want, Detect(c.e)) })
	}
}

// TestDetectBothWaysRound guards against the mistake of a known implementation,
// which analysed the agent when the agent was right.
func TestDetectBothWaysRound(t *testing.T) {
	f := New(Options{})
	for _, said := range []string{"pass", "fail"} {
		for _, is := range []string{"pass", "fail"} {
			out, err := f.Form(t.Context(), tree.Evaluation{
				CaseID: "c", Prompt: "Check the login page", Judgment: tree.Raw(fmt.Sprintf("%q", said)),
				GroundTruth: tree.Raw(fmt.Sprintf("%q", is)),
			}, &memory{})
			require.NoError(t, err)
			require.Equal(t, said == is, out.Verdict.Correct)
			require.Equal(t, said == is, len(out.Changes) == 0, "%s, but %s", said, is)
		}
	}
}

func TestDetectOnRealVerdicts(t *testing.T) {
	data := shared(t)
	count := map[taxonomy.Direction]int{}
	for _, e := range evaluations(t, filepath.Join(data, "evaluations", "webjudge.jsonl")) {
		given := Detect(&e)
		count[given.Direction]++
		require.Empty(t, given.Note)
		e.Correct, e.Direction = nil, ""
		require.Equal(t, given, Detect(&e), "derived as it was given: %s", e.ID)
	}
	require.Equal(t, map[taxonomy.Direction]int{taxonomy.None: 468, taxonomy.FalsePass: 31, taxonomy.FalseFail: 66}, count)
}

func TestDetectDerivesToolRuns(t *testing.T) {
	data := shared(t)
	for _, e := range evaluations(t, filepath.Join(data, "evaluations", "tau.jsonl")) {
		given := Detect(&e)
		e.Correct, e.Direction = nil, ""
		derived := Detect(&e)
		if derived.Labelled && !given.Correct && !derived.Correct {
			require.Equal(t, given.Direction, derived.Direction, e.ID)
		}
	}
}
