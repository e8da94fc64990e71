package postgres

import (
	"context"
	"fmt"
	"os"
	"time"
)

// The changes of a commit are read by followers that do not have it yet, and its op by a caller that commits again.
// Both take seconds. It is dropped after a week, and not before every process that follows the tree has it.
const (
	pruneAfter = 7 * 24 * time.Hour
	pruneEvery = time.Hour
	pruneRows  = 10_000        // at once
	followedIn = 2 * time.Hour // a process that was not seen for so long reads the tree anew when it comes back
)

// Seen records that this process has read the tree up to version. At most once an hour it also removes old commits
// that no process needs any more. A process that follows the tree calls Seen every few seconds.
func (s *Store) Seen(ctx context.Context, version uint64) error {
	if s.readOnly {
		return nil
	}
	if err := s.begin(ctx); err != nil {
		return fmt.Errorf("record what was followed: %w", err)
	}
	defer s.life.RUnlock()
	host, _ := os.Hostname() // for people; "" if it has no name
	_, err := s.pool.Exec(ctx, `INSERT INTO memtree.replica AS r VALUES ($1, $2, $3, $4, clock_timestamp())
		ON CONFLICT (process, tree) DO UPDATE SET rev = excluded.rev, seen = excluded.seen`,
		s.process, s.tree, host, int64(version)) //nolint:gosec // a version
	if err == nil && time.Since(time.Unix(0, s.pruned.Load())) > pruneEvery {
		if err = s.prune(ctx, pruneAfter); err == nil {
			s.pruned.Store(time.Now().UnixNano())
		}
	}
	if err != nil {
		return fmt.Errorf("record what was followed: %w", s.translate(err))
	}
	return nil
}

// prune drops the oldest commits, if they are older than age by the server's clock and each process that follows the
// tree has them. Who asks for changes from before learns that they are compacted. Each step is a transaction of its
// own, which holds the row of the tree only to note how far it has come.
func (s *Store) prune(ctx context.Context, age time.Duration) error {
	if _, err := s.pool.Exec(ctx, `DELETE FROM memtree.replica
		WHERE tree = $1 AND seen < clock_timestamp() - $2::interval`, s.tree, followedIn); err != nil {
		return err
	}
	for {
		var dropped int
		err := s.pool.QueryRow(ctx, `WITH oldest AS (
			SELECT rev, at FROM memtree.commit WHERE tree = $1
				AND rev <= (SELECT min(rev) FROM memtree.replica WHERE tree = $1) ORDER BY rev LIMIT $3
		), dropped AS (
			DELETE FROM memtree.commit c USING oldest o WHERE c.tree = $1 AND c.rev = o.rev
				AND o.at < clock_timestamp() - $2::interval RETURNING c.rev
		), noted AS (
			UPDATE memtree.tree SET base = greatest(base, (SELECT max(rev) FROM dropped))
				WHERE id = $1 AND EXISTS (SELECT FROM dropped)
		) SELECT count(*) FROM dropped`, s.tree, age, pruneRows).Scan(&dropped)
		if err != nil || dropped < pruneRows {
			return err
		}
	}
}
