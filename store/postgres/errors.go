package postgres

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/memtree/memtree/store"
)

// translate returns an error of the driver as one of package tree where there is one, else as a sentence. It never has
// a password: the driver's own errors name host, user and database.
func (s *Store) translate(err error) error {
	var pg *pgconn.PgError
	switch {
	case err == nil, errors.Is(err, store.ErrClosed), errors.Is(err, store.ErrAway):
		return err
	case s.closed.Load() && s.isClosedPool(err):
		return store.ErrClosed
	case errors.As(err, &pg):
		return s.translateCode(pg)
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded) && !isAway(err):
		return err
	case isAway(err):
		return fmt.Errorf("%w (%w)", store.ErrAway, err)
	}
	return err
}

func (s *Store) isClosedPool(err error) bool {
	return err.Error() == "closed pool" || errors.Is(err, context.Canceled) || isAway(err)
}

// translateCode returns an error of the server with what to do about it.
// See https://www.postgresql.org/docs/15/errcodes-appendix.html.
func (s *Store) translateCode(e *pgconn.PgError) error {
	user, database := s.address.config.ConnConfig.User, s.address.config.ConnConfig.Database
	switch e.Code {
	case "28P01", "28000":
		return refused(store.NoEntry, "the database does not let user %q in (%s); check the user, and PGPASSWORD or PGPASSFILE",
			user, e.Message)
	case "3D000":
		return refused(store.NoDatabase, "there is no database %q; make it with createdb", database)
	case "42501":
		return refused(store.NoRight, "user %q may not do this in database %q (%s); "+
			"GRANT CREATE ON DATABASE for the first use, ALL on schema memtree and its tables afterwards",
			user, database, e.Message)
	case "25006":
		return refused(store.OnlyReads, "the server only lets read, as a standby does; name the primary, "+
			"or all hosts with target_session_attrs=primary")
	case "53100", "53200":
		return fmt.Errorf("%w (the server: %s)", store.ErrFull, e.Message)
	case "23503":
		return s.deleted()
	}
	if awayCode(e.Code) {
		return fmt.Errorf("%w (%s)", store.ErrAway, e.Message)
	}
	return e
}

// deleted is the error for a tree that is there no more.
func (s *Store) deleted() error { return fmt.Errorf("%w: %s", store.ErrDeleted, s.address) }

func refused(why store.Refusal, format string, args ...any) error {
	return &store.RefusedError{Why: why, Problem: fmt.Sprintf(format, args...)}
}

// awayCode reports whether a code means that the server ends, starts, or lost or ended the connection.
func awayCode(code string) bool {
	switch code {
	case "57P01", "57P02", "57P03", "53300", "25P03":
		return true
	}
	return len(code) == 5 && code[:2] == "08"
}

// isAway reports whether the database could not be reached, or the connection broke.
func isAway(err error) bool {
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok {
		return awayCode(pg.Code)
	}
	var connect *pgconn.ConnectError
	var network net.Error
	return errors.As(err, &connect) || errors.As(err, &network) || errors.Is(err, io.EOF) ||
		errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, net.ErrClosed) || pgconn.SafeToRetry(err) ||
		err.Error() == "conn closed"
}
