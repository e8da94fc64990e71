// Package ledger defines what is written down line by line and never changed: an [Entry] is one of trials and their
// outcomes, verdicts, corrections, ablations, decisions of people, statements on products, walks through applications,
// and updates of runs. What memtree learns besides its tree is folded from it.
//
// The package has no state and does no input or output; everything in it is safe for concurrent use as long as callers
// do not share a value they write.
//
// Where to look:
//   - trial.go: trials, outcomes, verdicts, entries; action.go: decisions of people
//   - correction.go, ablation.go: what was done about a verdict; tally.go: counts of another team
//   - known.go: statements on products; walk.go: what was seen of applications; work.go: updates of runs
package ledger

import (
	"time"

	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// Arm is the treatment of a run: its memories, or other or no memories for comparison.
type Arm string

// The arms of a trial.
const (
	ArmMemory  Arm = "memory"
	ArmOther   Arm = "other" // as many memories, drawn at random
	ArmHoldout Arm = "holdout"
)

// Trial is one run with guidance, or one that deliberately received none.
type Trial struct {
	ID       string      `json:"id"` // t_…
	At       time.Time   `json:"at"`
	Query    string      `json:"query"` // digest of the query
	Scene    tree.Scene  `json:"scene,omitzero"`
	Scope    tree.Scope  `json:"scope,omitzero"`
	Agent    tree.Agent  `json:"agent,omitzero"`
	Run      bool        `json:"run,omitempty"` // requested with the id of a run; else only a question
	Arm      Arm         `json:"arm"`
	P        float64     `json:"p"`                  // probability of ArmMemory, 0 to 1
	Other    float64     `json:"other,omitempty"`    // probability of ArmOther; the rest is ArmHoldout
	Eligible []string    `json:"eligible,omitempty"` // ids of the memories found for it, in every arm
	Injected []Injection `json:"injected,omitempty"`
	Found    string      `json:"found,omitempty"`    // what found the first of Eligible: read, words or test
	Guidance string      `json:"guidance,omitempty"` // hash of the guidance text
	// Wording is the template of the guidance, and whether it contained facts and findings.
	Wording string  `json:"wording,omitempty"`
	Took    float64 `json:"took,omitempty"` // milliseconds from request to answer; 0: not measured
}

// Drawn reports whether the arm was drawn at random for a run.
func (t *Trial) Drawn() bool { return t.P < 1 && (t.Run || t.P > 0) }

// Injection is one memory put into a prompt.
type Injection struct {
	ID   string `json:"id"`
	Rank int    `json:"rank"`           // from 1
	Step int    `json:"step,omitempty"` // step of the run, from 1; 0: the whole run
}

// Step is a further injection within a trial, at a later step of the run.
type Step struct {
	Trial    string      `json:"trial"`
	Injected []Injection `json:"injected"`
	Guidance string      `json:"guidance,omitempty"`
	Wording  string      `json:"wording,omitempty"`
}

// Outcome is the result of a trial. Trial is the id of the trial. An outcome may come late, twice, or for a trial that
// is not in the ledger; readers handle all three.
type Outcome struct {
	Trial      string             `json:"trial"`
	Evaluation string             `json:"evaluation"`
	Attempt    int                `json:"attempt,omitempty"`
	Correct    bool               `json:"correct"`
	ErrorType  string             `json:"errorType,omitempty"`
	Direction  taxonomy.Direction `json:"direction,omitempty"`
	By         string             `json:"by,omitempty"`   // who reported it; the last such outcome is in force
	Void       bool               `json:"void,omitempty"` // with By: it was withdrawn; the truth is unknown
}

// Verdict is the ledger entry of every accepted evaluation, right or wrong: who judged what where, and whether the
// judgment was right. It holds no text of the run.
type Verdict struct {
	Evaluation string             `json:"evaluation"`
	RunID      string             `json:"run_id,omitempty"`
	CaseID     string             `json:"case_id,omitempty"`
	Attempt    int                `json:"attempt,omitempty"`
	Scene      tree.Scene         `json:"scene,omitzero"`
	Product    string             `json:"product,omitempty"`
	Agent      tree.Agent         `json:"agent,omitzero"`
	Labelled   bool               `json:"labelled"`
	Correct    bool               `json:"correct"`
	Direction  taxonomy.Direction `json:"direction,omitempty"`
	Excuse     tree.Excuse        `json:"excuse,omitempty"` // of a run that is apart
	Node       string             `json:"node,omitempty"`   // the case made from it, or in which it occurred
	By         string             `json:"by,omitempty"`     // who corrected it; the last such verdict is in force

	// Mends, for a wrong verdict: the opposite verdict is the only other one, and would have been right.
	Mends bool `json:"mends,omitempty"`

	// Features are the input of package risk: hashes of the words and names of a labelled run, some 400 bytes in risk's
	// encoding. A reader who guesses a word can test for its hash, so a ledger is as private as its runs.
	Features string `json:"features,omitempty"`
}

// Apart reports whether the run shows nothing about its judge: it is neither right nor wrong, and nothing learns from
// it.
func (v *Verdict) Apart() bool { return !v.Labelled && v.Direction == taxonomy.Environment }

// Settled reports whether the run needs no label: it has one, or shows nothing about its judge (see Apart).
func (v *Verdict) Settled() bool { return v.Labelled || v.Apart() }

// TreeChange records that the tree changed by learning: later trials use another tree.
type TreeChange struct {
	Changes int `json:"changes"` // number of changed nodes
}

// Entry is one line of the ledger: exactly one of the pointers is not nil.
type Entry struct {
	Seq        uint64      `json:"seq,omitempty"` // assigned by the store, rising, never reused
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
	Known      *FactEntry  `json:"known,omitempty"` // a change of what is known of the product
	Walk       *Walk       `json:"walk,omitempty"`  // what was seen of the application
	Work       *Work       `json:"work,omitempty"`  // an update of a run under way
}

// Check returns the first field that breaks a law, as a *FieldError. The one door calls it.
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
