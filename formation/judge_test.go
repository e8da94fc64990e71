package formation

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/llm"
	"github.com/memtree/memtree/llm/llmtest"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// freeText is the note of a comparison that only a model could make.
const freeText = "judgment or ground truth is free text; say correct: true or false"

// Four texts that no exact comparison can tell apart.
const (
	saysFine = "I looked at the whole review list and everything on it is displayed as the task asked, " +
		"with no problem that I could find anywhere."
	saysBroken = "I looked at the whole review list and the second review has no author, " +
		"so the list is not displayed as the task asked for it."
	isFine = "Every review on the list has its author, text and date, " +
		"so the list is displayed in the way in which it is meant to be displayed."
	isBroken = "The second review on the list is displayed without its author, " +
		"although every review must have one according to the specification."
)

func inProse(judgment, truth string) tree.Evaluation {
	return tree.Evaluation{
		ID: "v1", CaseID: "reviews", At: time.Date(2026, 1, 28, 9, 0, 0, 0, time.UTC),
		Prompt:   "Check that every review on the list has an author",
		Judgment: tree.Raw(fmt.Sprintf("%q", judgment)), GroundTruth: tree.Raw(fmt.Sprintf("%q", truth)),
	}
}

func step(correct bool, direction, reason string) llmtest.ScriptStep {
	return llmtest.ScriptStep{Text: fmt.Sprintf(`{"reason":%q,"correct":%v,"direction":%q}`, reason, correct, direction),
		Usage: llm.Usage{InputTokens: 10, OutputTokens: 1}}
}

const (
	missed   = "The agent found no problem, but a review has no author."
	invented = "The agent reported a review without author, but each has one."
	agree    = "Both say the same."
	analysed = `{"runs":[{"run":1,"misses":[{"how":"It did not look at the author of each review on the list.",` +
		`"check":"right_one","what":[],"instead":"Look at each entry of the list."}]}]}`
)

// TestFormAsksTheJudge tests wrong and right verdicts of both directions: a wrong
// verdict becomes a case, a right one never does.
func TestFormAsksTheJudge(t *testing.T) {
	for name, c := range map[string]struct {
		judgment, truth string
		steps           []llmtest.ScriptStep
		correct         bool
		direction       taxonomy.Direction
		analyst         string
	}{
		"missed": {saysFine, isBroken, []llmtest.ScriptStep{step(false, "false_pass", missed), {Text: analysed}}, false,
			taxonomy.FalsePass, "model"},
		"invented": {saysBroken, isFine, []llmtest.ScriptStep{step(false, "false_fail", invented), {Text: analysed}},
			false, taxonomy.FalseFail, "model"},
		"wrong otherwise": {saysFine, isFine, []llmtest.ScriptStep{step(false, "other", missed), {Text: analysed}}, false,
			taxonomy.Other, "model"},
		"right pass": {saysFine, isFine, []llmtest.ScriptStep{step(true, "none", agree)}, true, taxonomy.None, ""},
		"right fail": {saysBroken, isBroken, []llmtest.ScriptStep{step(true, "none", agree)}, true, taxonomy.None, ""},
		"truth is a label": {saysFine, "fail", []llmtest.ScriptStep{step(false, "false_pass", missed), {Text: analysed}},
			false,
			taxonomy.FalsePass, "model"},
		"short texts, right": {"The author is missing", "A review has no author", []llmtest.ScriptStep{step(true, "none",
			agree)},
			true, taxonomy.None, ""},
		"contradiction, repaired": {saysFine, isBroken,
			[]llmtest.ScriptStep{step(true, "false_pass", missed), step(false, "false_pass", missed), {Text: analysed}},
			false, taxonomy.FalsePass, "model"},
		"impossible direction, repaired": {saysFine, "pass",
			[]llmtest.ScriptStep{step(false, "false_pass", missed), step(true, "none", agree)}, true, taxonomy.None, ""},
		"other language, repaired": {saysFine, isBroken,
			[]llmtest.ScriptStep{step(false, "false_pass", "漏掉了缺少作者的评论"), step(false, "false_pass", missed),
				{Text: analysed}}, false,
			taxonomy.FalsePass, "model"},
		"analysis refused": {saysFine, isBroken,
			[]llmtest.ScriptStep{step(false, "false_pass", missed), {Text: "sorry"}, {Text: "sorry"}}, false, taxonomy.FalsePass,
			"rules"},
	} {
		t.Run(name, func(t *testing.T) {
			model := llmtest.NewScript(c.steps...)
			e := inProse(c.judgment, c.truth)
			e.Trial = "t_1"
			out, err := New(Options{Generator: model}).Form(t.Context(), e, &memory{})
			require.NoError(t, err)
			require.Len(t, model.Requests(), len(c.steps))
			require.True(t, out.Verdict.Labelled)
			require.Equal(t, c.correct, out.Verdict.Correct)
			require.Equal(t, c.correct, out.Outcome.Correct)
			require.Equal(t, c.direction, out.Verdict.Direction)
			require.Equal(t, c.direction, out.Outcome.Direction)
			require.Contains(t, out.Notes[0], "the model script compared")
			if c.correct {
				require.Empty(t, out.Changes)
				require.NoError(t, out.ModelErr)
				return
			}
			n := out.Changes[0].Node
			require.NoError(t, tree.Check(&n))
			require.Equal(t, c.direction, n.Direction)
			require.Equal(t, c.analyst, n.Provenance.Analyst, out.ModelErr)
			require.Equal(t, "script", n.Provenance.Model)
			require.Regexp(t, `^judge\.en@\S+(, analyse\.en@\S+)?$`, n.Provenance.Template)
			require.Equal(t, c.analyst == "model", len(n.Provenance.Template) > 40, n.Provenance.Template)
			require.NotEmpty(t, n.CaseData.EvaluatorReason)
		})
	}
}

func TestFormAsksTheJudgeInChinese(t *testing.T) {
	e := inProse("我逐条查看了评论列表，每条评论都按要求显示了作者、正文和日期，没有发现任何问题，可以认为该页面通过。", "评论列表中的第二条没有显示作者，而按照说明每一条评论都必须显示作者，因此该页面存在需要修复的问题。")
	e.Prompt = "请检查评论列表中的每条评论是否都有作者"
	model := llmtest.NewScript(step(false, "false_pass", "智能体没有发现缺少作者的评论。"),
		llmtest.ScriptStep{Err: &llm.Error{Kind: llm.KindRefused}})
	out, err := New(Options{Generator: model}).Form(t.Context(), e, &memory{})
	require.NoError(t, err)
	require.Equal(t, taxonomy.FalsePass, out.Verdict.Direction)
	require.Regexp(t, `^judge\.zh@`, out.Changes[0].Node.Provenance.Template)
	require.Equal(t, "智能体没有发现缺少作者的评论。", out.Changes[0].Node.CaseData.EvaluatorReason)
}

func TestJudgeKeepsTheReasonGiven(t *testing.T) {
	e := inProse(saysFine, isBroken)
	e.Reason = "It did not scroll to the second review."
	out, err := New(Options{Generator: llmtest.NewScript(step(false, "false_pass", missed),
		llmtest.ScriptStep{Text: analysed})}).Form(t.Context(), e, &memory{})
	require.NoError(t, err)
	require.Equal(t, e.Reason, out.Changes[0].Node.CaseData.EvaluatorReason)
}

// TestJudgeIsNotAsked tests that the model is not called when a field states whether the verdict was right, or when
// the two can be compared.
func TestJudgeIsNotAsked(t *testing.T) {
	yes, no := true, false
	explicit := func(correct *bool, d taxonomy.Direction) tree.Evaluation {
		e := inProse(saysFine, isBroken)
		e.Correct, e.Direction = correct, d
		return e
	}
	for name, c := range map[string]struct {
		e                 tree.Evaluation
		labelled, correct bool
	}{
		"correct":         {explicit(&yes, ""), true, true},
		"wrong":           {explicit(&no, ""), true, false},
		"direction":       {explicit(nil, taxonomy.FalsePass), true, false},
		"equal":           {inProse(saysFine, saysFine), true, true},
		"labels":          {inProse("pass", "fail"), true, false},
		"short answers":   {inProse("Rome", "Paris"), true, false},
		"flaky":           {inProse(saysFine, "flaky"), false, false},
		"nothing is true": {tree.Evaluation{Prompt: "p", Judgment: tree.Raw(`"` + saysFine + `"`)}, false, false},
		"no words": {tree.Evaluation{Prompt: "p", Judgment: tree.Raw(`{"a":1}`), GroundTruth: tree.Raw(`{"b":2}`)},
			false, false},
	} {
		t.Run(name, func(t *testing.T) {
			model := llmtest.NewScript()
			out, err := New(Options{Generator: model}).Form(t.Context(), c.e, &memory{})
			for _, r := range model.Requests() { // the analyst may be called
				require.NotContains(t, r.Name, "judge")
			}
			if err != nil {
				require.True(t, c.labelled && !c.correct, err)
				return
			}
			require.Equal(t, c.labelled, out.Verdict.Labelled)
			require.Equal(t, c.correct, out.Verdict.Correct)
		})
	}
}

func TestJudgeFails(t *testing.T) {
	for name, c := range map[string][]llmtest.ScriptStep{
		"refused":      {{Err: &llm.Error{Kind: llm.KindRefused}}},
		"unauthorised": {{Err: &llm.Error{Kind: llm.KindUnauthorised}}},
		"busy":         {{Err: &llm.Error{Kind: llm.KindRateLimited, RetryAfter: time.Second}}},
		"no JSON":      {{Text: "sorry"}, {Text: "sorry"}},
		"impossible":   {step(true, "false_pass", missed), step(true, "other", missed)},
		"no reason":    {step(true, "none", " "), step(true, "none", "")},
	} {
		t.Run(name, func(t *testing.T) {
			model := llmtest.NewScript(c...)
			out, err := New(Options{Generator: model}).Form(t.Context(), inProse(saysFine, isBroken), &memory{})
			require.NoError(t, err)
			require.Error(t, out.ModelErr)
			require.False(t, out.Verdict.Labelled)
			require.Empty(t, out.Changes)
			require.Equal(t, []string{freeText}, out.Notes)
			require.Len(t, model.Requests(), len(c))
		})
	}
}
