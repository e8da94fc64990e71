package ledger

import (
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

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

// Decided reports whether somebody gave the truth of the run: v is Settled, and not only by an Excuse.
func (v *Verdict) Decided() bool { return v.Labelled || v.Apart() && v.Excuse == "" }

// Agrees reports whether v and o give the run the same truth.
func (v *Verdict) Agrees(o *Verdict) bool {
	return v.Labelled == o.Labelled && v.Correct == o.Correct && v.Direction == o.Direction
}
