package postgres

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/database"
	"github.com/pressly/goose/v3/lock"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"

	"github.com/memtree/memtree/store"
)

//go:embed migrations/*.sql
var migrations embed.FS

// schemaVersion is the version of the schema that this program makes. A migration must let programs of the version
// before it go on, so that two versions run side by side during an upgrade; if it cannot, it raises memtree.needs.
const schemaVersion = 5

// migrate brings the schema to the version of this program, or checks it if the options do not let it. A newer schema
// is accepted unless it needs a newer program.
func (s *Store) migrate(ctx context.Context, o Options) error {
	have, needs, err := s.schema(ctx)
	switch {
	case err != nil:
		return err
	case needs > schemaVersion:
		return s.outgrown(needs)
	case have >= schemaVersion:
		return nil
	case have == none && (o.ReadOnly || o.MustExist):
		return &store.FormatError{Dir: s.address.String(), Problem: "has no tables of memtree", Missing: true}
	case o.ReadOnly:
		return &store.FormatError{Dir: s.address.String(), Problem: fmt.Sprintf("has schema %d, older than the %d of this "+
			"memtree; open it once for writing, which upgrades it", have, schemaVersion)}
	}
	if err := s.makeSchema(ctx); err != nil {
		err = s.translate(err)
		if pg, ok := errors.AsType[*pgconn.PgError](err); ok && have != none {
			return &store.FormatError{Dir: s.address.String(), Problem: fmt.Sprintf("could not be upgraded from schema %d to "+
				"%d, because its tables are not those of schema %d (%s); restore it from a backup", have, schemaVersion, have,
				pg.Message)}
		}
		return fmt.Errorf("make the tables: %w", err)
	}
	return nil
}

// outgrown is the error for a schema that needs a newer program. A service that runs while another one upgrades the
// tables finds that with its next commit or question, and writes no more; what it has in memory it still answers.
func (s *Store) outgrown(needs int) error {
	if needs <= schemaVersion {
		return nil
	}
	s.needs.Store(int64(needs))
	return &store.FormatError{Dir: s.address.String(), Problem: fmt.Sprintf("needs a memtree that knows schema %d: "+
		"this one knows %d; upgrade memtree", needs, schemaVersion)}
}

// none is the version of a database without the schema.
const none = -1

// schema returns the version of the schema, none if there is none, and the version that a program must know.
func (s *Store) schema(ctx context.Context) (have, needs int, err error) {
	var there bool
	if err = s.pool.QueryRow(ctx, `SELECT to_regclass('memtree.version') IS NOT NULL AND
		to_regclass('memtree.needs') IS NOT NULL`).Scan(&there); err != nil || !there {
		return none, 0, s.translate(err)
	}
	err = s.pool.QueryRow(ctx, `SELECT (SELECT max(version_id) FROM memtree.version WHERE is_applied),
		(SELECT max(schema) FROM memtree.needs)`).Scan(&have, &needs)
	return have, needs, s.translate(err)
}

// makeSchema applies the migrations that are missing. Processes that begin at the same time wait for each other.
func (s *Store) makeSchema(ctx context.Context) error {
	db := stdlib.OpenDBFromPool(s.pool)
	defer db.Close() //nolint:errcheck // the pool stays open
	locker, err := lock.NewPostgresSessionLocker()
	if err != nil {
		return err
	}
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close() //nolint:errcheck // back to the pool
	if err := locker.SessionLock(ctx, conn); err != nil {
		return err
	}
	if err = makeNamespace(ctx, db); err == nil {
		err = s.migrateRiver(ctx)
	}
	if err == nil {
		err = migrateOn(ctx, db)
	}
	return errors.Join(err, locker.SessionUnlock(context.WithoutCancel(ctx), conn))
}

// riverVersion is the version of River's tables that the migrations here refer to.
const riverVersion = 8

// migrateRiver makes the tables of River, which holds the jobs, in the schema. It comes first: other tables refer to
// them.
func (s *Store) migrateRiver(ctx context.Context) error {
	m, err := rivermigrate.New(riverpgxv5.New(s.pool), &rivermigrate.Config{
		Schema: "memtree", Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		return err
	}
	_, err = m.Migrate(ctx, rivermigrate.DirectionUp, &rivermigrate.MigrateOpts{TargetVersion: riverVersion})
	return err
}

// makeNamespace makes the schema, if it is missing.
func makeNamespace(ctx context.Context, db *sql.DB) error {
	var exists bool
	err := db.QueryRowContext(ctx, `SELECT to_regnamespace('memtree') IS NOT NULL`).Scan(&exists)
	if err == nil && !exists { // CREATE … IF NOT EXISTS needs the right to create even if it exists
		_, err = db.ExecContext(ctx, `CREATE SCHEMA memtree`)
	}
	return err
}

func migrateOn(ctx context.Context, db *sql.DB) error {
	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return err
	}
	versions, err := database.NewStore(goose.DialectPostgres, "memtree.version")
	if err != nil {
		return err
	}
	p, err := goose.NewProvider("", db, files, goose.WithStore(versions), goose.WithDisableGlobalRegistry(true))
	if err != nil {
		return err
	}
	_, err = p.Up(ctx)
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok { // without the statement, which goose quotes
		return pg
	}
	return err
}
