package postgres

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/memtree/memtree/store"
)

// untilKnown performs a commit until it is known to be made or not, or patience ends. The op makes a repetition
// harmless: the row of the tree is locked until an earlier try has ended, and then has its op or never will. A commit
// that was never sent is known not to be made, so it is given up sooner.
func (s *Store) untilKnown(ctx context.Context, b *batch) (uint64, error) {
	sent := false
	begun := time.Now()
	for wait := 20 * time.Millisecond; ; wait = min(2*wait, time.Second) {
		v, err := s.once(ctx, b, &sent)
		took := time.Since(begun)
		over := took+wait > s.patience || !sent && took > unsentPatience || s.closed.Load()
		switch {
		case err == nil:
			return v, nil
		case errors.Is(err, errDeposed) && took < s.patience: // there is another server to ask
		case !sent && (over || !passing(err)):
			return 0, s.translate(err)
		case over:
			return 0, &store.UnknownError{Op: b.op, Cause: s.translate(err)}
		}
		s.pool.Reset() // the other connections broke too
		time.Sleep(wait)
	}
}

// passing reports whether the same transaction may succeed later: the database is away, is no primary any more, or
// ended the transaction in favour of another one.
func passing(err error) bool {
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok {
		switch pg.Code {
		case "40001", "40P01", "25006": // serialization failure, deadlock, read only since a failover
			return true
		}
	}
	return isAway(err) || errors.Is(err, errDeposed)
}

// reading performs a read again if the connection broke, as those in the pool do when the server restarts.
func (s *Store) reading(ctx context.Context, read func() error) error {
	for try := 0; ; try++ {
		if err := s.usable(ctx); err != nil {
			return err
		}
		err := read()
		if err == nil || !isAway(err) || try == 2 {
			return s.translate(err)
		}
		s.pool.Reset()
	}
}
