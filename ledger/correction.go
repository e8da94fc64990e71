package ledger

import (
	"fmt"
	"github.com/memtree/memtree/tree"
	"slices"
)

// CorrectAbove is the default bound for corrections: a verdict is corrected if the probability that it is wrong is at
// least this. If the probabilities are calibrated, about four of five corrected verdicts or more were wrong.
const CorrectAbove = 0.8

// Remedy is what is done about a verdict that is likely to be wrong.
type Remedy string

// The remedies. Whichever is applied, the agent's own verdict is recorded.
const (
	Flag  Remedy = "flag"  // report the risk; the verdict does not change
	Rerun Remedy = "rerun" // run the test once more and use the second verdict
	Other Remedy = "other" // use the opposite verdict; only if exactly one verdict is opposite
)

// Valid reports whether r is one of the remedies.
func (r Remedy) Valid() bool { return r == Flag || r == Rerun || r == Other }

// Correction records a verdict that was likely to be wrong, and what was done about it. Only Grounds hold texts of the
// run: First, Other and Now are verdicts without their reasons. They are absent if the judgment has no verdict with
// exactly one opposite.
type Correction struct {
	Evaluation string   `json:"evaluation"`      // key of the evaluation with the agent's own verdict
	Trial      string   `json:"trial,omitempty"` // the trial whose guidance was used
	CaseID     string   `json:"case_id,omitempty"`
	P          float64  `json:"p"`                 // probability that the verdict is wrong, 0 to 1
	Bound      float64  `json:"bound"`             // the least P that the team corrects
	Signals    []string `json:"signals,omitempty"` // names of the signals that raised the risk, strongest first

	Asked Remedy `json:"asked"`         // the remedy that the team configured
	Done  Remedy `json:"done"`          // the remedy applied: Asked or, for the reason in Why, Flag
	Why   string `json:"why,omitempty"` // why Flag was applied instead of Asked, a sentence; else ""

	First   tree.Raw `json:"first,omitempty"` // the agent's verdict
	Other   tree.Raw `json:"other,omitempty"` // the opposite verdict
	Now     tree.Raw `json:"now,omitempty"`   // the verdict in use
	Changed bool     `json:"changed"`         // Now differs from First
	Again   string   `json:"again,omitempty"` // key of the second run's evaluation

	// Back marks a later entry on the same evaluation: a person took the correction back, so First is in use again. By is
	// the name of that person.
	Back bool   `json:"back,omitempty"`
	By   string `json:"by,omitempty"`

	// Grounds are the evidence for the correction, strongest first, with texts of the run. They are only for the caller:
	// the ledger does not store them.
	Grounds []Ground `json:"grounds,omitempty"`
}

// Ground is one piece of evidence that a verdict is likely to be wrong.
type Ground struct {
	Signal      string   `json:"signal"`                // name of the signal that the ground explains
	Words       []string `json:"words,omitempty"`       // words of the verdict's reason, the task or the observation
	Evaluations []string `json:"evaluations,omitempty"` // keys of earlier evaluations that raised the risk
	Memories    []string `json:"memories,omitempty"`    // ids of cases whose defect the page shows again
	Quote       string   `json:"quote,omitempty"`       // quotation of the evidence by a model that took a second look
	Point       string   `json:"point,omitempty"`       // the part of the task that Quote is about
}

// The values of Correction.Why: the reason why a verdict was only flagged.
const (
	WhyNoOther   = "its verdict has no other, or more than one" // not exactly one verdict is opposite
	WhyStopped   = "such corrections broke more verdicts than they put right, so they were stopped"
	WhyUnread    = "what earlier corrections came to could not be read in time" // the results of corrections are unknown
	WhyUnkept    = "the correction could not be written down"                   // the ledger could not be written
	WhyRunFailed = "the second run failed"
	WhyTakenBack = "a person took the correction of it back"
)

// CorrectionSentences returns all values of Correction.Why, for translation.
func CorrectionSentences() []string {
	return []string{WhyNoOther, WhyStopped, WhyUnread, WhyUnkept, WhyRunFailed, WhyTakenBack}
}

// maxSignals is the most signals in a correction.
const maxSignals = 16

// Check returns a *tree.FieldError for the first invalid field of c, or nil.
func (c *Correction) Check() error {
	if c.Evaluation == "" {
		return &tree.FieldError{Field: "evaluation", Problem: "is missing; say whose verdict it is"}
	}
	for _, f := range []struct{ name, text string }{
		{"evaluation", c.Evaluation}, {"trial", c.Trial}, {"case_id", c.CaseID}, {"again", c.Again},
		{"by", c.By}, {"first", string(c.First)}, {"other", string(c.Other)}, {"now", string(c.Now)},
	} {
		if err := tree.CheckText(f.name, f.text, tree.MaxName); err != nil {
			return err
		}
	}
	if err := tree.CheckText("why", c.Why, tree.MaxNodeLine); err != nil {
		return err
	}
	for _, v := range []tree.Raw{c.First, c.Other, c.Now} {
		if err := v.Check(); err != nil {
			return &tree.FieldError{Field: "first", Problem: "or other or now: " + err.Error()}
		}
	}
	if !(c.P >= 0 && c.P <= 1 && c.Bound >= 0 && c.Bound <= 1) {
		return &tree.FieldError{Field: "p", Problem: fmt.Sprintf("is %v, and bound is %v; both lie in 0 to 1", c.P, c.Bound)}
	}
	if !c.Asked.Valid() || !c.Done.Valid() || c.Done != Flag && c.Done != c.Asked {
		return &tree.FieldError{Field: "done", Problem: "is " + quoted(string(c.Done)) + " where " + quoted(string(c.Asked)) +
			" was asked for; use flag, rerun or other, and do no other than was asked"}
	}
	if len(c.Signals) > maxSignals {
		return &tree.FieldError{Field: "signals", Problem: fmt.Sprintf("are %d; the most is %d", len(c.Signals), maxSignals)}
	}
	if i := slices.IndexFunc(c.Signals, func(s string) bool { return !tree.IsSlug(s) }); i >= 0 {
		return &tree.FieldError{Field: "signals", Problem: "has " + quoted(c.Signals[i]) + ", which is no name of a signal"}
	}
	return nil
}
