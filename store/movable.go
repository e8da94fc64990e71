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

// KnownKey is what a store remembers of an evaluation that it accepted. The arrays are the first bytes of SHA-256
// hashes.
type KnownKey struct {
	Key      [16]byte // hash of the key
	Digest   [8]byte  // hash of the evaluation's content, see tree.Evaluation.Digest
	Before   [8]byte  // hash of the content that was accepted without a label before; zero if there was none
	Labelled bool     // the evaluation had a label
}
