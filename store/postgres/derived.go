package postgres

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/tree"
)

// pieceSize is the size of a piece of derived data.
const pieceSize = 1 << 20

// SaveDerived saves derived data under name. If the data cannot be built again (store.HeldBeside) and another process
// has saved it since this one last opened or saved it, SaveDerived returns an error and saves nothing. See
// store.Deriver.
func (s *Store) SaveDerived(ctx context.Context, name string, version uint64, write func(io.Writer) error) error {
	if err := s.begin(ctx); err != nil {
		return fmt.Errorf("save derived data: %w", err)
	}
	defer s.life.RUnlock()
	if err := store.CheckDerived(name); err != nil {
		return fmt.Errorf("save derived data: %w", err)
	}
	var b bytes.Buffer
	if err := write(&b); err != nil {
		return fmt.Errorf("save derived data %s: %w", name, err)
	}
	s.saves.Lock()
	defer s.saves.Unlock()
	if err := s.saveDerived(ctx, name, version, b.Bytes()); err != nil {
		return fmt.Errorf("save derived data %s: %w", name, s.translate(err))
	}
	return nil
}

func (s *Store) saveDerived(ctx context.Context, name string, version uint64, b []byte) error {
	tx, err := s.pool.Begin(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback(context.WithoutCancel(ctx)) }() // without effect after a commit
	sum := sha256.Sum256(b)
	var number int64
	err = tx.QueryRow(ctx, `INSERT INTO memtree.derived AS d VALUES ($1, $2, 1, $3, $4)
		ON CONFLICT (tree, name) DO UPDATE SET number = d.number + 1, version = excluded.version, sha256 = excluded.sha256,
			used = clock_timestamp()
		WHERE NOT $5 OR d.number = $6 RETURNING number`, s.tree, name, int64(version), sum[:], //nolint:gosec // a version
		store.HeldBeside(name), s.saved[name]).Scan(&number)
	if errors.Is(err, pgx.ErrNoRows) {
		return errors.New("another process has saved it since, and it is not overwritten")
	}
	if err != nil {
		return err
	}
	var q pgx.Batch
	q.Queue(`DELETE FROM memtree.derived_piece WHERE tree = $1 AND name = $2`, s.tree, name)
	for i := 0; i*pieceSize < len(b); i++ {
		q.Queue(`INSERT INTO memtree.derived_piece VALUES ($1, $2, $3, $4, $5)`, s.tree, name, number, i,
			b[i*pieceSize:min(len(b), (i+1)*pieceSize)])
	}
	if err := tx.SendBatch(ctx, &q).Close(); err != nil {
		return err
	}
	if err := tx.Commit(ctx); err != nil {
		return err
	}
	s.saved[name] = number
	return nil
}

// OpenDerived reads the derived data last saved under name into memory. See store.Deriver.
func (s *Store) OpenDerived(ctx context.Context, name string) (*store.Derived, error) {
	if store.CheckDerived(name) != nil {
		return nil, fmt.Errorf("open derived data: %w", tree.ErrNotFound)
	}
	s.saves.Lock()
	defer s.saves.Unlock()
	var out *store.Derived
	err := s.reading(ctx, func() (err error) {
		out, err = s.openDerived(ctx, name)
		return err
	})
	if errors.Is(err, pgx.ErrNoRows) {
		err = tree.ErrNotFound
	}
	if err != nil {
		return nil, fmt.Errorf("open derived data %s: %w", name, err)
	}
	return out, nil
}

func (s *Store) openDerived(ctx context.Context, name string) (*store.Derived, error) {
	tx, err := s.pool.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly})
	if err != nil {
		return nil, err
	}
	defer func() { _ = tx.Rollback(context.WithoutCancel(ctx)) }() // it only reads
	var number, version int64
	var sum, b, piece []byte
	if err := tx.QueryRow(ctx, `SELECT number, version, sha256 FROM memtree.derived WHERE tree = $1 AND name = $2`,
		s.tree, name).Scan(&number, &version, &sum); err != nil {
		return nil, err
	}
	rows, err := tx.Query(ctx, `SELECT body FROM memtree.derived_piece WHERE tree = $1 AND name = $2 AND number = $3
		ORDER BY piece`, s.tree, name, number)
	if err != nil {
		return nil, err
	}
	if _, err := pgx.ForEachRow(rows, []any{&piece}, func() error {
		b = append(b, piece...)
		return nil
	}); err != nil {
		return nil, err
	}
	if have := sha256.Sum256(b); !bytes.Equal(have[:], sum) {
		return nil, &store.CorruptError{File: s.address.String() + " " + name, Lost: "its hash is not that of what was saved"}
	}
	s.saved[name] = number
	return &store.Derived{
		ReaderAt: bytes.NewReader(b), Size: int64(len(b)), Version: uint64(version), //nolint:gosec // not negative
		Closer: io.NopCloser(nil),
	}, nil
}

// usedFor is how long derived data stays after it was saved or kept by any process. Those of older versions do not keep
// any; what they miss then is made again.
const usedFor = 10 * time.Minute

// KeepDerived returns the names under which no derived data is saved, and marks the other data as in use. See
// store.Deriver.
func (s *Store) KeepDerived(ctx context.Context, names []string) (missing []string, err error) {
	if err := s.begin(ctx); err != nil {
		return nil, fmt.Errorf("keep derived data: %w", err)
	}
	defer s.life.RUnlock()
	rows, err := s.pool.Query(ctx, `WITH there AS (
			UPDATE memtree.derived SET used = clock_timestamp() WHERE tree = $1 AND name = ANY($2) RETURNING name
		) SELECT name FROM unnest($2::text[]) AS x (name) WHERE name NOT IN (SELECT name FROM there)`, s.tree, names)
	if err == nil {
		missing, err = pgx.CollectRows(rows, pgx.RowTo[string])
	}
	if err != nil {
		return nil, fmt.Errorf("keep derived data: %w", s.translate(err))
	}
	return missing, nil
}

// DropDerived removes derived data whose name begins with prefix, except the names in but, and except data that was
// saved or named in KeepDerived in the last 10 minutes. See store.Deriver.
func (s *Store) DropDerived(ctx context.Context, prefix string, but []string) error {
	return s.dropDerived(ctx, prefix, but, usedFor)
}

func (s *Store) dropDerived(ctx context.Context, prefix string, but []string, unused time.Duration) error {
	if err := s.begin(ctx); err != nil {
		return fmt.Errorf("drop derived data: %w", err)
	}
	defer s.life.RUnlock()
	if but == nil {
		but = []string{} // NULL excludes everything
	}
	s.saves.Lock()
	defer s.saves.Unlock()
	rows, err := s.pool.Query(ctx, `DELETE FROM memtree.derived WHERE tree = $1 AND starts_with(name, $2)
		AND name <> ALL ($3) AND used <= clock_timestamp() - $4::interval RETURNING name`, s.tree, prefix, but, unused)
	if err == nil {
		var name string
		_, err = pgx.ForEachRow(rows, []any{&name}, func() error {
			delete(s.saved, name)
			return nil
		})
	}
	if err != nil {
		return fmt.Errorf("drop derived data: %w", s.translate(err))
	}
	return nil
}
