package store

import (
	"context"
	"iter"
)

// VectorTable is a Store that can show the embedding vectors of memories to people who query it by SQL. memtree itself
// never reads them back.
type VectorTable interface {
	// FillVectors makes the table contain the vectors of the sequence all, which encoder made, and no others. It writes
	// only vectors that changed, and omits those of nodes that have another revision by now. If the store has no such
	// table, it does nothing and does not read all. If it is interrupted, what it wrote remains.
	FillVectors(ctx context.Context, encoder string, all iter.Seq2[NodeVector, error]) error
}

// NodeVector is the embedding vector of a node at one of its revisions.
type NodeVector struct {
	ID       string
	Revision int
	Vector   []float32 // the vector, of Euclidean length 1
}
