package store

import (
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

	// Op identifies the batch in a store that several processes share. Such a store commits only the first of several
	// batches with the same Op, so a batch can be sent again after an UnknownError. Empty: the store chooses an Op. Other
	// stores ignore it.
	Op string `json:"-"`
}

// DeadLetter is an accepted evaluation that could not be turned into a node, and why. The store keeps it.
type DeadLetter struct {
	Evaluation tree.Evaluation `json:"evaluation"`
	Why        string          `json:"why"`
}

// Commit holds the changes of one batch and the version of the store after it.
type Commit struct {
	Version uint64
	Changes []tree.Change
}
