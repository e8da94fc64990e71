package store

import (
	"context"
	"iter"
)

// VectorTable is a Store that can show the vectors of memories to people who query it by SQL. It is for them alone:
// memtree reads none of them back.
type VectorTable interface {
	// FillVectors makes the table have these vectors of an encoder and no others. It writes only what has changed, and
	// no vector of a node that has another revision by now. It does nothing, and reads none of them, where nobody has
	// asked for the table. If it is cut short, it keeps what is done.
	FillVectors(ctx context.Context, encoder string, all iter.Seq2[NodeVector, error]) error
}

// NodeVector is the vector of a node at a revision.
type NodeVector struct {
	ID       string
	Revision int
	Vector   []float32 // of length 1
}
