package ingest

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestReadPairs(t *testing.T) {
	for in, want := range map[string]struct{ judgment, truth string }{
		`"verdict":"pass","expected":"fail"`: {`"pass"`, `"fail"`},
		`"actual":{"city":"Rome"},"expected":{"city":"Paris"}`: {`{"city":"Rome"}`,
			`{"city":"Paris"}`},
		`"prediction":"A>B","label":"B>A"`:                      {`"A>B"`, `"B>A"`},
		`"predicted":true,"label":false`:                        {`true`, `false`},
		`"agent_verdict":"pass","human_verdict":"fail"`:         {`"pass"`, `"fail"`},
		`"agentVerdict":"pass","humanVerdict":"fail"`:           {`"pass"`, `"fail"`},
		`"判定":"通过","期望":"不通过"`:                                  {`"通过"`, `"不通过"`},
		`"判断":"通过","预期":"通过"`:                                   {`"通过"`, `"通过"`},
		`"verdict":"pass","ground_truth":"fail"`:                {`"pass"`, `"fail"`},
		`"判定":"通过","testCase":{"expected":{"has_defect":true}}`: {`"通过"`, `{"has_defect":true}`},
		`"verdict":"pass","actual":"PASSED","expected":"fail"`:  {`"pass"`, `"fail"`}, // they agree
		`"judgment":{"verdict":"pass","reason":"x"},"verdict":"pass","expected":"fail"`: {`{"verdict":"pass","reason":"x"}`,
			`"fail"`},
		`"judgment":"Looks fine so far as I can see","verdict":"pass","expected":"fail"`: {`"Looks fine so far as I can see"`,
			`"fail"`},
		// Beside a judgment and a ground truth under their own names, the value of a pair is someone else's.
		`"judgment":"pass","ground_truth":"fail","verdict":"incorrect"`:    {`"pass"`, `"fail"`},
		`"agent_verdict":"pass","human_verdict":"fail","verdict":"wrong"`:  {`"pass"`, `"fail"`},
		`"judgment":"pass","label":"smoke"`:                                {`"pass"`, ``},
		`"result":{"has_defect":true},"expected":"fail","verdict":"wrong"`: {`{"has_defect":true}`, `"fail"`},
		`"judgment":"pass","prediction":null,"label":"smoke"`:              {`"pass"`, ``},
	} {
		es, problems := read(t, strings.NewReader(`{"prompt":"p",`+in+`}`))
		require.Empty(t, problems, in)
		require.Len(t, es, 1, in)
		require.Equal(t, want.judgment, string(es[0].Judgment), in)
		require.Equal(t, want.truth, string(es[0].GroundTruth), in)
	}
}

func TestReadPairProblems(t *testing.T) {
	for in, want := range map[string]string{
		`"verdict":"pass","actual":"fail","expected":"fail"`: `actual says "fail" but verdict says ` +
			`"pass"; leave one of them out`,
		`"verdict":"pass","actual":"fail","ground_truth":"fail"`: `actual says "fail" but verdict says ` +
			`"pass"; leave one of them out`,
		`"judgment":"pass","verdict":"fail","expected":"fail"`: `verdict says "fail" but judgment says ` +
			`"pass"; leave one of them out`,
		`"prediction":"A","label":"B","ground_truth":"C"`: `label says "B" but ground_truth says ` +
			`"C"; leave one of them out`,
		`"agent_verdict":"pass","human_verdict":"pass","ground_truth":"fail"`: `human_verdict says "pass" but ` +
			`ground_truth says "fail"; leave one of them out`,
		`"判定":"通过","期望":"通过","expected":"失败"`: `期望 says "通过" but expected says "失败"; ` +
			`leave one of them out`,
		`"verdict":"correct","expected":"Paris"`: `judgment is missing, and verdict cannot ` +
			`stand in for it: verdict says "correct" and expected says "Paris", of which only one is a verdict; write what ` +
			`the agent judged as judgment`,
		`"verdict":"pass"`: "judgment is missing; say what the agent " +
			"judged, in any JSON",
		`"label":"pass"`: "judgment is missing; say what the agent " +
			"judged, in any JSON",
		`"verdict":"pass","expected":"fail","correct":true`: "correct is true although verdict reads as " +
			"pass and expected as fail; mend the one that is wrong, or leave this one out and the two are compared",
		`"actual":"\u0000","expected":"x"`: "actual has a NUL character in it; remove it",
		`"verdict":"pass","verdict":"fail","expected":"x"`: "verdict is there twice in one object; keep " +
			"one of them",
	} {
		es, problems := read(t, strings.NewReader(`{"prompt":"p",`+in+`}`))
		require.Empty(t, es, in)
		require.Equal(t, []string{"runs.jsonl:1: " + want}, problems, in)
	}
}
