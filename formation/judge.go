package formation

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/memtree/memtree/internal/judgment"
	"github.com/memtree/memtree/internal/text"
	"github.com/memtree/memtree/llm"
	"github.com/memtree/memtree/prompts"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// judge lets the model compare a judgment and a ground truth that are both free text. Its verdict becomes x.judged.
// Its reason becomes the evaluator's reason if that is empty. After an error, x.judged is unchanged.
func (f *Former) judge(ctx context.Context, x *facts) error {
	in := prompts.JudgeInput{
		Lang: x.lang, Prompt: x.e.Prompt, Judgment: x.e.Judgment.Text(), GroundTruth: x.e.GroundTruth.Text(),
	}
	p, err := prompts.Load().Judge(in)
	if err != nil {
		return fmt.Errorf("judge: %w", err)
	}
	var v prompts.JudgeOutput
	r := prompts.Load().Request(p, x.lang, 2*maxTokens)
	answer, err := llm.Ask(ctx, f.generator, r, func(raw json.RawMessage) (bad error) {
		if v, bad = in.Read(raw); bad != nil {
			return bad
		}
		return x.checkVerdict(v)
	})
	if err != nil {
		return fmt.Errorf("judge: %w", err)
	}
	x.judged = Detection{Labelled: true, Correct: v.Correct, Direction: taxonomy.Direction(v.Direction)}
	x.judge = tree.Provenance{Model: answer.Model, Template: p.Name()}
	word := "wrong"
	if v.Correct {
		word = "right"
	}
	x.judged.Note = fmt.Sprintf("the model %s compared judgment and ground truth, both free text, "+
		"and found the verdict %s: %s", inline(answer.Model), word, v.Reason)
	if x.e.Reason == "" {
		x.e.Reason = v.Reason
	}
	return nil
}

// checkVerdict refuses a model's verdict without a usable reason. It also refuses a direction that contradicts the
// judgment or the ground truth, when one of them begins with a bare verdict. Its errors are sentences for the model.
func (x *facts) checkVerdict(v prompts.JudgeOutput) error {
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
		say("direction", "cannot be false_pass: the agent reported a defect, or there is none",
			"不可能是 false_pass：智能体报告了缺陷，或实际没有缺陷")
	case d == taxonomy.FalseFail && (said == judgment.Passes || is == judgment.Fails):
		say("direction", "cannot be false_fail: the agent reported no defect, or there is one",
			"不可能是 false_fail：智能体没有报告缺陷，或实际存在缺陷")
	}
	return errors.Join(bad...)
}

// signed returns the provenance of an analysis with that of the model that judged,
// if one did. The judge's prompt comes first.
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
