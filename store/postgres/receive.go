package postgres

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/store/move"
	"github.com/memtree/memtree/tree"
)

// Receiver is a new tree that receives the content of another store; it implements move.Target. The tree cannot be
// opened as a store before Finish. If a move is interrupted, the next move from the same source continues it, unless
// the source has changed.
type Receiver struct {
	*Store
	lock *pgx.Conn // its session holds the lock of the move
}

var _ move.Target = (*Receiver)(nil)

// Receive creates a tree at a for a move. If an earlier move to a did not finish, Receive continues it if source is
// the same, and removes what it put otherwise. source identifies the source and its state, without a space; name is
// the source's name for people. The error wraps a *store.FormatError if the tree is in use, or if another move to it
// is running.
func Receive(ctx context.Context, a Address, source, name string) (*Receiver, error) {
	s, err := open(ctx, a, Options{Moving: source + " " + name})
	if err != nil {
		return nil, fmt.Errorf("move to %s: %w", a, err)
	}
	r := &Receiver{Store: s}
	if err := r.take(ctx, source, name); err != nil {
		err = errors.Join(s.translate(err), r.Close()) //nolint:contextcheck // it has a bound of its own
		return nil, fmt.Errorf("move to %s: %w", a, err)
	}
	return r, nil
}

// take takes the lock of the move, and drops what a move from another source, or of another state of it, has put.
func (r *Receiver) take(ctx context.Context, source, name string) error {
	var err error
	if r.lock, err = pgx.ConnectConfig(ctx, r.pool.Config().ConnConfig); err != nil {
		return err
	}
	var mine bool
	// 0x6d656d74 is "memt", so that the lock is not that of another program.
	id := int32(r.tree) //nolint:gosec // there are fewer
	if err := r.lock.QueryRow(ctx, `SELECT pg_try_advisory_lock(x'6d656d74'::int, $1)`, id).
		Scan(&mine); err != nil {
		return err
	}
	if !mine {
		return &store.FormatError{Dir: r.address.String(),
			Problem: "is the target of another move that is under way; wait for it"}
	}
	var from string
	if err := r.pool.QueryRow(ctx, `SELECT moving FROM memtree.tree WHERE id = $1`, r.tree).Scan(&from); err != nil {
		return err
	}
	if from == "" {
		return r.movingProblem("")
	}
	if was, _, _ := strings.Cut(from, " "); was == source {
		return nil
	}
	return r.drop(ctx, source+" "+name)
}

// Drop removes everything that was put, at once. See move.Target.
func (r *Receiver) Drop(ctx context.Context) error {
	return r.translate(r.drop(ctx, "- a move that failed"))
}

// drop removes what was put, for a move from a source.
func (r *Receiver) drop(ctx context.Context, source string) error {
	var q pgx.Batch
	for _, table := range []string{"node", "ledger", "outbox", "dead", "evaluation", "derived", "picture"} {
		q.Queue(`DELETE FROM memtree.`+table+` WHERE tree = $1`, r.tree)
	}
	q.Queue(`UPDATE memtree.tree SET moving = $2 WHERE id = $1`, r.tree, source)
	return r.pool.SendBatch(ctx, &q).Close()
}

// Close ends the use of r. A move without Finish can be continued later.
func (r *Receiver) Close() error {
	if r.lock != nil {
		ctx, cancel := context.WithTimeout(context.Background(), gone)
		defer cancel()
		// The server ends the lock with the connection, but only after Close has returned.
		_, _ = r.lock.Exec(ctx, `SELECT pg_advisory_unlock_all()`)
		_ = r.lock.Close(ctx)
	}
	return r.Store.Close()
}

// Reached returns what earlier moves have put. See move.Target.
func (r *Receiver) Reached(ctx context.Context) (at move.Reached, err error) {
	err = r.pool.QueryRow(ctx, `SELECT
		coalesce((SELECT max(id) FROM memtree.node WHERE tree = $1), ''),
		coalesce((SELECT max(seq) FROM memtree.ledger WHERE tree = $1), 0),
		(SELECT key FROM memtree.evaluation WHERE tree = $1 ORDER BY key DESC LIMIT 1),
		(SELECT count(*) FROM memtree.node WHERE tree = $1), (SELECT count(*) FROM memtree.evaluation WHERE tree = $1),
		(SELECT count(*) FROM memtree.outbox WHERE tree = $1), (SELECT count(*) FROM memtree.dead WHERE tree = $1)`,
		r.tree).Scan(&at.Node, &at.Entry, &at.Known, &at.Nodes, &at.Keys, &at.Outbox, &at.Letter)
	return at, r.translate(err)
}

// put runs a statement once, with arrays of the values of a part.
func (r *Receiver) put(ctx context.Context, sql string, args ...any) error {
	_, err := r.pool.Exec(ctx, sql, append([]any{r.tree}, args...)...)
	return r.translate(err)
}

// encodeAll returns values as JSON.
func encodeAll[T any](part []T) ([][]byte, error) {
	out := make([][]byte, len(part))
	for i := range part {
		var err error
		if out[i], err = encode(&part[i]); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// PutNodes adds nodes; see move.Target.
func (r *Receiver) PutNodes(ctx context.Context, part []tree.Node) error {
	c := &committed{write: map[string]*change{}}
	for i := range part {
		ch, err := newChange(&tree.Change{Node: part[i], Key: part[i].LastChange})
		if err != nil {
			return err
		}
		c.write[ch.id] = &ch
	}
	var q pgx.Batch
	r.writeNodes(&q, c)
	return r.translate(r.pool.SendBatch(ctx, &q).Close())
}

// PutEntries adds entries of the ledger; see move.Target.
func (r *Receiver) PutEntries(ctx context.Context, part []ledger.Entry) error {
	bodies, err := encodeAll(part)
	if err != nil {
		return err
	}
	numbers := make([]int64, len(part))
	for i := range part {
		numbers[i] = int64(part[i].Seq) //nolint:gosec // a count
	}
	return r.put(ctx, `INSERT INTO memtree.ledger SELECT $1, x.* FROM unnest($2::bigint[], $3::bytea[]) AS x`, numbers,
		bodies)
}

// PutOutbox adds evaluations to the outbox; see move.Target.
func (r *Receiver) PutOutbox(ctx context.Context, part []tree.Evaluation) error {
	bodies, err := encodeAll(part)
	if err != nil {
		return err
	}
	keys := make([][]byte, len(part))
	for i := range part {
		key := store.HashOf(part[i].Key())
		keys[i] = key[:]
	}
	return r.put(ctx, `INSERT INTO memtree.outbox (tree, key, body)
		SELECT $1, key, body FROM unnest($2::bytea[], $3::bytea[]) WITH ORDINALITY AS x (key, body, n) ORDER BY n`, keys,
		bodies)
}

// PutLetters adds dead letters; see move.Target.
func (r *Receiver) PutLetters(ctx context.Context, part []store.DeadLetter) error {
	bodies, err := encodeAll(part)
	if err != nil {
		return err
	}
	return r.put(ctx, `INSERT INTO memtree.dead
		SELECT $1, (SELECT coalesce(max(n), 0) FROM memtree.dead WHERE tree = $1) + n, body
		FROM unnest($2::bytea[]) WITH ORDINALITY AS x (body, n)`, bodies)
}

// PutKnown adds what the source remembers of accepted keys. See move.Target.
func (r *Receiver) PutKnown(ctx context.Context, part []store.KnownKey) error {
	var keys, digests, before [][]byte
	var labelled []bool
	for i := range part {
		k := &part[i]
		keys, digests, labelled = append(keys, k.Key[:]), append(digests, k.Digest[:]), append(labelled, k.Labelled)
		if k.Before == ([8]byte{}) {
			before = append(before, nil)
		} else {
			before = append(before, k.Before[:])
		}
	}
	return r.put(ctx, `INSERT INTO memtree.evaluation
		SELECT $1, x.* FROM unnest($2::bytea[], $3::bytea[], $4::bytea[], $5::boolean[]) AS x`, keys, digests, before,
		labelled)
}

// Finish counts what was put, sets the version and origin of the tree to those in info, and makes the tree one that
// Open opens. See move.Target.
func (r *Receiver) Finish(ctx context.Context, info store.Info) error {
	err := pgx.BeginFunc(ctx, r.pool, func(tx pgx.Tx) error {
		var q pgx.Batch
		q.Queue(`INSERT INTO memtree.accepted VALUES ($1, 0, (SELECT count(*) FROM memtree.evaluation WHERE tree = $1),
			(SELECT count(*) FROM memtree.outbox WHERE tree = $1))`, r.tree)
		q.Queue(`UPDATE memtree.tree SET moving = '', origin = $2, label = $3, rev = $4, base = $4, finished = 0,
			nodes = (SELECT count(*) FROM memtree.node WHERE tree = $1),
			entries = (SELECT coalesce(max(seq), 0) FROM memtree.ledger WHERE tree = $1),
			dead = (SELECT count(*) FROM memtree.dead WHERE tree = $1) WHERE id = $1`,
			r.tree, info.Origin.ID, info.Origin.Label, int64(info.Version)) //nolint:gosec // a version
		return tx.SendBatch(ctx, &q).Close()
	})
	return r.translate(err)
}
