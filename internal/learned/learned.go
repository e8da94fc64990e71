// Package learned holds what a memory learns besides its tree: data computed from the ledger (folds), and data that the
// ledger does not contain (boxes).
//
// A [Fold] is a function of the ledger: dropped and folded again it is the same, byte for byte. Folds are [RiskFold]
// (risk.go), [LabelFold] (labels.go), [RunFold] (runs.go), [CorrectionFold] (corrections.go), [MapFold] (appmap.go),
// [Knowledge] (knowledge.go) and [WorkFold] (work.go).
//
// A [Box] holds bounded data that the ledger does not record: [InboxBox] (inbox.go) and [BriefBox] (briefs.go) hold
// texts of runs and tests, [NameBox] (names.go) other names of elements, [SpentBox] (spent.go) and [Habits] (habits.go)
// the costs and request formats of models. Of the boxes only [Brake] (breaker.go) can be computed from the runs again;
// it is a box so that guidance does not wait for the ledger.
//
// A [Follower] (follower.go) feeds, locks and purges all of them, and loads and saves them (save.go). To add a fold,
// write its file and pass it to [Follower.View].
package learned

import (
	"io"

	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/store"
)

// derived is derived data that a follower saves beside the store.
type derived interface {
	// Name is the name of the derived data: letters, digits and dashes. Data with the name "" is never saved.
	Name() string

	// Load replaces the content by the output of Save. After an error the content is empty, or in a box the readable
	// part.
	Load(r io.Reader) error

	// Save writes the content. Equal contents give equal bytes.
	Save(w io.Writer) error
}

// Fold is data computed from the ledger: its bytes depend only on the entries added since Reset. The follower calls
// Load, Reset and Add one at a time, and not while a reader of [Follower.View] runs. It may call Save and Name beside
// readers.
type Fold interface {
	derived

	// Reset returns the fold to the state before the first entry.
	Reset()

	// Add adds the next entry of the ledger. It must not change e, and may keep references into it.
	Add(e *ledger.Entry)
}

// hindsight is a Fold for which some entries change the meaning of earlier ones. After such an entry the follower
// resets it, passes all entries of the ledger to Foresee, and then all of them to Add again.
type hindsight interface {
	Fold

	// Corrects reports whether e changes the meaning of an earlier entry.
	Corrects(e *ledger.Entry) bool

	// Foresee receives an entry that Add will receive later.
	Foresee(e *ledger.Entry)

	// Foreseen ends the second pass: the data of Foresee is no longer needed.
	Foreseen()
}

// Box holds data that does not follow from the ledger. It is safe for concurrent use, and unlike a Fold it may be read
// at any time.
type Box interface {
	derived

	// Changes returns a number that grows with every change, from 0. Load does not change it.
	Changes() uint64

	// Purge removes the content that p names, or everything if that content cannot be identified. If p is nil, it
	// removes all texts.
	Purge(p *store.Purge)
}

// pieced is a Box that grows. It is saved in pieces, and whole where several processes may save it at once.
type pieced interface {
	Box

	// Pieces returns the content in pieces.
	Pieces() (store.Pieces, error)

	// LoadPieces replaces the content by what was saved, in pieces or whole. The pieces stay open as long as the box is
	// in use, the head does not. After an error the content is the readable part.
	LoadPieces(head *store.Derived, open openPiece) error
}

// tailed is a Box that is too large to be saved at each change. What was added since it was last saved whole is saved
// again at each change, as its tail.
type tailed interface {
	Box

	// Sizes returns the approximate sizes in bytes of the whole box and of its tail. The tail is what was added since the
	// last call of SavedWhole, or by LoadTail.
	Sizes() (whole, tail int)

	// SavedWhole must be called after the output of Save was stored. The tail is then what was added since that Save.
	SavedWhole()

	// SaveTail writes the tail. LoadTail adds what SaveTail wrote; after an error the box has the readable part.
	SaveTail(w io.Writer) error
	LoadTail(r io.Reader) error
}

// openPiece opens a piece.
type openPiece = func(piece string) (*store.Derived, error)

// sharedBox is a Box that several processes of a shared store have.
type sharedBox interface {
	Box

	// Merge brings in what another process has saved. After an error the content is as before.
	Merge(head *store.Derived, open openPiece) error

	// Purged follows Purge, with the version of the tree. From then on Merge takes nothing from before it.
	Purged(version uint64)
}
