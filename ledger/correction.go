package ledger

import (
	"fmt"
	"github.com/memtree/memtree/tree"
	"slices"
)

// CorrectAbove is the default risk from which a verdict is corrected. If risks are calibrated, four of five corrections
// at this bound are right.
const CorrectAbove = 0.8

// Remedy is the treatment of a verdict that is likely to be wrong.
type Remedy string

// The remedies. Each of them records the agent's own verdict.
const (
	Flag  Remedy = "flag"  // report the risk; the verdict does not change
	Rerun Remedy = "rerun" // run the test once more and use the second verdict
	Other Remedy = "other" // use the opposite verdict, if there is exactly one
)

// Valid reports whether r is one of the remedies.
func (r Remedy) Valid() bool { return r == Flag || r == Rerun || r == Other }

// Correction records a verdict that was likely to be wrong and its treatment. Evaluation joins it with its truth. It
// holds no text of the run: First, Other and Now are bare verdicts without reasons, and absent if a judgment holds more
// than a verdict.
type Correction struct {
	Evaluation string   `json:"evaluation"`      // of the agent's own verdict
	Trial      string   `json:"trial,omitempty"` // the trial whose guidance was used
	CaseID     string   `json:"case_id,omitempty"`
	P          float64  `json:"p"`                 // probability that the verdict is wrong, 0 to 1
	Bound      float64  `json:"bound"`             // P was at least this
	Signals    []string `json:"signals,omitempty"` // signals that raised the risk, strongest first

	Asked Remedy `json:"asked"`         // what the team configured
	Done  Remedy `json:"done"`          // what was done: Asked, or Flag
	Why   string `json:"why,omitempty"` // why less was done than configured, a sentence

	First   tree.Raw `json:"first,omitempty"` // the agent's verdict
	Other   tree.Raw `json:"other,omitempty"` // the opposite verdict, if there is exactly one
	Now     tree.Raw `json:"now,omitempty"`   // the verdict in use
	Changed bool     `json:"changed"`         // Now differs from First
	Again   string   `json:"again,omitempty"` // evaluation of the second run

	// Back, of a later entry: the person By took the correction back, and First is in use again.
	Back bool   `json:"back,omitempty"`
	By   string `json:"by,omitempty"`

	// Grounds are what speaks for the correction, strongest first, with texts of the run. The ledger has none of them.
	Grounds []Ground `json:"grounds,omitempty"`
}

// Ground is one piece of evidence for a correction.
type Ground struct {
	Signal      string   `json:"signal"`
	Words       []string `json:"words,omitempty"`       // of the verdict's reason, task or observation
	Evaluations []string `json:"evaluations,omitempty"` // earlier verdicts that were wrong
	Memories    []string `json:"memories,omitempty"`    // cases that the page itself bears out
	Quote       string   `json:"quote,omitempty"`       // of the evidence, by a second look
	Point       string   `json:"point,omitempty"`       // the demand of the task that the quotation is about
}

// Reasons why a verdict was only flagged, as sentences.
const (
	WhyNoOther   = "its verdict has no other, or more than one"
	WhyUnsure    = "too little is known: the interval of its risk begins lower"
	WhyStopped   = "such corrections broke more verdicts than they put right, so they were stopped"
	WhyUnread    = "what earlier corrections came to could not be read in time"
	WhyUnkept    = "the correction could not be written down"
	WhyRunFailed = "the second run failed"
	WhyTakenBack = "a person took the correction of it back"
)

// CorrectionSentences returns the sentences of Correction.Why, for translation.
func CorrectionSentences() []string {
	return []string{WhyNoOther, WhyUnsure, WhyStopped, WhyUnread, WhyUnkept, WhyRunFailed, WhyTakenBack}
}

// maxSignals is the most signals in a correction.
const maxSignals = 16

// Check reports the first field that breaks a limit, as a *FieldError.
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
