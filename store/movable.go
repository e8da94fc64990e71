package store

import (
	"context"
	"github.com/memtree/memtree/tree"
	"iter"
)

// Movable is a Store whose whole content can be copied into another one.
type Movable interface {
	Store
	Deriver
	Gallery

	// Outbox yields the evaluations that are accepted and not yet formed, oldest first, whether they are leased or not.
	Outbox(ctx context.Context) iter.Seq2[tree.Evaluation, error]

	// Beside returns the names of the saved data that is held beside the tree, see HeldBeside, sorted.
	Beside(ctx context.Context) ([]string, error)

	// Known yields the record of every key ever accepted, sorted by Key.
	Known(ctx context.Context) iter.Seq2[KnownKey, error]
}

// KnownKey is the record of an accepted key. The fields are the first bytes of SHA-256 hashes.
type KnownKey struct {
	Key      [16]byte // of the key
	Digest   [8]byte  // of the evaluation's Digest
	Before   [8]byte  // of the form that was accepted without a label before; zero if there was none
	Labelled bool
}
