package postgres

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/tree"
)

// Commit writes the batch b, all of it or nothing, and returns the new version. If ctx ends while the write is
// running, the write goes on, and the error is a *store.UnknownError with the Op under which the batch can be
// committed again. The error is the same if the connection was lost during the commit and the database did not come
// back within Options.Patience. See store.Store.
func (s *Store) Commit(ctx context.Context, b store.Batch) (uint64, error) {
	v, err := s.commit(ctx, &b)
	if err != nil {
		return 0, fmt.Errorf("commit: %w", err)
	}
	return v, nil
}

func (s *Store) commit(ctx context.Context, b *store.Batch) (uint64, error) {
	if err := s.begin(ctx); err != nil {
		return 0, err
	}
	detached := false
	defer func() {
		if !detached {
			s.life.RUnlock()
		}
	}()
	in, err := newBatch(b)
	if err != nil {
		return 0, err
	}
	if in.op == "" {
		in.op = rand.Text()
	}
	if !storable(in.op) {
		return 0, &tree.FieldError{Field: "op", Problem: "is not text"}
	}
	select {
	case s.committing <- struct{}{}:
	case <-ctx.Done():
		return 0, ctx.Err() // nothing was sent
	}
	type result struct {
		version uint64
		err     error
	}
	done := make(chan result, 1)
	detached = true
	go func() {
		defer s.life.RUnlock()
		defer func() { <-s.committing }()
		v, err := s.untilKnown(context.WithoutCancel(ctx), in)
		done <- result{v, err}
	}()
	select {
	case r := <-done:
		return r.version, r.err
	case <-ctx.Done():
		return 0, &store.UnknownError{Op: in.op, Cause: ctx.Err()}
	}
}

// committed is what a transaction on a locked tree has read, and the commit that it makes.
type committed struct {
	rev, nodes, entries, dead, base int64
	hash                            []byte
	since                           [][]byte // entries after those that the batch takes into account
	have                            map[string]revision
	arrivals                        map[store.Hash][]int64 // numbers in the outbox, oldest first

	effective [][]byte           // JSON of the changes that take effect
	write     map[string]*change // the last of them of each node
	added     int64              // nodes that are new
	left      []int64            // numbers that leave the outbox
}

// revision is the revision of a stored node and the key of its last change.
type revision struct {
	revision int
	change   string
}

// once performs a commit in one transaction, or finds that it was made. sent is true while it may have been made.
func (s *Store) once(ctx context.Context, b *batch, sent *bool) (version uint64, err error) {
	err = s.onPrimary(ctx, func(ctx context.Context, conn *pgxpool.Conn) error {
		version, err = s.onceOn(ctx, conn, b, sent)
		return err
	})
	return version, err
}

func (s *Store) onceOn(ctx context.Context, conn *pgxpool.Conn, b *batch, sent *bool) (version uint64, err error) {
	tx, err := conn.Begin(ctx)
	if err != nil {
		return 0, err
	}
	defer func() {
		if err != nil {
			_ = tx.Rollback(ctx) // a broken connection has ended it
		}
	}()
	c, made, err := s.lock(ctx, tx, b)
	if err != nil {
		return 0, err
	}
	if made > 0 { // it wrote the lock, so its end waits until a standby has what it found
		*sent = true
		return uint64(made), tx.Commit(ctx) //nolint:gosec // not negative
	}
	*sent = false // an earlier try held the lock until its end, and did not make it
	if err := c.plan(b); err != nil {
		return 0, err
	}
	if len(c.effective)+len(c.left)+len(b.entries) == 0 && b.purge == nil {
		return uint64(c.rev), tx.Commit(ctx) //nolint:gosec // as above
	}
	if err := s.writeCommit(ctx, tx, c, b); err != nil {
		return 0, err
	}
	*sent = true
	if err := tx.Commit(ctx); err != nil {
		return 0, err
	}
	s.leases.End(c.left)
	return uint64(c.rev + 1), nil //nolint:gosec // not negative
}

// lock locks the tree and reads what the batch depends on. made is the version of the commit with its op, 0 without
// one.
func (s *Store) lock(ctx context.Context, tx pgx.Tx, b *batch) (c *committed, made int64, err error) {
	c = &committed{have: map[string]revision{}, arrivals: map[store.Hash][]int64{}, write: map[string]*change{}}
	var q pgx.Batch
	q.Queue(`SELECT rev, hash, base, nodes, entries, dead, (SELECT max(schema) FROM memtree.needs)
		FROM memtree.tree WHERE id = $1 FOR UPDATE`, s.tree).QueryRow(func(row pgx.Row) error {
		var needs int
		err := row.Scan(&c.rev, &c.hash, &c.base, &c.nodes, &c.entries, &c.dead, &needs)
		if errors.Is(err, pgx.ErrNoRows) {
			return s.deleted()
		}
		return cmp.Or(err, s.outgrown(needs))
	})
	q.Queue(`SELECT rev FROM memtree.commit WHERE tree = $1 AND op = $2`, s.tree, b.op).Query(func(rows pgx.Rows) error {
		_, err := pgx.ForEachRow(rows, []any{&made}, func() error { return nil })
		return err
	})
	if ids := b.ids(); len(ids) > 0 {
		var id, key string
		var rev int
		q.Queue(`SELECT id, revision, change FROM memtree.node WHERE tree = $1 AND id = ANY($2)`, s.tree, ids).Query(
			func(rows pgx.Rows) error {
				_, err := pgx.ForEachRow(rows, []any{&id, &rev, &key}, func() error {
					c.have[id] = revision{rev, key}
					return nil
				})
				return err
			})
	}
	if b.read > 0 && len(b.judged) > 0 {
		after := int64(b.read) //nolint:gosec // a count
		q.Queue(`SELECT body FROM memtree.ledger WHERE tree = $1 AND seq > $2`, s.tree, after).Query(
			func(rows pgx.Rows) (err error) {
				c.since, err = pgx.CollectRows(rows, pgx.RowTo[[]byte])
				return err
			})
	}
	if len(b.out) > 0 {
		var n int64
		var key []byte
		q.Queue(`SELECT n, key FROM memtree.outbox WHERE tree = $1 AND key = ANY($2) ORDER BY n`, s.tree, b.keys()).Query(
			func(rows pgx.Rows) error {
				_, err := pgx.ForEachRow(rows, []any{&n, &key}, func() error {
					c.arrivals[store.Hash(key)] = append(c.arrivals[store.Hash(key)], n)
					return nil
				})
				return err
			})
	}
	return c, made, tx.SendBatch(ctx, &q).Close()
}

// plan applies the batch to what was read.
func (c *committed) plan(b *batch) error {
	for _, body := range c.since {
		var e ledger.Entry
		if err := json.Unmarshal(body, &e); err != nil {
			return fmt.Errorf("read the ledger: %w", err)
		}
		if e.Verdict != nil && b.judged[e.Verdict.Evaluation] {
			return fmt.Errorf("%w: %s was judged", store.ErrConflict, e.Verdict.Evaluation)
		}
	}
	for i := range b.changes {
		if err := c.change(&b.changes[i]); err != nil {
			return err
		}
	}
	for _, key := range b.out {
		list := c.arrivals[key]
		if len(list) == 0 {
			return fmt.Errorf("%w: an evaluation of the batch is not in the outbox", store.ErrConflict)
		}
		c.left, c.arrivals[key] = append(c.left, list[0]), list[1:]
	}
	return nil
}

// change applies one change, unless it is the last change of its node.
func (c *committed) change(ch *change) error {
	now, ok := c.have[ch.id]
	if ok && ch.key != "" && now.change == ch.key {
		return nil
	}
	if _, ok := ch.basis[ch.id]; !ok {
		return fmt.Errorf("%w: %s is not in its basis", store.ErrConflict, ch.id)
	}
	for id, revision := range ch.basis {
		if c.have[id].revision != revision {
			return fmt.Errorf("%w: %s", store.ErrConflict, id)
		}
	}
	if !ok {
		c.added++
	}
	c.have[ch.id] = revision{ch.revision, ch.key}
	c.write[ch.id] = ch
	c.effective = append(c.effective, ch.raw)
	return nil
}

// writeCommit writes what the plan has found.
func (s *Store) writeCommit(ctx context.Context, tx pgx.Tx, c *committed, b *batch) error {
	var q pgx.Batch
	s.writeNodes(&q, c)
	if len(c.left) > 0 {
		q.Queue(`DELETE FROM memtree.outbox WHERE tree = $1 AND n = ANY($2)`, s.tree, c.left)
	}
	if len(b.dead) > 0 {
		q.Queue(`INSERT INTO memtree.dead SELECT $1, $2 + n, body FROM unnest($3::bytea[]) WITH ORDINALITY AS x (body, n)`,
			s.tree, c.dead, b.dead)
	}
	entries := make([][]byte, len(b.entries))
	for i, e := range b.entries {
		entries[i] = numbered(e, c.entries+int64(i)+1)
	}
	if len(entries) > 0 {
		q.Queue(`INSERT INTO memtree.ledger SELECT $1, $2 + n, body FROM unnest($3::bytea[]) WITH ORDINALITY AS x (body, n)`,
			s.tree, c.entries, entries)
	}
	var changes []byte
	if len(c.effective) > 0 {
		changes = append(append([]byte("["), bytes.Join(c.effective, []byte(","))...), ']')
	}
	hash := link(c.hash, c.rev+1, b.op, changes, bytes.Join(b.keys(), nil), bytes.Join(b.dead, []byte("\n")),
		bytes.Join(entries, []byte("\n")))
	q.Queue(`INSERT INTO memtree.commit (tree, rev, op, prev_hash, hash, changes) VALUES ($1, $2, $3, $4, $5, $6)`,
		s.tree, c.rev+1, b.op, c.hash, hash, changes)
	q.Queue(`UPDATE memtree.tree SET rev = rev + 1, hash = $4, nodes = nodes + $5, entries = entries + $6,
		dead = dead + $7, finished = finished + $8 WHERE id = $1 AND rev = $2 AND hash = $3`,
		s.tree, c.rev, c.hash, hash, c.added, len(entries), len(b.dead), len(c.left)).Exec(func(t pgconn.CommandTag) error {
		if t.RowsAffected() != 1 {
			return fmt.Errorf("%w: the tree itself", store.ErrConflict)
		}
		return nil
	})
	if err := tx.SendBatch(ctx, &q).Close(); err != nil {
		return err
	}
	return s.purge(ctx, tx, b.purge, c.rev+1)
}

// writeNodes queues the nodes that change.
func (s *Store) writeNodes(q *pgx.Batch, c *committed) {
	if len(c.write) == 0 {
		return
	}
	var ids, keys, types, directions, statuses []string
	var revisions, levels []int
	var bodies [][]byte
	for id, ch := range c.write {
		ids, keys, types = append(ids, id), append(keys, ch.key), append(types, ch.errorType)
		directions, statuses = append(directions, ch.direction), append(statuses, ch.status)
		revisions, levels = append(revisions, ch.revision), append(levels, ch.level)
		bodies = append(bodies, ch.node)
	}
	q.Queue(`INSERT INTO memtree.node (tree, id, revision, change, level, error_type, direction, status, body)
		SELECT $1, x.* FROM unnest($2::text[], $3::bigint[], $4::text[], $5::smallint[], $6::text[], $7::text[], $8::text[],
			$9::bytea[]) AS x
		ON CONFLICT (tree, id) DO UPDATE SET revision = excluded.revision, change = excluded.change,
			level = excluded.level, error_type = excluded.error_type, direction = excluded.direction,
			status = excluded.status, body = excluded.body`,
		s.tree, ids, revisions, keys, levels, types, directions, statuses, bodies)
}
