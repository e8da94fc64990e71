package prompts

import (
	"encoding/json"
	"fmt"

	"github.com/memtree/memtree/text"
)

// JudgeInput is a verdict and a truth, both free text, that an exact comparison
// cannot decide on. They are cleaned, capped and fenced here.
type JudgeInput struct {
	Lang        string // "zh", or anything else for English
	Prompt      string // what the agent was told to do; optional
	Judgment    string
	GroundTruth string
}

// A Verdict says whether a judgment is right.
type Verdict struct {
	Reason  string `json:"reason"`
	Correct bool   `json:"correct"`
	// Direction is false_pass, false_fail or other when the judgment is wrong,
	// "" when it is right.
	Direction string `json:"direction"`
}

// Judge asks whether a judgment says the same as the ground truth.
// Read takes the answer in.
func (s *Set) Judge(in JudgeInput) (Prompt, error) {
	return s.render("judge", in.Lang, in.fields(), judgeSchema())
}

func (in JudgeInput) fields() any {
	return struct{ Task, Judgment, GroundTruth string }{
		Task:        data("task", in.Prompt, maxTask),
		Judgment:    dataOrDash("judgment", in.Judgment, maxVerdict),
		GroundTruth: dataOrDash("ground_truth", in.GroundTruth, maxVerdict),
	}
}

// judgeSchema has the reason first: a model that is held to it thinks before it decides.
func judgeSchema() json.RawMessage {
	return json.RawMessage(`{"type":"object","properties":{` +
		`"reason":{"type":"string"},` +
		`"correct":{"type":"boolean"},` +
		`"direction":{"type":"string","enum":["none","false_pass","false_fail","other"]}},` +
		`"required":["reason","correct","direction"],"additionalProperties":false}`)
}

// Read takes in an answer to the prompt made from in; the error is worded for a model.
func (in JudgeInput) Read(raw json.RawMessage) (Verdict, error) {
	var v Verdict
	if err := json.Unmarshal(raw, &v); err != nil {
		return Verdict{}, fmt.Errorf("answer: %w", err)
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
		return v, fmt.Errorf(`direction: must be "false_pass", "false_fail" or "other" when correct is false, not %q`, v.Direction)
	}
}

var sampleJudge = JudgeInput{Prompt: "the task", Judgment: "the judgment", GroundTruth: "the ground truth"}
