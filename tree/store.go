package tree

import (
	"context"
	"iter"

	"github.com/memtree/memtree/taxonomy"
)

// Reader reads what a store holds; the laws of Store hold for it.
type Reader interface {
	// Get returns the node with the id, archived ones included, or ErrNotFound.
	// The caller may change what it gets.
	Get(ctx context.Context, id string) (Node, error)

	// Scan yields the nodes that f selects, sorted by id, one at a time, as they
	// were when the iteration began. An error ends it. Absence is no error.
	Scan(ctx context.Context, f Filter) iter.Seq2[Node, error]

	// Ledger yields the entries after the given sequence number (0: all), in order.
	Ledger(ctx context.Context, after uint64) iter.Seq2[Entry, error]

	// DeadLetters yields the evaluations that could not be formed, oldest first.
	DeadLetters(ctx context.Context) iter.Seq2[DeadLetter, error]

	// Changes yields what was committed after the given version, in order; the
	// first error is ErrCompacted where the store no longer has it all.
	Changes(ctx context.Context, after uint64) iter.Seq2[Commit, error]

	// Info says what the store holds, without reading node bodies.
	Info(ctx context.Context) (Info, error)
}

// Store keeps nodes, the outbox of accepted evaluations and the ledger.
//
// All methods may be called at once from many goroutines. A method that returns
// nil after writing has made the write durable. A write that fails has changed
// nothing that a later open could see, except where the store says ErrFailed:
// then it cannot know, refuses every further write, and a reopen finds out.
// A context cancelled before the write began leaves no trace; one cancelled
// while waiting for the disk may leave the whole write, never a part.
//
// Readers see every write acknowledged before they started and never half a
// batch. They do not wait for writers. After Close every method returns
// ErrClosed.
type Store interface {
	Reader

	// Commit writes a batch, all or none, and returns the version it made.
	// A change whose key is the last change of the stored node is a no-op. Else,
	// if a node in its basis has another revision now, or its node's id is not
	// in its basis, nothing is written and the error is ErrConflict. Within a
	// batch changes apply in order and see each other. A Done or Dead key that
	// is not in the outbox is ErrConflict too: someone else finished it.
	// A batch with nothing to do returns the present version.
	Commit(ctx context.Context, b Batch) (uint64, error)

	// Accept puts evaluations into the outbox and returns one receipt each, in
	// order. Each is known by its Key for ever: see Receipt for repetitions.
	Accept(ctx context.Context, es []Evaluation) ([]Receipt, error)

	// Lease returns up to n accepted evaluations, oldest first, that nobody else
	// holds. The lease ends when a batch names the key as Done or Dead, with
	// Release, with Close, or with the process.
	Lease(ctx context.Context, n int) ([]Evaluation, error)

	// Release gives leased evaluations back, for the next Lease to return.
	Release(ctx context.Context, keys []string) error

	// Close waits for writes under way, then gives the store up. A second Close
	// returns nil.
	Close() error
}

// Verifier is a Store that can read all it holds and check it.
type Verifier interface {
	// Verify reads everything, calls found for each problem and returns what it
	// read. The error is for what kept it from reading on, not for problems.
	Verify(ctx context.Context, found func(problem error)) (Verified, error)
}

// Verified is what a Verifier read.
type Verified struct {
	Files   int    `json:"files"`
	Bytes   int64  `json:"bytes"`
	Batches int    `json:"batches"`
	Nodes   int    `json:"nodes"`
	Entries int    `json:"entries"`
	Version uint64 `json:"version"`
}

// Filter selects nodes; an empty field selects all.
type Filter struct {
	Level     int
	ErrorType string
	Direction taxonomy.Direction
	Status    Status
}

// Match reports whether f selects n.
func (f Filter) Match(n *Node) bool {
	return (f.Level == 0 || f.Level == n.Level) &&
		(f.ErrorType == "" || f.ErrorType == n.ErrorType) &&
		(f.Direction == "" || f.Direction == n.Direction) &&
		(f.Status == "" || f.Status == n.Status)
}

// Receipt is what became of one evaluation given to Accept.
type Receipt struct {
	Key    string
	Status ReceiptStatus
}

// ReceiptStatus is the status of a receipt.
type ReceiptStatus string

// The receipts.
const (
	// Accepted: it is durable in the outbox. Also when an unlabelled evaluation
	// of the same key came before and this one is labelled.
	Accepted ReceiptStatus = "accepted"
	// Duplicate: the same was accepted before, formed or not; nothing changed.
	Duplicate ReceiptStatus = "duplicate"
	// Contradiction: another evaluation has this key; this one was not taken.
	Contradiction ReceiptStatus = "contradiction"
)

// Info is what a store holds, in numbers.
type Info struct {
	Version     uint64 `json:"version"`     // of the last commit
	Format      string `json:"format"`      // such as "memtree/1"
	Origin      Origin `json:"origin"`      // of this tree
	Nodes       int    `json:"nodes"`       // archived included
	Evaluations int    `json:"evaluations"` // accepted, ever
	Outbox      int    `json:"outbox"`      // accepted, not yet formed
	Dead        int    `json:"dead"`
	Entries     uint64 `json:"entries"` // in the ledger
	Bytes       int64  `json:"bytes"`   // on disk
}
