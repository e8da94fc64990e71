// Package ledger defines the record of everything that happens to a memory: a sequence of entries that are appended and
// never changed. An [Entry] is a trial or its outcome, a verdict, a correction, an ablation, a decision of a person, a
// change of the tree, counts of another team, a fact about a product, a walk through an application, or an update of a
// run. From these entries memtree computes everything that it learns besides the tree.
//
// The package has no state and does no input or output; everything in it is safe for concurrent use as long as callers
// do not share a value they write.
//
// Where to look:
//   - entry.go: entries; trial.go: trials and their outcomes; verdict.go; action.go: decisions of people
//   - correction.go, ablation.go: what was done about a verdict; tally.go, shape.go: counts of another team
//   - statement.go: statements on products; walk.go: what was seen of applications; update.go: updates of runs
package ledger

import (
	"time"
)

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
