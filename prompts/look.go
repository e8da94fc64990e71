package prompts

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/memtree/memtree/internal/text"
)

// LookInput is a verdict and the evidence of its run, for a second look by a model. All texts come from outside; Look
// cleans, cuts and fences them.
type LookInput struct {
	Lang     string   // Chinese for "zh" or "zh-…", else English
	Task     string   // what the agent had to test
	Evidence string   // what the agent saw and did, and what failed
	Claim    string   // the agent's verdict with its reason
	Before   []string // memories from similar tests, one line each; optional; only the first 4 are shown
	Pictures int      // number of pictures that accompany the prompt
}

// LookOutput is a model's answer to whether a verdict holds.
type LookOutput struct {
	Points  []LookPoint `json:"points"`
	Against string      `json:"against"` // a quotation of the evidence that contradicts the verdict; "" for none
	By      string      `json:"by"`      // cause of a failed run: agent, beyond (the agent's control), unseen; else none
	Holds   string      `json:"holds"`   // the verdict holds: yes, no or unseen
	Chance  int         `json:"chance"`  // probability that the verdict holds, in percent
	Why     string      `json:"why"`     // the reason, one line
}

// LookPoint is one thing that the task demanded, and whether the evidence shows that the agent did it.
type LookPoint struct {
	Point string `json:"point"` // the demand
	Shown string `json:"shown"` // whether the evidence shows the demand met: yes, no or unseen
	Quote string `json:"quote"` // the part of the evidence that Shown rests on
}

// MaxEvidence is how much of LookInput.Evidence a prompt contains, in characters.
const MaxEvidence = 3600

// Limits of a look, in characters: with the evidence some 1,900 tokens of English.
const (
	maxLookTask   = 1200
	maxLookClaim  = 800
	maxLookBefore = 4 // lines
	maxPoints     = 6
)

// Look returns the prompt that asks a model whether a verdict holds by the evidence of its run. in.Read decodes the
// answer.
func (s *Set) Look(in LookInput) (Prompt, error) {
	return s.render("look", in.Lang, map[string]any{
		"Pictures": in.Pictures,
		"Task":     fenceOrDash("task", in.Task, maxLookTask),
		"Evidence": fenceOrDash("evidence", in.Evidence, MaxEvidence),
		"Claim":    fenceOrDash("verdict", in.Claim, maxLookClaim),
		"Before":   fence("before", bullets(in.Before[:min(maxLookBefore, len(in.Before))]), maxLookBefore*maxLine),
	}, lookSchema)
}

// Shown returns in.Evidence as the prompt contains it: cleaned, and cut to MaxEvidence.
func (in LookInput) Shown() string { return cutMiddle(in.Evidence, MaxEvidence) }

// Asked returns in.Task as the prompt contains it: cleaned and cut.
func (in LookInput) Asked() string { return cutMiddle(in.Task, maxLookTask) }

// Claimed returns in.Claim as the prompt contains it: cleaned and cut.
func (in LookInput) Claimed() string { return cutMiddle(in.Claim, maxLookClaim) }

var lookSchema = json.RawMessage(`{"type":"object","properties":{` +
	`"points":{"type":"array","minItems":1,"maxItems":6,"items":{"type":"object","properties":{` +
	`"point":{"type":"string"},"shown":{"type":"string","enum":["yes","no","unseen"]},"quote":{"type":"string"}},` +
	`"required":["point","shown","quote"],"additionalProperties":false}},` +
	`"against":{"type":"string"},"by":{"type":"string","enum":["agent","beyond","none","unseen"]},` +
	`"holds":{"type":"string","enum":["yes","no","unseen"]},"chance":{"type":"integer","minimum":0,"maximum":100},` +
	`"why":{"type":"string"}},` +
	`"required":["points","against","by","holds","chance","why"],"additionalProperties":false}`)

// Read decodes an answer to the prompt made from in, and cuts its texts. The error is written for the model.
func (in LookInput) Read(raw json.RawMessage) (LookOutput, error) {
	var v LookOutput
	if err := json.Unmarshal(raw, &v); err != nil {
		return LookOutput{}, fmt.Errorf("answer: %w", err)
	}
	answers := []string{"yes", "no", "unseen"}
	switch {
	case len(v.Points) == 0 || len(v.Points) > maxPoints:
		return v, fmt.Errorf("points: there are %d; give 1 to %d", len(v.Points), maxPoints)
	case !slices.Contains(answers, v.Holds):
		return v, fmt.Errorf(`holds: must be "yes", "no" or "unseen", not %q`, v.Holds)
	case !slices.Contains([]string{"agent", "beyond", "none", "unseen"}, v.By):
		return v, fmt.Errorf(`by: must be "agent", "beyond", "none" or "unseen", not %q`, v.By)
	case v.Chance < 0 || v.Chance > 100:
		return v, fmt.Errorf("chance: must be 0 to 100, not %d", v.Chance)
	}
	for i := range v.Points {
		p := &v.Points[i]
		if !slices.Contains(answers, p.Shown) {
			return v, fmt.Errorf(`points[%d].shown: must be "yes", "no" or "unseen", not %q`, i, p.Shown)
		}
		p.Point, p.Quote = text.Clip(text.Line(p.Point), maxLine), text.Clip(text.Line(p.Quote), maxQuotation)
	}
	v.Against, v.Why = text.Clip(text.Line(v.Against), maxQuotation), text.Clip(text.Line(v.Why), maxAnswerText)
	return v, nil
}

// State returns task, evidence and verdict without a question, for a model that returns a decision and no text.
func (in LookInput) State() string {
	return "The task:\n" + fenceOrDash("task", in.Task, maxLookTask) +
		"\n\nThe evidence:\n" + fenceOrDash("evidence", in.Evidence, MaxEvidence) +
		"\n\nThe verdict:\n" + fenceOrDash("verdict", in.Claim, maxLookClaim)
}
