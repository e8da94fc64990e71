package prompts

import (
	"encoding/json"
	"fmt"

	"github.com/memtree/memtree/internal/text"
)

// JudgeInput is a judgment and a ground truth in free text, too free to compare exactly. Judge cleans, cuts and fences
// them.
type JudgeInput struct {
	Lang        string // Chinese for "zh" or "zh-…", else English
	Prompt      string // the task of the agent; optional
	Judgment    string
	GroundTruth string
}

// A JudgeOutput is a model's answer to whether a judgment was right.
type JudgeOutput struct {
	Reason  string `json:"reason"`
	Correct bool   `json:"correct"`
	// Direction is false_pass, false_fail or other if the judgment was wrong, "" if it was right.
	Direction string `json:"direction"`
}

// Judge returns the prompt that asks a model whether a judgment agrees with the ground truth. in.Read decodes the
// answer.
func (s *Set) Judge(in JudgeInput) (Prompt, error) {
	return s.render("judge", in.Lang, map[string]any{
		"Task":        fence("task", in.Prompt, maxTask),
		"Judgment":    fenceOrDash("judgment", in.Judgment, maxVerdict),
		"GroundTruth": fenceOrDash("ground_truth", in.GroundTruth, maxVerdict),
	}, judgeSchema())
}

// judgeSchema has the reason first, so that a model held to it reasons before it decides.
func judgeSchema() json.RawMessage {
	return json.RawMessage(`{"type":"object","properties":{` +
		`"reason":{"type":"string"},` +
		`"correct":{"type":"boolean"},` +
		`"direction":{"type":"string","enum":["none","false_pass","false_fail","other"]}},` +
		`"required":["reason","correct","direction"],"additionalProperties":false}`)
}

// Read decodes an answer to the prompt made from in. The error is written for the model.
func (in JudgeInput) Read(raw json.RawMessage) (JudgeOutput, error) {
	var v JudgeOutput
	if err := json.Unmarshal(raw, &v); err != nil {
		return JudgeOutput{}, fmt.Errorf("answer: %w", err)
	}
	v.Reason = text.Clip(text.Line(v.Reason), maxAnswerText)
	switch {
	case v.Correct && v.Direction != "none":
		return v, fmt.Errorf(`direction: must be "none" when correct is true, not %q`, v.Direction)
	case v.Correct:
		v.Direction = ""
		return v, nil
	case v.Direction == "false_pass" || v.Direction == "false_fail" || v.Direction == "other":
		return v, nil
	default:
		return v, fmt.Errorf(`direction: must be "false_pass", "false_fail" or "other" when correct is false, not %q`,
			v.Direction)
	}
}
