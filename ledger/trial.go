// Package ledger defines the record of everything that happens to a memory: a sequence of entries that are appended and
// never changed. An [Entry] is a trial or its outcome, a verdict, a correction, an ablation, a decision of a person, a
// change of the tree, counts of another team, a fact about a product, a walk through an application, or an update of a
// run. From these entries memtree computes everything that it learns besides the tree.
//
// The package has no state and does no input or output; everything in it is safe for concurrent use as long as callers
// do not share a value they write.
//
// Where to look:
//   - trial.go: trials, outcomes, verdicts, entries; action.go: decisions of people
//   - correction.go, ablation.go: what was done about a verdict; tally.go, shape.go: counts of another team
//   - statement.go: statements on products; walk.go: what was seen of applications; update.go: updates of runs
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

// Verdict is the ledger entry of an evaluation: who judged what and where, and whether the judgment was right. Every
// processed evaluation has one, but no dead letter has. A Verdict holds no text of the run.
type Verdict struct {
	Evaluation string             `json:"evaluation"` // key of the evaluation
	RunID      string             `json:"run_id,omitempty"`
	CaseID     string             `json:"case_id,omitempty"`
	Attempt    int                `json:"attempt,omitempty"`
	Scene      tree.Scene         `json:"scene,omitzero"`
	Product    string             `json:"product,omitempty"`
	Agent      tree.Agent         `json:"agent,omitzero"`
	Labelled   bool               `json:"labelled"` // the truth is known; if false, Correct means nothing
	Correct    bool               `json:"correct"`  // the judgment was right
	Direction  taxonomy.Direction `json:"direction,omitempty"`
	Excuse     tree.Excuse        `json:"excuse,omitempty"` // set only if the verdict is Apart
	Node       string             `json:"node,omitempty"`   // id of the case with this evaluation among its occurrences
	By         string             `json:"by,omitempty"`     // person who labelled the run; the last verdict with By counts

	// Mends means that this verdict is wrong, and that exactly one verdict is opposite to it and would have been right.
	Mends bool `json:"mends,omitempty"`

	// Features are the input of package risk in its own encoding: hashes of the words and names of a labelled run. A
	// reader who guesses a word can test for its hash, so a ledger is as private as its runs.
	Features string `json:"features,omitempty"`
}

// Apart reports whether the run shows nothing about its judge: the test tool reported an Excuse, or a person or a file
// gave the direction Environment. Such a verdict counts as neither right nor wrong, and nothing is learned from it.
func (v *Verdict) Apart() bool { return !v.Labelled && v.Direction == taxonomy.Environment }

// Settled reports whether the run needs no label: it has one, or v is Apart.
func (v *Verdict) Settled() bool { return v.Labelled || v.Apart() }

// TreeChange records that learning changed the tree. Later trials use the changed tree.
type TreeChange struct {
	Changes int `json:"changes"` // number of changed nodes
}

// Entry is one record of the ledger: a time, a number and exactly one of the other fields.
type Entry struct {
	Seq        uint64      `json:"seq,omitempty"` // number assigned by the store, rising, never reused
	At         time.Time   `json:"at"`
	Trial      *Trial      `json:"trial,omitempty"`
	Step       *Step       `json:"step,omitempty"`
	Outcome    *Outcome    `json:"outcome,omitempty"`
	Verdict    *Verdict    `json:"verdict,omitempty"`
	Correction *Correction `json:"correction,omitempty"`
	Ablation   *Ablation   `json:"ablation,omitempty"`
	Act        *Action     `json:"act,omitempty"`
	Evolved    *TreeChange `json:"evolved,omitempty"`
	Tally      *Tally      `json:"tally,omitempty"` // counts of another team
	Known      *FactEntry  `json:"known,omitempty"` // a change of what is known about the product
	Walk       *Walk       `json:"walk,omitempty"`  // what was seen of the application
	Work       *Work       `json:"work,omitempty"`  // an update of a run under way
}

// Check returns a *tree.FieldError for the first invalid field of e.Known, e.Walk or e.Work, or nil. It does not check
// entries of other kinds.
func (e *Entry) Check() error {
	switch {
	case e.Known != nil:
		return e.Known.Check()
	case e.Walk != nil:
		return e.Walk.Check()
	case e.Work != nil:
		return e.Work.Check()
	default:
		return nil
	}
}
