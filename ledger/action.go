package ledger

import (
	"github.com/memtree/memtree/tree"
	"slices"
)

// Action is a person's decision in the ledger: what it concerned, and the state before, for undo.
type Action struct {
	ID         string            `json:"id"` // a_…
	Kind       tree.DecisionKind `json:"said"`
	By         string            `json:"by,omitempty"`
	Why        string            `json:"why,omitempty"`
	Node       string            `json:"node,omitempty"`       // id of the memory
	Evaluation string            `json:"evaluation,omitempty"` // of a relabel: key of the evaluation
	Undoes     string            `json:"undoes,omitempty"`     // of an undo: id of the reverted action
	Job        string            `json:"job,omitempty"`        // of an accept: the job of the draft
	Purged     bool              `json:"purged,omitempty"`     // cannot be undone
	Before     []Before          `json:"before,omitempty"`     // every node it changed, sorted by id
	Verdict    *Verdict          `json:"verdict,omitempty"`    // of a relabel: the verdict before
	// Verdicts, of a relabel of many evaluations, are the verdicts before, without Features.
	Verdicts []Verdict `json:"verdicts,omitempty"`
}

// About reports whether an action concerns or changed a memory or evaluation.
func (a *Action) About(id string) bool {
	return a.Node == id || a.Evaluation == id ||
		slices.ContainsFunc(a.Before, func(b Before) bool { return b.ID == id }) ||
		slices.ContainsFunc(a.Verdicts, func(v Verdict) bool { return v.Evaluation == id })
}

// Corrects reports whether an action changed the truth of an evaluation that had a label.
func (a *Action) Corrects() bool {
	return a.Verdict != nil && a.Verdict.Labelled ||
		slices.ContainsFunc(a.Verdicts, func(v Verdict) bool { return v.Labelled })
}

// Before holds the fields of a node that an action changed, with their values before. A status of "" is unchanged.
type Before struct {
	ID           string            `json:"id"`
	Gained       string            `json:"gained,omitempty"` // of a relabel: the evaluation added to the case
	Status       tree.Status       `json:"status,omitempty"`
	Mark         tree.Mark         `json:"mark,omitempty"`
	Decision     *tree.Decision    `json:"word,omitempty"`
	SupersededBy string            `json:"supersededBy,omitempty"`
	ArchivedFor  string            `json:"archivedFor,omitempty"`
	Content      *tree.Content     `json:"content,omitempty"`     // of an edit or about
	Provenance   *tree.Provenance  `json:"provenance,omitempty"`  // of an edit or about
	Case         *tree.CaseData    `json:"case,omitempty"`        // of an about
	ErrorType    string            `json:"errorType,omitempty"`   // of an about
	Taught       *tree.Taught      `json:"taught,omitempty"`      // of a lesson taught again
	Occurrences  []tree.Occurrence `json:"occurrences,omitempty"` // of a relabel: the occurrences it removed
}
