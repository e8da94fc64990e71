package store

import (
	"context"
	"github.com/memtree/memtree/tree"
	"iter"
)

// Movable is a Store whose whole content can be read, so that it can be copied into another store.
type Movable interface {
	Store
	Deriver
	Gallery

	// Outbox yields the evaluations that are accepted and not yet formed, oldest first, whether they are leased or not.
	Outbox(ctx context.Context) iter.Seq2[tree.Evaluation, error]

	// Beside returns the names of the saved data for which HeldBeside is true, sorted.
	Beside(ctx context.Context) ([]string, error)

	// Known yields what the store remembers of every key ever accepted, sorted by Key.
	Known(ctx context.Context) iter.Seq2[KnownKey, error]
}
