package ledger

import (
	"time"

	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// Arm is what a run received: the memories found for it or, to compare, other memories or none. Chance decides which,
// with the probabilities P and Other of the Trial.
type Arm string

// The arms of a trial.
const (
	ArmMemory  Arm = "memory"  // the memories found for the run
	ArmOther   Arm = "other"   // as many memories as were found, drawn at random
	ArmHoldout Arm = "holdout" // no memories
)

// Trial is one request for guidance, and the memories that it received (see Arm).
type Trial struct {
	ID       string      `json:"id"` // id of the trial, t_…
	At       time.Time   `json:"at"`
	Query    string      `json:"query"` // hash of the request
	Scene    tree.Scene  `json:"scene,omitzero"`
	Scope    tree.Scope  `json:"scope,omitzero"`
	Agent    tree.Agent  `json:"agent,omitzero"`
	Run      bool        `json:"run,omitempty"` // the request named a run; false: it may have been only a question
	Arm      Arm         `json:"arm"`
	P        float64     `json:"p"`                  // probability of ArmMemory, 0 to 1
	Other    float64     `json:"other,omitempty"`    // probability of ArmOther; that of ArmHoldout is 1-P-Other
	Eligible []string    `json:"eligible,omitempty"` // ids of the memories and facts found, whatever the arm
	Injected []Injection `json:"injected,omitempty"` // the memories and facts in the prompt
	Found    string      `json:"found,omitempty"`    // how the first of Eligible was found: read, words, test or page
	Guidance string      `json:"guidance,omitempty"` // hash of the guidance text
	// Wording is the name of the template of the guidance. It includes whether the guidance contained facts and findings.
	Wording string  `json:"wording,omitempty"`
	Took    float64 `json:"took,omitempty"` // milliseconds from request to answer; 0: not measured
}

// Drawn reports whether t counts as a draw of its arm: P is below 1, and the request named a run or P is above 0.
func (t *Trial) Drawn() bool { return t.P < 1 && (t.Run || t.P > 0) }

// Injection is one memory, or one fact about the product, in the prompt of a run.
type Injection struct {
	ID   string `json:"id"`             // id of the memory or fact
	Rank int    `json:"rank"`           // position in the prompt, from 1
	Step int    `json:"step,omitempty"` // step of the run, from 1; 0: the whole run
}

// Step records the memories and facts that a trial received for a later step of its run.
type Step struct {
	Trial    string      `json:"trial"` // id of the trial
	Injected []Injection `json:"injected"`
	Guidance string      `json:"guidance,omitempty"` // hash of the guidance text
	Wording  string      `json:"wording,omitempty"`  // template of the guidance, see Trial.Wording
}

// Outcome is the result of a trial: whether the judgment of its run was right. A reader of the ledger must expect
// several outcomes of one trial, and outcomes of trials that are not in the ledger.
type Outcome struct {
	Trial      string             `json:"trial"`      // id of the trial
	Evaluation string             `json:"evaluation"` // key of the evaluation that decided the outcome
	Attempt    int                `json:"attempt,omitempty"`
	Correct    bool               `json:"correct"`
	ErrorType  string             `json:"errorType,omitempty"`
	Direction  taxonomy.Direction `json:"direction,omitempty"`
	By         string             `json:"by,omitempty"`   // person who labelled the run; the last outcome with By counts
	Void       bool               `json:"void,omitempty"` // with By: the label was withdrawn, so the truth is unknown
}
