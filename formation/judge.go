package formation

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/memtree/memtree/judgment"
	"github.com/memtree/memtree/prompts"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/text"
	"github.com/memtree/memtree/tree"
)

// judge lets the model compare a judgment and a ground truth that are both in
// words. Its word becomes x.judged, and its reason the evaluator's where there is
// none. A model that may answer later is an error; after any other failure
// x.judged stays as the comparison left it.
func (f *Former) judge(ctx context.Context, x *facts, out *Formed) error {
	in := prompts.JudgeInput{Lang: x.lang, Prompt: x.e.Prompt, Judgment: x.e.Judgment.Text(), GroundTruth: x.e.GroundTruth.Text()}
	p, err := f.prompts.Judge(in)
	if err != nil {
		out.ModelErr = fmt.Errorf("judge: %w", err)
		return nil
	}
	read := func(raw json.RawMessage) (prompts.Verdict, error) {
		v, err := in.Read(raw)
		if err != nil {
			return v, err
		}
		return v, x.checkVerdict(v)
	}
	answer, err := f.ask(ctx, p, x.lang, func(raw json.RawMessage) error { _, err := read(raw); return err }, out)
	var v prompts.Verdict
	if err == nil {
		v, err = read(answer.JSON)
	}
	if err != nil {
		out.ModelErr = fmt.Errorf("judge: %w", err)
		if err := later(ctx, err); err != nil {
			return fmt.Errorf("judge: %w", err)
		}
		return nil
	}
	x.judged = Judged{Labelled: true, Correct: v.Correct, Direction: taxonomy.Direction(v.Direction)}
	x.judge = tree.Provenance{Model: answer.Model, Template: p.Name()}
	word := "wrong"
	if v.Correct {
		word = "right"
	}
	x.judged.Note = fmt.Sprintf("the model %s compared judgment and ground truth, both free text, and found the verdict %s: %s", inline(answer.Model), word, v.Reason)
	if x.e.Reason == "" {
		x.e.Reason = v.Reason
	}
	return nil
}

// checkVerdict refuses a verdict without a usable reason, and one that is wrong
// in a direction in which it cannot be: what was said or is true may be plain
// from a leading word. Its errors are sentences for the model.
func (x *facts) checkVerdict(v prompts.Verdict) error {
	zh := x.lang == "zh"
	var bad []error
	say := func(field, en, cn string) { bad = append(bad, errors.New(field+": "+pick(zh, en, cn))) }
	switch lang := text.Lang(v.Reason); {
	case v.Reason == "":
		say("reason", "is empty", "不能为空")
	case zh != (lang == "zh"):
		say("reason", "write it in English", "请用中文回答")
	}
	said, is := judgment.PolarityOf(x.judgment), judgment.PolarityOf(x.truth)
	switch d := taxonomy.Direction(v.Direction); {
	case d == taxonomy.FalsePass && (said == judgment.Fails || is == judgment.Passes):
		say("direction", "cannot be false_pass: the agent reported a defect, or there is none", "不可能是 false_pass：智能体报告了缺陷，或实际没有缺陷")
	case d == taxonomy.FalseFail && (said == judgment.Passes || is == judgment.Fails):
		say("direction", "cannot be false_fail: the agent reported no defect, or there is one", "不可能是 false_fail：智能体没有报告缺陷，或实际存在缺陷")
	}
	return errors.Join(bad...)
}

// signed adds to the provenance of an analysis that a model was the judge: the
// judge's prompt comes first.
func (x *facts) signed(p tree.Provenance) tree.Provenance {
	switch {
	case x.judge.Template == "":
	case p.Template == "":
		p.Template, p.Model = x.judge.Template, x.judge.Model
	default:
		p.Template = x.judge.Template + ", " + p.Template
	}
	return p
}
