package formation

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/enhance"
	"github.com/memtree/memtree/internal/golden"
	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/llm"
	"github.com/memtree/memtree/llm/llmtest"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

func TestFormMakesACase(t *testing.T) {
	f := New(Options{Origin: tree.Origin{ID: "o_1", Label: "team"}, Words: enhance.NewWording(nil).Fill})
	e := tree.Evaluation{
		ID: "v1", RunID: "r1", CaseID: "CASE_7", Attempt: 1, At: time.Date(2026, 1, 28, 9, 0, 0, 0, time.UTC),
		Scene: tree.Scene{ID: "S1", Type: "表单", Route: "/orders/42?x=1"}, Scope: tree.Scope{Product: "shop", Test: "t"},
		Prompt:      "请检查订单表单：点击保存后状态是否变为已保存",
		Judgment:    tree.Raw(`{"hasDefect": false, "reason": "点击保存后页面显示正常，状态已更新为已保存。"}`),
		GroundTruth: tree.Raw(`{"has_defect":true,"defect_details":["按钮文案写成了‘保纯’"]}`),
		Reason:      "智能体没有等待接口返回，误认为已保存，实际状态未生效。", Trial: "t_1",
	}
	out, err := f.Form(t.Context(), e, &memory{})
	require.NoError(t, err)
	require.Len(t, out.Changes, 1)
	n := out.Changes[0].Node
	require.NoError(t, tree.Check(&n))
	require.Equal(t, tree.OpAdd, out.Changes[0].Op)
	require.Equal(t, tree.EvidenceID(&n), n.ID)
	require.Equal(t, "interaction_sequence_error", n.ErrorType)
	require.Equal(t, taxonomy.FalsePass, n.Direction)
	require.Equal(t, tree.Scene{ID: "S1", Type: "form", Route: "/orders/:p"}, n.Scene)
	require.Equal(t, tree.Scope{Product: "shop"}, n.Scope, "a lesson is not bound to its test")
	require.Equal(t, "zh", n.Lang)
	require.Equal(t, e.At, n.Metadata.CreatedAt)
	require.Equal(t, "team", n.Origin.Label)
	require.Equal(t, "rules", n.Provenance.Analyst)
	require.False(t, n.Provenance.Again)
	require.NotContains(t, n.Content.Guidance+n.Content.Description+n.CaseData.ErrorReason, "保纯")
	require.Equal(t, &ledger.Outcome{Trial: "t_1", Evaluation: "v1", Attempt: 1, ErrorType: n.ErrorType,
		Direction: taxonomy.FalsePass}, out.Outcome)
	require.Equal(t, n.ID, out.Verdict.Node)
	b, err := json.MarshalIndent(n.CaseData.Misses, "", "  ")
	require.NoError(t, err)
	golden.Equal(t, "testdata/case.golden",
		"title      "+n.Content.Title+"\nactual     "+n.CaseData.ActualError+"\nreason     "+n.CaseData.ErrorReason+
			"\nguidance   "+n.Content.Guidance+"\n"+string(b)+"\n")
}

// TestFormRedactsUnlessPromised tests that Form redacts unless Options.Redacted
// promises that this has been done.
func TestFormRedactsUnlessPromised(t *testing.T) {
	e := sample()
	e.Prompt += " with password=hunter2x"
	for promised, want := range map[bool]string{false: "password=[redacted:password]", true: "password=hunter2x"} {
		out, err := New(Options{Redacted: promised}).Form(t.Context(), e, &memory{})
		require.NoError(t, err)
		require.Contains(t, out.Changes[0].Node.CaseData.TestCase.Prompt, want)
	}
}

func TestFormLeavesTheRest(t *testing.T) {
	f := New(Options{})
	right, err := f.Form(t.Context(), tree.Evaluation{Prompt: "p", Judgment: tree.Raw(`"pass"`),
		GroundTruth: tree.Raw(`"pass"`), Trial: "t_1"}, &memory{})
	require.NoError(t, err)
	require.Empty(t, right.Changes)
	require.True(t, right.Outcome.Correct)
	none, err := f.Form(t.Context(), tree.Evaluation{Prompt: "p", Judgment: tree.Raw(`"fail"`), Trial: "t_1"}, &memory{})
	require.NoError(t, err)
	require.Empty(t, none.Changes)
	require.Nil(t, none.Outcome)
	require.False(t, none.Verdict.Labelled)
	_, err = f.Form(t.Context(), tree.Evaluation{Judgment: tree.Raw(`"fail"`)}, &memory{})
	bad, ok := errors.AsType[*tree.FieldError](err)
	require.True(t, ok)
	require.Equal(t, "prompt", bad.Field)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = f.Form(ctx, sample(), &memory{})
	require.ErrorIs(t, err, context.Canceled)
}

func TestFormAttachesOccurrences(t *testing.T) {
	f, m := New(Options{}), &memory{}
	form := func(e tree.Evaluation) Formed {
		out, err := f.Form(t.Context(), e, m)
		require.NoError(t, err)
		m.apply(out.Changes)
		return out
	}
	first := form(sample()).Changes[0].Node
	require.Empty(t, form(sample()).Changes, "the same evaluation again")
	again := sample()
	again.ID, again.At = "run-2", again.At.Add(time.Hour)
	c := form(again).Changes[0]
	require.Equal(t, tree.OpAttach, c.Op)
	require.Equal(t, first.ID, c.Node.ID)
	require.Equal(t, again.At, c.Node.Metadata.UpdatedAt)
	earlier := sample()
	earlier.ID, earlier.At = "run-0", earlier.At.Add(-time.Hour)
	c = form(earlier).Changes[0]
	require.Equal(t, earlier.At, c.Node.Metadata.CreatedAt, "recorded last, seen first")
	require.Equal(t, again.At, c.Node.Metadata.UpdatedAt)
	near := sample()
	near.ID, near.Judgment = "run-3", tree.Raw(strings.Replace(string(near.Judgment), "correctly filtered",
		"rightly filtered", 1))
	c = form(near).Changes[0]
	require.Equal(t, tree.OpAttach, c.Op)
	require.Equal(t, first.ID, c.Node.ID)
	require.Len(t, c.Node.Occurrences, 4)
	require.True(t, c.Node.Occurrences[2].Near)
	require.Empty(t, c.Node.Scope.SuiteTests, "a run of a suite binds no memory that was bound to none")
	other := sample()
	other.ID, other.Judgment = "run-4", tree.Raw(`{"verdict":"failure","reason":"The page was blank and still loading `+
		`when the agent gave its answer, so the answer cannot be right."}`)
	require.Equal(t, tree.OpAdd, form(other).Changes[0].Op)
	require.Len(t, m.nodes, 2)
	for i := range tree.MaxOccurrences + 5 {
		e := sample()
		e.ID, e.At = fmt.Sprintf("more-%d", i), e.At.Add(time.Duration(i+2)*time.Hour)
		form(e)
	}
	n, err := m.Get(t.Context(), first.ID)
	require.NoError(t, err)
	require.Len(t, n.Occurrences, tree.MaxOccurrences)
	require.NoError(t, tree.Check(&n))
}

func TestFormIsWithinLimits(t *testing.T) {
	f := New(Options{})
	for name, e := range map[string]tree.Evaluation{
		"long": {Prompt: strings.Repeat("检查页面。", 60_000), Judgment: tree.Raw(`"` + strings.Repeat("好", 300_000) + `"`),
			GroundTruth: tree.Raw(`["` + strings.Repeat(`\"`, 200_000) + `"]`), Reason: strings.Repeat("错", 300_000)},
		"NUL":  {Prompt: "p", Judgment: tree.Raw(`"a\u0000b"`), GroundTruth: tree.Raw(`"c\u0000"`)},
		"lone": {Prompt: "p", Judgment: tree.Raw(`"\ud800"`), GroundTruth: tree.Raw(`"x"`)},
		"names": {Prompt: "p", Judgment: tree.Raw(`{"actions":[]}`),
			GroundTruth: tree.Raw(`{"actions":[{"name":"\u001b[31m` + strings.Repeat("x", 100) + `","kwargs":{}}]}`)},
	} {
		t.Run(name, func(t *testing.T) {
			wrong := false
			e.Correct = &wrong
			out, err := f.Form(t.Context(), e, &memory{})
			require.NoError(t, err)
			require.NoError(t, tree.Check(&out.Changes[0].Node))
			require.NotContains(t, out.Changes[0].Node.Content.Guidance, "\x1b")
		})
	}
}

const good = `{"runs":[{"run":1,"misses":[{"how":"It overlooked a review in the list that mentions the term.",` +
	`"check":"whole_list","what":["reviews","Quantum foam"],` +
	`"instead":"Read every one of the reviews to the end of the list."}]}]}`

// Unusable parts of an answer are omitted: a text, a miss, a run. Only an answer without a usable run is requested
// once more. Instead the rules analyse, and the case waits to be read again.
func TestAnalyseWithAModel(t *testing.T) {
	const how, instead = "It overlooked a review in the list that mentions the term.",
		"Read every one of the reviews to the end of the list."
	with := func(old, new string) string { return strings.Replace(good, old, new, 1) }
	all := tree.Miss{Check: "whole_list", What: []string{"reviews"}, How: how, Instead: instead}
	const cause = "It counts mentions in one part of the reviews only."
	unknown := with("whole_list", "counting")
	ungrounded := strings.NewReplacer(how, "Bananas ripen slowly", "whole_list", "style", `"reviews",`, "").Replace(good)
	for name, c := range map[string]struct {
		steps   []llmtest.ScriptStep
		analyst string
		miss    tree.Miss
	}{
		"good": {[]llmtest.ScriptStep{{Text: good}}, "model", all},
		"leak": {[]llmtest.ScriptStep{{Text: with(instead, "See that it is Fallingwater House.")}}, "model",
			tree.Miss{Check: "whole_list", What: []string{"reviews"}, How: how}},
		"forced": {[]llmtest.ScriptStep{{Text: with(instead, "Always pass it.")}}, "model",
			tree.Miss{Check: "whole_list", What: []string{"reviews"}, How: how}},
		"a number that is not the task's": {[]llmtest.ScriptStep{{Text: with(instead, "Look for all 7 reviews.")}}, "model",
			tree.Miss{Check: "whole_list", What: []string{"reviews"}, How: how}},
		"parrot": {[]llmtest.ScriptStep{{Text: with(how, "The snapshot shows that only one review mentions the term.")}},
			"model", tree.Miss{Check: "whole_list", What: []string{"reviews"}, Instead: instead}},
		"other language": {[]llmtest.ScriptStep{{Text: with(how, "它漏看了列表中的一条评论。")}}, "model",
			tree.Miss{Check: "whole_list", What: []string{"reviews"}, Instead: instead}},
		"new": {[]llmtest.ScriptStep{{Text: with("whole_list", "new: "+cause)}}, "model",
			tree.Miss{What: all.What, How: how, Instead: instead, Cause: cause}},
		"nobody can tell":         {[]llmtest.ScriptStep{{Text: `{"runs":[{"run":1,"misses":[]}]}`}}, "model", tree.Miss{}},
		"no such check, repaired": {[]llmtest.ScriptStep{{Text: unknown}, {Text: good}}, "model", all},
		"no such check":           {[]llmtest.ScriptStep{{Text: unknown}, {Text: unknown}}, "rules", tree.Miss{}},
		"ungrounded":              {[]llmtest.ScriptStep{{Text: ungrounded}, {Text: ungrounded}}, "rules", tree.Miss{}},
		"no JSON":                 {[]llmtest.ScriptStep{{Text: "sorry"}, {Text: "sorry"}}, "rules", tree.Miss{}},
		"refused":                 {[]llmtest.ScriptStep{{Err: &llm.Error{Kind: llm.KindRefused}}}, "rules", tree.Miss{}},
		"busy":                    {[]llmtest.ScriptStep{{Err: &llm.Error{Kind: llm.KindRateLimited}}}, "rules", tree.Miss{}},
		"unauthorised": {[]llmtest.ScriptStep{{Err: &llm.Error{Kind: llm.KindUnauthorised}}}, "rules",
			tree.Miss{}},
		"not a typed one": {[]llmtest.ScriptStep{{Err: errors.New("boom")}}, "rules", tree.Miss{}},
	} {
		t.Run(name, func(t *testing.T) {
			model := llmtest.NewScript(c.steps...)
			e := sample()
			e.GroundTruth = tree.Raw(`{"verdict":"success","answer":"Fallingwater House"}`)
			out, err := New(Options{Generator: model}).Form(t.Context(), e, &memory{})
			require.NoError(t, err)
			n := out.Changes[0].Node
			require.NoError(t, tree.Check(&n))
			require.Len(t, model.Requests(), len(c.steps))
			require.Equal(t, c.analyst, n.Provenance.Analyst, out.ModelErr)
			require.Equal(t, c.analyst == "rules", n.Provenance.Again)
			require.Equal(t, c.analyst == "rules", out.ModelErr != nil)
			if c.analyst == "model" {
				m := n.CaseData.Misses[0]
				require.Equal(t, c.miss, tree.Miss{Check: m.Check, What: m.What, How: m.How, Instead: m.Instead, Cause: m.Cause})
				require.Equal(t, c.miss.Instead, n.CaseData.AvoidanceHint)
				require.Regexp(t, `^analyse\.en@2\+`, n.Provenance.Template)
			}
		})
	}
}

// In this order is trusted: a note that surely names a check, the model, a guess of the rules.
func TestTrust(t *testing.T) {
	says := func(check string) string {
		return `{"runs":[{"run":1,"misses":[{"how":"","check":"` + check + `","what":[],"instead":""}]}]}`
	}
	const sure = "It never scrolled down: the list has three pages and only the first page was looked at."
	for name, c := range map[string]struct {
		note, answer, rules string
		want                []string
	}{
		"a sure note stays, the model adds": {sure,
			says("settle"), "whole_list", []string{"whole_list", "settle"}},
		"a sure note stays, the model has nothing": {sure,
			`{"runs":[{"run":1,"misses":[]}]}`, "whole_list", []string{"whole_list"}},
		"both agree":     {sure, says("whole_list"), "whole_list", []string{"whole_list"}},
		"nothing":        {"wrong again", says("whole_list"), "", []string{"whole_list"}},
		"a guess yields": {"the figure was taken from the wrong corner", says("evidence"), "?", []string{"evidence"}},
	} {
		t.Run(name, func(t *testing.T) {
			e := sample()
			e.Reason = c.note
			out, err := New(Options{}).Form(t.Context(), e, &memory{})
			require.NoError(t, err)
			if c.rules != "?" {
				require.Equal(t, c.rules, out.Changes[0].Node.CaseData.Misses[0].Check)
			}
			model := llmtest.NewScript(llmtest.ScriptStep{Text: c.answer})
			out, err = New(Options{Generator: model}).Form(t.Context(), e, &memory{})
			require.NoError(t, err)
			n := out.Changes[0].Node
			var got []string
			for _, m := range n.CaseData.Misses {
				got = append(got, m.Check)
			}
			require.Equal(t, c.want, got)
			require.Equal(t, "model", n.Provenance.Analyst)
			if saysCause(c.note) {
				require.NotEmpty(t, n.CaseData.Misses[0].How, "a person's words stay")
			}
		})
	}
}

// TestCounts compares with a golden file what becomes of real evaluations. Forming
// them one by one must give the same as forming them in batches, if each sees the
// changes of those before.
func TestCounts(t *testing.T) {
	data := shared(t)
	var b strings.Builder
	b.WriteString("file                  n  right  unlabelled  wrong  pass  fail  other  cases  occurrences " +
		" untyped\n")
	for _, name := range evaluationFiles {
		f, m := New(Options{}), &memory{}
		var n, right, unlabelled int
		dir := map[taxonomy.Direction]int{}
		for _, e := range evaluations(t, filepath.Join(data, "evaluations", name)) {
			n++
			if e.Judgment.Null() {
				unlabelled++
				continue
			}
			out, err := f.Form(t.Context(), e, m)
			require.NoError(t, err)
			m.apply(out.Changes)
			switch v := out.Verdict; {
			case !v.Labelled:
				unlabelled++
			case v.Correct:
				right++
			default:
				dir[v.Direction]++
			}
		}
		occurrences, untyped := 0, 0
		for _, x := range m.nodes {
			occurrences += len(x.Occurrences)
			if x.ErrorType == taxonomy.OtherError {
				untyped++
			}
		}
		wrong := dir[taxonomy.FalsePass] + dir[taxonomy.FalseFail] + dir[taxonomy.Other]
		require.Equal(t, wrong, occurrences, "every wrong verdict is remembered")
		fmt.Fprintf(&b, "%-18s %4d   %4d        %4d   %4d  %4d  %4d   %4d   %4d         %4d     %4d\n", name, n, right,
			unlabelled, wrong,
			dir[taxonomy.FalsePass], dir[taxonomy.FalseFail], dir[taxonomy.Other], len(m.nodes), occurrences, untyped)
	}
	golden.Equal(t, "testdata/counts.golden", b.String())
}
