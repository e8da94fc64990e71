package store

import (
	"context"
	"iter"

	"github.com/memtree/memtree/ledger"
)

// countedLedger is a Reader that can read of the ledger what counts need alone.
type countedLedger interface {
	// CountedLedger yields all entries as Ledger does, with at least what LedgerCounts promises.
	CountedLedger(ctx context.Context) iter.Seq2[ledger.Entry, error]
}

// LedgerCounts yields all entries of the ledger of s, for a caller that only counts right and wrong verdicts. In a
// Verdict only Evaluation, Labelled, Correct, Direction, Excuse and Mends are sure to be set; the other fields may be
// empty.
func LedgerCounts(ctx context.Context, s Reader) iter.Seq2[ledger.Entry, error] {
	if c, ok := s.(countedLedger); ok {
		return c.CountedLedger(ctx)
	}
	return s.Ledger(ctx, 0)
}
