package postgres

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"iter"

	"github.com/jackc/pgx/v5"

	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/tree"
)

// scanBytes is how much a scan reads ahead. A scan of less holds no connection while its caller works.
const scanBytes = 32 << 20

// Scan yields the nodes that f selects, sorted by id. A scan of more than 32 MiB holds a connection of the database
// until it ends. See store.Store.
func (s *Store) Scan(ctx context.Context, f store.Filter) iter.Seq2[tree.Node, error] {
	return func(yield func(tree.Node, error) bool) {
		var problem error
		err := s.scan(ctx, f, func(id string, raw []byte) bool {
			var n tree.Node
			if problem = json.Unmarshal(raw, &n); problem != nil {
				problem = s.unreadable(id, problem)
				return false
			}
			return !f.Match(&n) || yield(n, nil)
		})
		if err = cmp.Or(problem, err); err != nil {
			yield(tree.Node{}, fmt.Errorf("scan: %w", s.translate(err)))
		}
	}
}

// unreadable is the error for a node whose JSON cannot be decoded.
func (s *Store) unreadable(id string, cause error) error {
	return &store.UnreadableError{At: s.address.String(), What: "memory " + id, Cause: cause}
}

// Nodes yields the JSON of all nodes, byte for byte as stored, sorted by id, as they were when the iteration began. If
// a node is not JSON, Nodes ends with a *store.UnreadableError.
func (s *Store) Nodes(ctx context.Context) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		var problem error
		err := s.scan(ctx, store.Filter{}, func(id string, raw []byte) bool {
			if !json.Valid(raw) {
				problem = s.unreadable(id, json.Unmarshal(raw, new(any)))
				return false
			}
			return yield(raw, nil)
		})
		if err = cmp.Or(problem, err); err != nil {
			yield(nil, fmt.Errorf("scan: %w", s.translate(err)))
		}
	}
}

func (s *Store) scan(ctx context.Context, f store.Filter, yield func(id string, raw []byte) bool) error {
	if err := s.usable(ctx); err != nil {
		return err
	}
	if !storable(f.ErrorType + string(f.Direction) + string(f.Status)) {
		return nil // nothing has such a value
	}
	after := f.After
	if !storable(after) {
		after = "" // Match knows the rest
	}
	var rows pgx.Rows
	err := s.reading(ctx, func() (err error) {
		rows, err = s.pool.Query(ctx, `SELECT id, body FROM memtree.node WHERE tree = $1
			AND id > $2 AND ($3 = 0 OR level = $3) AND ($4 = '' OR error_type = $4)
			AND ($5 = '' OR direction = $5) AND ($6 = '' OR status = $6) ORDER BY id`,
			s.tree, after, f.Level, f.ErrorType, string(f.Direction), string(f.Status))
		return err
	})
	if err != nil {
		return err
	}
	defer rows.Close()
	for more := true; more; {
		var ids []string
		var ahead [][]byte
		size := 0
		for size < scanBytes && more {
			if more = rows.Next(); more {
				ids = append(ids, string(rows.RawValues()[0]))
				ahead = append(ahead, bytes.Clone(rows.RawValues()[1]))
				size += len(ahead[len(ahead)-1])
			}
		}
		if !more {
			rows.Close()
			if err := rows.Err(); err != nil {
				return err
			}
		}
		for i, raw := range ahead {
			if err := s.usable(ctx); err != nil || !yield(ids[i], raw) {
				return err
			}
		}
	}
	return nil
}
