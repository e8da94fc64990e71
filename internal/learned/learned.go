// Package learned holds what a memory learns besides its tree. One ledger records what happened, and folds follow it.
//
// A [Fold] is a function of the ledger: dropped and folded again it is the same, byte for byte. [Risk] (risk.go),
// [Runs] (runs.go) and [Corrections] (corrections.go) are folds. A [Box] holds what the ledger does not record, within
// bounds, so it cannot be made again: [Inbox] (inbox.go) and [Briefs] (briefs.go) hold texts of runs and tests, [Spent]
// (spent.go) and [Habits] (habits.go) what models cost and how they are asked. Of the boxes only [Brake] (brake.go) can
// be computed from the runs again; it is one so that guidance waits for no ledger.
//
// A [Follower] (follower.go) feeds, locks and purges all of them, and loads and saves them (keep.go). To add a fold,
// write its file and name it in a [Follower.View].
package learned

import (
	"io"

	"github.com/memtree/memtree/tree"
)

// Kept is what a follower saves beside the store, as derived data.
type Kept interface {
	// Name is that of the derived data: letters, digits and dashes. "" is never saved.
	Name() string

	// Load replaces what is held by what Save wrote. After an error it holds what a new one holds, or the part that
	// could be read if it is a box.
	Load(r io.Reader) error

	// Save writes what is held. The same contents give the same bytes.
	Save(w io.Writer) error
}

// Fold is a function of the ledger: its bytes follow from the entries that were added since Reset, and from nothing
// else. The follower calls its methods one at a time, and runs no reader of [Follower.View] meanwhile.
type Fold interface {
	Kept

	// Reset makes it as it was before the first entry.
	Reset()

	// Add takes in the next entry. It must not change it, and may hold on to what it points to.
	Add(e *tree.Entry)
}

// Hindsight is a Fold for which some entries change what earlier ones say. After such an entry the follower resets it,
// passes all entries of the ledger to Foresee, and then all of them to Add again.
type Hindsight interface {
	Fold

	// Corrects reports whether e changes what an entry before it says.
	Corrects(e *tree.Entry) bool

	// Foresee is told an entry that Add will be given later.
	Foresee(e *tree.Entry)

	// Foreseen ends the second pass: what Foresee noted is needed no more.
	Foreseen()
}

// Box holds what does not follow from the ledger. It is safe for concurrent use, so it is read without a follower.
type Box interface {
	Kept

	// Changes returns a number that grows with every change, from 0. Load is none.
	Changes() uint64

	// Purge removes what p names, or all where it cannot tell.
	Purge(p *tree.Purge)
}
