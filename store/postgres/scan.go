package postgres

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"

	"github.com/jackc/pgx/v5"

	"github.com/memtree/memtree/tree"
)

// scanBytes is how much a scan reads ahead. A scan of less holds no connection while its caller works.
const scanBytes = 32 << 20

// Scan yields nodes; see tree.Store. A large one holds a transaction until it ends.
func (s *Store) Scan(ctx context.Context, f tree.Filter) iter.Seq2[tree.Node, error] {
	return func(yield func(tree.Node, error) bool) {
		err := s.scan(ctx, f, func(n tree.Node) bool { return yield(n, nil) })
		if err != nil {
			yield(tree.Node{}, fmt.Errorf("scan: %w", s.translate(err)))
		}
	}
}

func (s *Store) scan(ctx context.Context, f tree.Filter, yield func(tree.Node) bool) error {
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
		rows, err = s.pool.Query(ctx, `SELECT body FROM memtree.node WHERE tree = $1
			AND id > $2 AND ($3 = 0 OR level = $3) AND ($4 = '' OR error_type = $4)
			AND ($5 = '' OR direction = $5) AND ($6 = '' OR status = $6) ORDER BY id`,
			s.tree, after, f.Level, f.ErrorType, string(f.Direction), string(f.Status))
		return err
	})
	if err != nil {
		return err
	}
	defer rows.Close()
	var ahead [][]byte
	size := 0
	for more := true; more; {
		more = rows.Next()
		if more {
			ahead = append(ahead, append([]byte(nil), rows.RawValues()[0]...))
			size += len(ahead[len(ahead)-1])
		}
		if more && size < scanBytes {
			continue
		}
		if !more {
			rows.Close()
			if err := rows.Err(); err != nil {
				return err
			}
		}
		for _, body := range ahead {
			var n tree.Node
			if err := json.Unmarshal(body, &n); err != nil {
				return err
			}
			if err := s.usable(ctx); err != nil {
				return err
			}
			if f.Match(&n) && !yield(n) {
				return nil
			}
		}
		ahead, size = ahead[:0], 0
	}
	return nil
}
