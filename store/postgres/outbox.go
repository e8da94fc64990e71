package postgres

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/tree"
)

// formingFor is how long a process that leased evaluations is the only one that does, after its last Lease, in seconds
// of the server's clock. A process that ended without Close is succeeded after that time. One that was only paused
// finds that its evaluations are finished: its commits conflict.
const formingFor = 30

// Lease returns up to n evaluations of the outbox and leases them to the caller. Only one process at a time gets
// evaluations of a tree: the first one that calls Lease, until it calls Close or has not called Lease for 30 seconds.
// The others get none. See store.Store.
func (s *Store) Lease(ctx context.Context, n int) ([]tree.Evaluation, error) {
	if err := s.begin(ctx); err != nil {
		return nil, fmt.Errorf("lease: %w", err)
	}
	defer s.life.RUnlock()
	out, mine, err := s.lease(ctx, n)
	if err != nil {
		return nil, fmt.Errorf("lease: %w", s.translate(err))
	}
	if !mine && n > 0 {
		select { // a caller that asks again and again is slowed down
		case <-time.After(100 * time.Millisecond):
		case <-ctx.Done():
		}
	}
	return out, nil
}

// lease returns evaluations, and whether this process is the one that forms.
func (s *Store) lease(ctx context.Context, n int) (out []tree.Evaluation, mine bool, err error) {
	s.leases.Lock()
	defer s.leases.Unlock()
	if n <= 0 {
		return nil, false, nil
	}
	s.leased.Store(true)
	if s.leases.Held == nil {
		s.leases.Held = map[int64]store.Hash{}
	}
	held := make([]int64, 0, len(s.leases.Held))
	for at := range s.leases.Held {
		held = append(held, at)
	}
	taken := map[int64]store.Hash{}
	var q pgx.Batch
	q.Queue(`INSERT INTO memtree.former VALUES ($1, $2, clock_timestamp() + make_interval(secs => $3))
		ON CONFLICT (tree) DO UPDATE SET process = excluded.process, until = excluded.until
		WHERE former.process = excluded.process OR former.until < clock_timestamp() RETURNING true`,
		s.tree, s.process, formingFor).Query(func(rows pgx.Rows) error {
		_, err := pgx.ForEachRow(rows, []any{&mine}, func() error { return nil })
		return err
	})
	q.Queue(`SELECT n, key, body FROM memtree.outbox o WHERE tree = $1 AND n <> ALL($2) AND NOT EXISTS (
			SELECT 1 FROM memtree.outbox p WHERE p.tree = $1 AND p.key = o.key AND p.n < o.n)
		ORDER BY n LIMIT $3`, s.tree, held, n).Query(func(rows pgx.Rows) error {
		var at int64
		var key, body []byte
		_, err := pgx.ForEachRow(rows, []any{&at, &key, &body}, func() error {
			var e tree.Evaluation
			if err := json.Unmarshal(body, &e); err != nil {
				return fmt.Errorf("evaluation %d of the outbox: %w", at, err)
			}
			taken[at], out = store.Hash(key), append(out, e)
			return nil
		})
		return err
	})
	if err := s.pool.SendBatch(ctx, &q).Close(); err != nil || !mine {
		return nil, false, err
	}
	maps.Copy(s.leases.Held, taken)
	return out, true, nil
}

// Release ends leases; see store.Store. It ignores keys that are not leased.
func (s *Store) Release(ctx context.Context, keys []string) error {
	if err := s.usable(ctx); err != nil {
		return fmt.Errorf("release: %w", err)
	}
	s.leases.Release(keys)
	return nil
}
