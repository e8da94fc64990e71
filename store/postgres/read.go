package postgres

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"

	"github.com/jackc/pgx/v5"

	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/tree"
)

// Get returns the node with an id. See store.Store.
func (s *Store) Get(ctx context.Context, id string) (n tree.Node, err error) {
	var body []byte
	if !storable(id) {
		return n, fmt.Errorf("get %q: %w", id[:min(len(id), 64)], tree.ErrNotFound)
	}
	err = s.reading(ctx, func() error {
		return s.pool.QueryRow(ctx, `SELECT body FROM memtree.node WHERE tree = $1 AND id = $2`, s.tree, id).Scan(&body)
	})
	if errors.Is(err, pgx.ErrNoRows) {
		err = tree.ErrNotFound
	}
	if err == nil {
		err = json.Unmarshal(body, &n)
	}
	if err != nil {
		return tree.Node{}, fmt.Errorf("get %.64s: %w", id, err)
	}
	return n, nil
}

// Info returns version, format and counts of the store. See store.Store.
func (s *Store) Info(ctx context.Context) (store.Info, error) {
	i := store.Info{Format: fmt.Sprintf("postgres/%d", schemaVersion), Origin: s.origin}
	err := s.reading(ctx, func() error {
		return s.pool.QueryRow(ctx, `SELECT rev, nodes, entries, dead, coalesce(a.evaluations, 0)::bigint,
			(coalesce(a.arrivals, 0) - finished)::bigint
			FROM memtree.tree, (SELECT sum(evaluations) AS evaluations, sum(arrivals) AS arrivals
				FROM memtree.accepted WHERE tree = $1) AS a WHERE id = $1`, s.tree).
			Scan(&i.Version, &i.Nodes, &i.Entries, &i.Dead, &i.Evaluations, &i.Outbox)
	})
	if errors.Is(err, pgx.ErrNoRows) {
		err = s.deleted()
	}
	if err != nil {
		return store.Info{}, fmt.Errorf("info: %w", err)
	}
	return i, nil
}

// Knows reports which keys were ever accepted. See store.Knower.
func (s *Store) Knows(ctx context.Context, keys []string) ([]bool, error) {
	hashes := make([][]byte, len(keys))
	for i, key := range keys {
		h := store.HashOf(key)
		hashes[i] = h[:]
	}
	var out []bool
	err := s.reading(ctx, func() error {
		rows, err := s.pool.Query(ctx, `SELECT EXISTS (SELECT FROM memtree.evaluation WHERE tree = $1 AND key = k.key)
			FROM unnest($2::bytea[]) WITH ORDINALITY AS k (key, n) ORDER BY n`, s.tree, hashes)
		if err == nil {
			out, err = pgx.CollectRows(rows, pgx.RowTo[bool])
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("look up keys: %w", err)
	}
	return out, nil
}

// Ledger yields the entries of the ledger after a sequence number, 0 for all. See store.Store.
func (s *Store) Ledger(ctx context.Context, after uint64) iter.Seq2[ledger.Entry, error] {
	return paged[ledger.Entry](ctx, s, "read the ledger", `SELECT seq, body FROM memtree.ledger
		WHERE tree = $1 AND seq > $2 ORDER BY seq LIMIT $3`, after)
}

// DeadLetters yields the evaluations that could not be formed into memories. See store.Store.
func (s *Store) DeadLetters(ctx context.Context) iter.Seq2[store.DeadLetter, error] {
	return paged[store.DeadLetter](ctx, s, "read the dead letters", `SELECT n, body FROM memtree.dead
		WHERE tree = $1 AND n > $2 ORDER BY n LIMIT $3`, 0)
}

// pageRows and pageBytes bound a page of rows that is read at once.
const pageRows = 1000

// paged yields the rows of an append-only list, page by page: no connection is held while the caller works.
func paged[T any](ctx context.Context, s *Store, doing, query string, after uint64) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var none T
		for at := int64(min(after, 1<<62)); ; { //nolint:gosec // bounded
			var page []row
			err := s.reading(ctx, func() (err error) {
				page, err = rowsOf(s.pool.Query(ctx, query, s.tree, at, pageRows))
				return err
			})
			for _, r := range page {
				if err != nil {
					break
				}
				var v T
				if err = json.Unmarshal(r.body, &v); err != nil {
					err = fmt.Errorf("number %d: %w", r.n, err)
				} else if err = s.usable(ctx); err == nil && !yield(v, nil) {
					return
				}
				at = r.n
			}
			if err != nil {
				yield(none, fmt.Errorf("%s: %w", doing, err))
				return
			}
			if len(page) < pageRows {
				return
			}
		}
	}
}

// row is a number and a JSON text.
type row struct {
	n    int64
	body []byte
}

func rowsOf(rows pgx.Rows, err error) ([]row, error) {
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(r pgx.CollectableRow) (row, error) {
		var out row
		return out, r.Scan(&out.n, &out.body)
	})
}

// Changes yields the commits that changed nodes, after a version. See store.Store.
func (s *Store) Changes(ctx context.Context, after uint64) iter.Seq2[store.Commit, error] {
	return func(yield func(store.Commit, error) bool) {
		at := int64(min(after, 1<<62)) //nolint:gosec // bounded
		for {
			var page []row
			var base int64
			err := s.reading(ctx, func() (err error) {
				page, base, err = s.changesPage(ctx, at)
				return err
			})
			if err == nil && at < base {
				err = store.ErrCompacted
			}
			for _, r := range page {
				c := store.Commit{Version: uint64(r.n)} //nolint:gosec // not negative
				if err == nil {
					err = json.Unmarshal(r.body, &c.Changes)
				}
				if err == nil {
					err = s.usable(ctx)
				}
				if err != nil {
					break
				}
				if !yield(c, nil) {
					return
				}
				at = r.n
			}
			if err != nil {
				yield(store.Commit{}, fmt.Errorf("changes after %d: %w", after, err))
				return
			}
			if len(page) < changesRows {
				return
			}
		}
	}
}

// changesRows is how many commits are read at once; one may have thousands of nodes.
const changesRows = 64

// changesPage returns the next commits after a version, and up to which version they were dropped. Both are of
// one moment.
func (s *Store) changesPage(ctx context.Context, after int64) (page []row, base int64, err error) {
	var q pgx.Batch
	q.Queue(`SELECT rev, changes FROM memtree.commit WHERE tree = $1 AND rev > $2 AND changes IS NOT NULL
		ORDER BY rev LIMIT $3`, s.tree, after, changesRows).Query(func(rows pgx.Rows) error {
		page, err = rowsOf(rows, nil)
		return err
	})
	q.Queue(`SELECT base FROM memtree.tree WHERE id = $1`, s.tree).QueryRow(func(r pgx.Row) error { return r.Scan(&base) })
	return page, base, s.pool.SendBatch(ctx, &q).Close()
}
