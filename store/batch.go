package store

import (
	"strings"

	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/tree"
)

// Batch is the unit of Store.Commit: all of it is written, or nothing.
type Batch struct {
	Changes []tree.Change `json:"changes,omitempty"` // changes of nodes, applied in order
	Done    []string      `json:"done,omitempty"`    // keys of evaluations to remove from the outbox
	// evaluations to remove from the outbox because they could not be formed
	Dead    []DeadLetter   `json:"dead,omitempty"`
	Entries []ledger.Entry `json:"entries,omitempty"` // new entries of the ledger
	Purge   *Purge         `json:"purge,omitempty"`   // data to remove permanently; nil: none

	// Read is the number of the last entry of the ledger that the verdicts among Entries take into account; 0: none. A
	// store that several processes share returns ErrConflict if a later entry is a verdict on one of their evaluations.
	// Other stores ignore it, because their only writer can see to that.
	Read uint64 `json:"-"`

	// Op identifies the batch in a store that several processes share. Such a store commits only the first of several
	// batches with the same Op, so a batch can be sent again after an UnknownError. Empty: the store chooses an Op. Other
	// stores ignore it.
	Op string `json:"-"`
}

// Judged returns the keys of the evaluations that b has a verdict on, or puts aside for a person's label.
func (b *Batch) Judged() map[string]bool {
	out := map[string]bool{}
	for i := range b.Entries {
		if v := b.Entries[i].Verdict; v != nil {
			out[v.Evaluation] = true
		}
	}
	for i := range b.Dead {
		if b.Dead[i].Overruled() {
			out[b.Dead[i].Evaluation.Key()] = true
		}
	}
	return out
}

// DeadLetter is an accepted evaluation that could not be turned into a node, and why. The store keeps it.
type DeadLetter struct {
	Evaluation tree.Evaluation `json:"evaluation"`
	Why        string          `json:"why"`
}

// Overruled reports whether the evaluation has a truth that differs from a person's label. Undoing the label brings the
// truth back.
func (d *DeadLetter) Overruled() bool { return strings.HasSuffix(d.Why, labelledOtherwise) }

// Commit holds the changes of one batch and the version of the store after it.
type Commit struct {
	Version uint64
	Changes []tree.Change
}
