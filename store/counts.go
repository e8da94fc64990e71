package store

import (
	"context"
	"iter"

	"github.com/memtree/memtree/ledger"
)

// CountedLedger is a Reader that can read of the ledger what counts need alone.
type CountedLedger interface {
	// CountedLedger yields all entries as Ledger does. It may leave empty what does not show whether a verdict was
	// right: of a Verdict all but Evaluation, Labelled, Correct, Direction, Excuse and Mends.
	CountedLedger(ctx context.Context) iter.Seq2[ledger.Entry, error]
}

// LedgerCounts yields all entries of s, for counts: see [CountedLedger].
func LedgerCounts(ctx context.Context, s Reader) iter.Seq2[ledger.Entry, error] {
	if c, ok := s.(CountedLedger); ok {
		return c.CountedLedger(ctx)
	}
	return s.Ledger(ctx, 0)
}
