package postgres

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/memtree/memtree/store"
)

// translate is Address.Translate, and knows an error that is because of Close.
func (s *Store) translate(err error) error {
	if err != nil && s.closed.Load() && !errors.Is(err, store.ErrAway) && s.isClosedPool(err) {
		return store.ErrClosed
	}
	return s.address.Translate(err)
}

// Translate returns the error of package store that corresponds to err, an error of the database driver; an example is
// store.ErrAway. If there is none, it returns err itself. The result never contains the password, because errors of
// the driver contain only host, user and database.
func (a Address) Translate(err error) error {
	var pg *pgconn.PgError
	switch {
	case err == nil, errors.Is(err, store.ErrClosed), errors.Is(err, store.ErrAway):
		return err
	case errors.As(err, &pg):
		return a.translateCode(pg)
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
func (a Address) translateCode(e *pgconn.PgError) error {
	user, database := a.config.ConnConfig.User, a.config.ConnConfig.Database
	switch e.Code {
	case "28P01", "28000":
		return a.refused(store.NoEntry,
			"the database does not let user %q in (%s); check the user, and PGPASSWORD or PGPASSFILE", user, e.Message)
	case "3D000":
		return a.refused(store.NoDatabase, "there is no database %q; make it with createdb", database)
	case "42501":
		return a.noRight(e.Message)
	case "25006":
		return a.onlyReads()
	case "53100", "53200":
		return fmt.Errorf("%w (the server: %s)", store.ErrFull, e.Message)
	case "23503":
		return a.deleted()
	}
	if awayCode(e.Code) {
		return fmt.Errorf("%w (%s)", store.ErrAway, e.Message)
	}
	return e
}

// noRight returns the error of a user who may not do something, with the statements that permit it.
func (a Address) noRight(what string) error {
	user, database := a.config.ConnConfig.User, a.config.ConnConfig.Database
	name := pgx.Identifier{user}.Sanitize()
	return a.refused(store.NoRight, "user %q may not do this in database %q (%s); for the first use: "+
		"GRANT CREATE ON DATABASE %s TO %s; afterwards: GRANT USAGE ON SCHEMA memtree TO %[5]s; "+
		"GRANT ALL ON ALL TABLES IN SCHEMA memtree TO %[5]s; GRANT ALL ON ALL SEQUENCES IN SCHEMA memtree TO %[5]s",
		user, database, what, pgx.Identifier{database}.Sanitize(), name)
}

func (a Address) onlyReads() error {
	return a.refused(store.OnlyReads, "the server only lets read, as a standby does; name the primary, "+
		"or all hosts with target_session_attrs=primary")
}

func (a Address) refused(why store.Refusal, format string, args ...any) error {
	return &store.RefusedError{Why: why, At: a.String(), Problem: fmt.Sprintf(format, args...)}
}

// Writable returns nil if the database accepts writes of this user. It returns a *store.RefusedError if the server is
// read-only or the user lacks privileges, and another error if the database does not answer.
func (s *Store) Writable(ctx context.Context) error {
	var reads, may bool
	err := s.reading(ctx, func() error {
		return s.pool.QueryRow(ctx, `SELECT current_setting('transaction_read_only')::bool,
			has_table_privilege('memtree.outbox', 'INSERT') AND has_table_privilege('memtree.evaluation', 'INSERT')
			AND has_table_privilege('memtree.ledger', 'INSERT') AND has_table_privilege('memtree.former', 'INSERT')
			AND has_table_privilege('memtree.tree', 'UPDATE')`).Scan(&reads, &may)
	})
	switch {
	case err != nil:
		return err
	case reads:
		return s.address.onlyReads()
	case !may:
		return s.address.noRight("it may not write to the tables of schema memtree")
	}
	return nil
}

// deleted is the error for a tree that is there no more.
func (s *Store) deleted() error { return s.address.deleted() }

func (a Address) deleted() error { return fmt.Errorf("%w: %s", store.ErrDeleted, a) }

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
