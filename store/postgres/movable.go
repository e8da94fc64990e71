package postgres

import (
	"context"
	"fmt"
	"iter"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/tree"
)

var _ store.Movable = (*Store)(nil)

// Outbox yields the evaluations in the outbox, oldest first. See store.Movable.
func (s *Store) Outbox(ctx context.Context) iter.Seq2[tree.Evaluation, error] {
	return paged[tree.Evaluation](ctx, s, "read the outbox", `SELECT n, body FROM memtree.outbox
		WHERE tree = $1 AND n > $2 ORDER BY n LIMIT $3`, 0)
}

// Beside returns the names of the derived data that cannot be built again, sorted. See store.Movable.
func (s *Store) Beside(ctx context.Context) (names []string, err error) {
	err = s.reading(ctx, func() error {
		rows, err := s.pool.Query(ctx, `SELECT name FROM memtree.derived WHERE tree = $1`, s.tree)
		if err != nil {
			return err
		}
		names, err = pgx.CollectRows(rows, pgx.RowTo[string])
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list what is held beside the tree: %w", err)
	}
	names = slices.DeleteFunc(names, func(name string) bool { return !store.HeldBeside(name) })
	slices.Sort(names)
	return names, nil
}

// Known yields what the store remembers of every accepted key. See store.Movable.
func (s *Store) Known(ctx context.Context) iter.Seq2[store.KnownKey, error] {
	return func(yield func(store.KnownKey, error) bool) {
		at := []byte{}
		for {
			var page []store.KnownKey
			err := s.reading(ctx, func() (err error) {
				page, err = s.knownPage(ctx, at)
				return err
			})
			if err != nil {
				yield(store.KnownKey{}, fmt.Errorf("read the known keys: %w", err))
				return
			}
			for i := range page {
				if !yield(page[i], nil) {
					return
				}
			}
			if len(page) < pageRows {
				return
			}
			last := page[len(page)-1].Key
			at = last[:]
		}
	}
}

func (s *Store) knownPage(ctx context.Context, after []byte) ([]store.KnownKey, error) {
	rows, err := s.pool.Query(ctx, `SELECT key, digest, before, labelled FROM memtree.evaluation
		WHERE tree = $1 AND key > $2 ORDER BY key LIMIT $3`, s.tree, after, pageRows)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(r pgx.CollectableRow) (k store.KnownKey, err error) {
		var key, digest, before []byte
		if err = r.Scan(&key, &digest, &before, &k.Labelled); err != nil {
			return k, err
		}
		copy(k.Key[:], key)
		copy(k.Digest[:], digest)
		copy(k.Before[:], before)
		return k, nil
	})
}
