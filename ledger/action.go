package ledger

import (
	"github.com/memtree/memtree/tree"
	"slices"
)

// Action is one decision of a person: what the person decided about which memory or evaluation, and the state before,
// which an undo restores.
type Action struct {
	ID         string            `json:"id"` // id of the action, a_…
	Kind       tree.DecisionKind `json:"said"`
	By         string            `json:"by,omitempty"`         // name of the person
	Why        string            `json:"why,omitempty"`        // the person's reason
	Node       string            `json:"node,omitempty"`       // id of the memory
	Evaluation string            `json:"evaluation,omitempty"` // of a relabel: key of the evaluation
	Undoes     string            `json:"undoes,omitempty"`     // of an undo: id of the action that it reverts
	Job        string            `json:"job,omitempty"`        // of an accept: key of the job that wrote the draft
	Purged     bool              `json:"purged,omitempty"`     // the memory was purged, so the action cannot be undone
	Before     []Before          `json:"before,omitempty"`     // what the changed nodes were before, sorted by id
	Verdict    *Verdict          `json:"verdict,omitempty"`    // of a relabel: the verdict before
	// Verdicts has, for a relabel of many evaluations, the verdicts before, without Features.
	Verdicts []Verdict `json:"verdicts,omitempty"`
}

// About reports whether a concerns or changed the memory or evaluation with this id.
func (a *Action) About(id string) bool {
	return a.Node == id || a.Evaluation == id ||
		slices.ContainsFunc(a.Before, func(b Before) bool { return b.ID == id }) ||
		slices.ContainsFunc(a.Verdicts, func(v Verdict) bool { return v.Evaluation == id })
}

// Corrects reports whether a changed the label of an evaluation that already had one.
func (a *Action) Corrects() bool {
	return a.Verdict != nil && a.Verdict.Labelled ||
		slices.ContainsFunc(a.Verdicts, func(v Verdict) bool { return v.Labelled })
}

// Before is what an undo of an action restores in one node. For a node that the action changed, its fields are the
// values before the action; for a node that the action added, the values that take the node out of use.
type Before struct {
	ID           string            `json:"id"`               // id of the node
	Gained       string            `json:"gained,omitempty"` // of a relabel: key of the evaluation added to the case
	Status       tree.Status       `json:"status,omitempty"` // "": the action did not change the status
	Mark         tree.Mark         `json:"mark,omitempty"`
	Decision     *tree.Decision    `json:"word,omitempty"`
	SupersededBy string            `json:"supersededBy,omitempty"`
	ArchivedFor  string            `json:"archivedFor,omitempty"`
	Content      *tree.Content     `json:"content,omitempty"`     // content before an edit, about or repeated teach
	Provenance   *tree.Provenance  `json:"provenance,omitempty"`  // provenance before an edit, about or repeated teach
	Case         *tree.CaseData    `json:"case,omitempty"`        // case data before an about
	ErrorType    string            `json:"errorType,omitempty"`   // error type before an about
	Taught       *tree.Taught      `json:"taught,omitempty"`      // what was taught before a repeated teach
	Occurrences  []tree.Occurrence `json:"occurrences,omitempty"` // of a relabel: the occurrences that it removed
}
