package tree

import (
	"time"

	"github.com/memtree/memtree/taxonomy"
)

// Arm says whether a run was given its memories, or others or none to compare with.
type Arm string

// The arms of a trial.
const (
	ArmMemory  Arm = "memory"
	ArmOther   Arm = "other" // as many memories, drawn at random
	ArmHoldout Arm = "holdout"
)

// Trial is one guided, or deliberately unguided, run.
type Trial struct {
	ID       string      `json:"id"` // t_…
	At       time.Time   `json:"at"`
	Query    string      `json:"query"` // digest of the query
	Scene    Scene       `json:"scene,omitzero"`
	Scope    Scope       `json:"scope,omitzero"`
	Agent    Agent       `json:"agent,omitzero"`
	Run      bool        `json:"run,omitempty"` // it was asked under the id of a run; else it is a question
	Arm      Arm         `json:"arm"`
	P        float64     `json:"p"`                  // probability with which memory was drawn, 0 to 1
	Other    float64     `json:"other,omitempty"`    // and with which other memories were; holdout has the rest
	Eligible []string    `json:"eligible,omitempty"` // ids that would have been injected
	Injected []Injection `json:"injected,omitempty"`
	Found    string      `json:"found,omitempty"`    // who found the first of Eligible: read, words or test
	Guidance string      `json:"guidance,omitempty"` // hash of the guidance text
	// Wording is the template of the guidance, and whether facts and findings were in it.
	Wording string  `json:"wording,omitempty"`
	Took    float64 `json:"took,omitempty"` // milliseconds from the question to the answer; 0: not measured
}

// Drawn reports whether a run asked and chance decided what it was given.
func (t *Trial) Drawn() bool { return t.P < 1 && (t.Run || t.P > 0) }

// Injection is one memory put into a prompt.
type Injection struct {
	ID   string `json:"id"`
	Rank int    `json:"rank"`           // from 1
	Step int    `json:"step,omitempty"` // the step of the run, from 1; 0 for the run as a whole
}

// Step is a further injection within a trial, at a later step of the run.
type Step struct {
	Trial    string      `json:"trial"`
	Injected []Injection `json:"injected"`
	Guidance string      `json:"guidance,omitempty"`
	Wording  string      `json:"wording,omitempty"`
}

// Outcome is how a trial ended. Trial is the id of the trial. An outcome may come
// late, twice, or for a trial that is not in the ledger; readers handle all three.
type Outcome struct {
	Trial      string             `json:"trial"`
	Evaluation string             `json:"evaluation"`
	Attempt    int                `json:"attempt,omitempty"`
	Correct    bool               `json:"correct"`
	ErrorType  string             `json:"errorType,omitempty"`
	Direction  taxonomy.Direction `json:"direction,omitempty"`
	By         string             `json:"by,omitempty"`   // a person who told it; the last such outcome counts
	Void       bool               `json:"void,omitempty"` // with By: it was taken back, so nobody knows it
}

// Verdict is what every accepted evaluation leaves in the ledger, right or wrong:
// who judged what where, and whether it was right. It holds no text of the run.
type Verdict struct {
	Evaluation string             `json:"evaluation"`
	RunID      string             `json:"run_id,omitempty"`
	CaseID     string             `json:"case_id,omitempty"`
	Attempt    int                `json:"attempt,omitempty"`
	Scene      Scene              `json:"scene,omitzero"`
	Product    string             `json:"product,omitempty"`
	Agent      Agent              `json:"agent,omitzero"`
	Labelled   bool               `json:"labelled"`
	Correct    bool               `json:"correct"`
	Direction  taxonomy.Direction `json:"direction,omitempty"`
	Node       string             `json:"node,omitempty"` // the case it became or occurred in
	By         string             `json:"by,omitempty"`   // a person who corrected it; the last such verdict counts

	// Mends says of a wrong verdict that the other one, where there is just one, would have
	// been right.
	Mends bool `json:"mends,omitempty"`

	// Features are what package risk learns from: hashes of the words and names of
	// a labelled run, some 400 bytes in risk's encoding. Whoever knows a word can test
	// for its hash, so a ledger is as private as the runs it is of.
	Features string `json:"features,omitempty"`
}

// Evolved says that the tree has learned: later trials are drawn from another tree.
type Evolved struct {
	Changes int `json:"changes"` // nodes that changed
}

// Entry is one line of the ledger: exactly one of the pointers is set.
type Entry struct {
	Seq        uint64      `json:"seq,omitempty"` // given by the store, rising, never reused
	At         time.Time   `json:"at"`
	Trial      *Trial      `json:"trial,omitempty"`
	Step       *Step       `json:"step,omitempty"`
	Outcome    *Outcome    `json:"outcome,omitempty"`
	Verdict    *Verdict    `json:"verdict,omitempty"`
	Correction *Correction `json:"correction,omitempty"`
	Ablation   *Ablation   `json:"ablation,omitempty"`
	Act        *Action     `json:"act,omitempty"`
	Evolved    *Evolved    `json:"evolved,omitempty"`
	Tally      *Tally      `json:"tally,omitempty"` // what another team counted
}
