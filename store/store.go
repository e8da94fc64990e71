// Package store is the contract of every store of memories: what is read, the batch that is written whole or not at
// all, what a purge removes, and the errors. Its folders are the stores: store/json in a folder, store/postgres shared
// by many processes; store/storetest is the suite that each of them passes.
//
// Where to look:
//   - store.go: reading and writing; batch.go: what is written at once; errors.go: what can go wrong
//   - derived.go, gallery.go: what may be stored beside; pictures.go: which pictures of runs are kept, and how long
//   - movable.go, shared.go: what some stores can do besides
//   - purge.go: what is removed for good
package store

import (
	"context"
	"iter"

	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// Reader reads a store. The rules in the comment of Store apply to it.
type Reader interface {
	// Get returns the node with the id, even if it is archived, or ErrNotFound. The caller may modify the result.
	Get(ctx context.Context, id string) (tree.Node, error)

	// Scan yields the nodes that f selects, sorted by id, as they were when the iteration began. An error ends it. No
	// match is no error.
	Scan(ctx context.Context, f Filter) iter.Seq2[tree.Node, error]

	// Ledger yields the entries after the given sequence number (0: all), in order.
	Ledger(ctx context.Context, after uint64) iter.Seq2[ledger.Entry, error]

	// DeadLetters yields the accepted evaluations that could not be turned into nodes, oldest first.
	DeadLetters(ctx context.Context) iter.Seq2[DeadLetter, error]

	// Changes yields the commits after the given version that changed nodes, in order. If the store has dropped some of
	// them, it yields only ErrCompacted.
	Changes(ctx context.Context, after uint64) iter.Seq2[Commit, error]

	// Info returns a summary of the store, without reading node bodies.
	Info(ctx context.Context) (Info, error)
}

// Store stores nodes, the outbox (accepted evaluations that wait to be turned into nodes) and the ledger.
//
// All methods are safe for concurrent use. A write is durable when its method returns nil. A write that fails changes
// nothing, with three exceptions: after ErrFailed, after an UnknownError, and if ctx is cancelled while the method
// waits for the write, the write was made completely or not at all. After ErrFailed the store refuses every further
// write; opening it again shows whether the last one was made. If ctx is cancelled before the write begins, nothing is
// written.
//
// Readers see every write acknowledged before they started and never half a batch. They do not wait for writers. A
// Shared store may show the writes of other processes later. After Close every other method returns ErrClosed.
type Store interface {
	Reader

	// Commit writes a batch, all or none, and returns the new version. An empty batch returns the present version.
	// Changes apply in order and see those before them in the batch.
	//
	// A change whose Key is that of the last change of the stored node was already applied and is ignored. Commit writes
	// nothing and returns ErrConflict in three cases: a node in the Basis of any other change has another revision now;
	// the Basis of such a change lacks its own node; or a Done or Dead key is not in the outbox, because another writer
	// has finished that evaluation.
	Commit(ctx context.Context, b Batch) (uint64, error)

	// Accept adds evaluations to the outbox and returns one receipt each, in order. The store remembers every Key for
	// ever: see ReceiptStatus for repetitions.
	Accept(ctx context.Context, es []tree.Evaluation) ([]Receipt, error)

	// Lease returns up to n accepted evaluations, oldest first, that are not leased. The lease ends when a batch names
	// the key as Done or Dead, with Release, with Close, or with the process. In a Shared store another process can lease
	// the evaluations too, some time after this process last called Lease.
	Lease(ctx context.Context, n int) ([]tree.Evaluation, error)

	// Release ends leases, so that the next Lease can return the evaluations.
	Release(ctx context.Context, keys []string) error

	// Close waits for running writes, then closes the store. A second Close returns nil.
	Close() error
}

// Verifier is a Store that can read and check all its data.
type Verifier interface {
	// Verify reads everything, calls found for each problem and returns counts. It returns an error only if it could
	// not read to the end.
	Verify(ctx context.Context, found func(problem error)) (Verified, error)
}

// Verified counts what a Verify read.
type Verified struct {
	Files   int    `json:"files"`
	Bytes   int64  `json:"bytes"`
	Batches int    `json:"batches"` // batches in the journal
	Nodes   int    `json:"nodes"`
	Entries int    `json:"entries"` // entries of the ledger
	Version uint64 `json:"version"` // version of the last commit
	Torn    int64  `json:"torn"`    // bytes of a last, unacknowledged write, which are no loss
}

// Knower is a Store that finds out whether it accepted an evaluation before, without accepting it.
type Knower interface {
	// Knows reports for each key whether an evaluation was ever accepted under it.
	Knows(ctx context.Context, keys []string) ([]bool, error)
}

// Filter selects nodes; an empty field matches all.
type Filter struct {
	Level     int
	ErrorType string
	Direction taxonomy.Direction
	Status    tree.Status
	After     string // only nodes with a greater id, for paging

	// Bare asks for the nodes without Content, CaseData, Scene, Origin, Counters, Credit, Elsewhere, Taught and
	// LastChange. A store may leave these empty, which is faster in a store of files.
	Bare bool

	// Counts asks for the fields that [tree.Count] and [tree.Analyses] read, and those that the filter compares. A store
	// may leave the other fields empty.
	Counts bool
}

// Match reports whether f selects n.
func (f Filter) Match(n *tree.Node) bool {
	return (f.Level == 0 || f.Level == n.Level) &&
		(f.ErrorType == "" || f.ErrorType == n.ErrorType) &&
		(f.Direction == "" || f.Direction == n.Direction) &&
		(f.Status == "" || f.Status == n.Status) && n.ID > f.After
}

// Receipt is the result of Accept for one evaluation.
type Receipt struct {
	Key    string // key of the evaluation
	Status ReceiptStatus
	Here   bool // the evaluation is on this machine only; it is sent to the shared database later
	// By is, for a Contradiction with a person's label, that person; "" otherwise. No Accept sets it.
	By string
}

// Err returns nil for an evaluation that is stored, a *LabelledError for one that a person labelled otherwise, and
// ErrContradiction for any other Contradiction.
func (r *Receipt) Err() error {
	switch {
	case r.Status != Contradiction:
		return nil
	case r.By != "":
		return &LabelledError{r.By}
	}
	return ErrContradiction
}

// ReceiptStatus is whether Accept took an evaluation.
type ReceiptStatus string

// The statuses of a receipt.
const (
	// Accepted: the evaluation is durable in the outbox. An evaluation with a label is also accepted if one without a
	// label was accepted under its key before.
	Accepted ReceiptStatus = "accepted"
	// Duplicate: the same evaluation was accepted before; nothing changed.
	Duplicate ReceiptStatus = "duplicate"
	// Contradiction: another evaluation has this key, so this one was refused.
	Contradiction ReceiptStatus = "contradiction"
)

// Info is a summary of a store.
type Info struct {
	Version     uint64      `json:"version"`     // version after the last commit
	Format      string      `json:"format"`      // format of the store, such as "memtree/1"
	Origin      tree.Origin `json:"origin"`      // identity of the tree
	Nodes       int         `json:"nodes"`       // number of nodes, archived ones too
	Evaluations int         `json:"evaluations"` // number of keys under which evaluations were accepted
	Outbox      int         `json:"outbox"`      // number of evaluations accepted and not yet formed
	Dead        int         `json:"dead"`        // number of dead letters
	Entries     uint64      `json:"entries"`     // number of entries in the ledger
	Bytes       int64       `json:"bytes"`       // size on disk; 0 for a store in a database
}
