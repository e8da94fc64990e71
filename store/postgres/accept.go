package postgres

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/tree"
)

// groupSize is the most evaluations that calls share a transaction for; one call is always one transaction. writers is
// the most transactions at a time.
const (
	groupSize = 100
	writers   = 6
)

// intake accepts evaluations. Calls that wait at the same time share a transaction.
type intake struct {
	store   *Store
	mu      sync.Mutex
	waiting []*offer
	running int // workers
	workers sync.WaitGroup
}

// offer is a call of Accept.
type offer struct {
	in       []incoming
	receipts []store.Receipt
	done     chan error
}

// incoming is an evaluation to accept.
type incoming struct {
	key      string
	hash     store.Hash
	digest   [8]byte
	labelled bool
	body     []byte
}

func newIntake(s *Store) *intake { return &intake{store: s} }

func (in *intake) wait() { in.workers.Wait() }

// Accept adds evaluations to the outbox, all of them or none. If ctx ends during it, the write goes on; accepting the
// same evaluations again then returns receipts with store.Duplicate. See store.Store.
func (s *Store) Accept(ctx context.Context, es []tree.Evaluation) ([]store.Receipt, error) {
	receipts, err := s.accept(ctx, es)
	if err != nil {
		return nil, fmt.Errorf("accept: %w", err)
	}
	return receipts, nil
}

func (s *Store) accept(ctx context.Context, es []tree.Evaluation) ([]store.Receipt, error) {
	o := &offer{in: make([]incoming, len(es)), receipts: make([]store.Receipt, len(es)), done: make(chan error, 1)}
	for i := range es {
		e := &es[i]
		if err := e.Check(); err != nil {
			return nil, fmt.Errorf("evaluation %d: %w", i+1, err)
		}
		body, err := encode(e)
		if err != nil {
			return nil, fmt.Errorf("evaluation %d: %w", i+1, err)
		}
		key := e.Key()
		o.in[i] = incoming{key: key, hash: store.HashOf(key), digest: store.DigestOf(e), labelled: e.Labelled(), body: body}
	}
	if err := s.begin(ctx); err != nil {
		return nil, err
	}
	defer s.life.RUnlock()
	if len(es) == 0 {
		return o.receipts, nil
	}
	s.intake.add(o)
	select {
	case err := <-o.done:
		if err != nil {
			return nil, s.translate(err)
		}
		return o.receipts, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// add queues a call.
func (in *intake) add(o *offer) {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.waiting = append(in.waiting, o)
	if in.running < writers {
		in.running++
		in.workers.Go(in.run)
	}
}

// run writes groups of calls until none waits.
func (in *intake) run() {
	for {
		group := in.take()
		if group == nil {
			return
		}
		err := in.write(group)
		for _, o := range group {
			o.done <- err
		}
	}
}

// take returns the calls of the next transaction, nil if there are none.
func (in *intake) take() []*offer {
	in.mu.Lock()
	defer in.mu.Unlock()
	n, size := 0, 0
	for n < len(in.waiting) && (n == 0 || size+len(in.waiting[n].in) <= groupSize) {
		size += len(in.waiting[n].in)
		n++
	}
	if n == 0 {
		in.running--
		return nil
	}
	group := in.waiting[:n:n]
	in.waiting = in.waiting[n:]
	return group
}

// write accepts a group in one transaction, again if the connection broke: what an unknown transaction has accepted is
// found by its digest, and the receipt is then Duplicate.
func (in *intake) write(group []*offer) error {
	var all []*incoming
	var receipts []*store.Receipt
	for _, o := range group {
		for i := range o.in {
			all, receipts = append(all, &o.in[i]), append(receipts, &o.receipts[i])
		}
	}
	for try := 0; ; try++ {
		err := in.store.onPrimary(context.Background(), func(ctx context.Context, conn *pgxpool.Conn) error {
			return in.store.acceptOnce(ctx, conn, all, receipts)
		})
		if err == nil || !passing(err) || try == 2 {
			return err
		}
		in.store.pool.Reset()
	}
}

// acceptedKey is the record of an accepted key.
type acceptedKey struct {
	store.Known
	changed bool // in this transaction
}

// acceptOnce sets the receipts of arrivals and writes what is new.
func (s *Store) acceptOnce(ctx context.Context, conn *pgxpool.Conn, all []*incoming, receipts []*store.Receipt) error {
	tx, err := conn.Begin(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback(ctx) }() // without effect after a commit
	first := map[store.Hash]int{}
	for i, a := range all {
		if _, ok := first[a.hash]; !ok {
			first[a.hash] = i
		}
	}
	records, fresh, err := s.insertKnown(ctx, tx, all, first)
	if err != nil {
		return err
	}
	var out [][]byte
	var keys [][]byte
	for i, a := range all {
		*receipts[i] = store.Receipt{Key: a.key, Status: store.Accepted}
		if !fresh[a.hash] || first[a.hash] != i {
			k := records[a.hash]
			receipts[i].Status = k.Judge(a.digest, a.labelled)
			k.changed = k.changed || receipts[i].Status == store.Accepted
		}
		if receipts[i].Status == store.Accepted {
			out, keys = append(out, a.body), append(keys, a.hash[:])
		}
	}
	if len(out) == 0 {
		return tx.Commit(ctx) // it locked what it found, so this waits until a standby has that
	}
	if err := s.writeAccepted(ctx, tx, records, len(fresh), out, keys); err != nil {
		return err
	}
	return tx.Commit(ctx)
}

// insertKnown inserts the records of keys that are new, and reads and locks the others. Keys are inserted in order, so
// that two transactions with the same keys wait for each other instead of forming a circle.
func (s *Store) insertKnown(ctx context.Context, tx pgx.Tx, all []*incoming, first map[store.Hash]int) (
	records map[store.Hash]*acceptedKey, fresh map[store.Hash]bool, err error) {
	records, fresh = map[store.Hash]*acceptedKey{}, map[store.Hash]bool{}
	var keys, digests [][]byte
	var labelled []bool
	inOrder := func(a, b store.Hash) int { return bytes.Compare(a[:], b[:]) }
	for _, key := range slices.SortedFunc(maps.Keys(first), inOrder) {
		a := all[first[key]]
		keys, digests, labelled = append(keys, a.hash[:]), append(digests, a.digest[:]), append(labelled, a.labelled)
		records[key] = &acceptedKey{Known: store.Known{Digest: a.digest, Labelled: a.labelled}}
	}
	var key, digest, before []byte
	var isLabelled bool
	rows, err := tx.Query(ctx, `INSERT INTO memtree.evaluation (tree, key, digest, labelled)
		SELECT $1, x.* FROM unnest($2::bytea[], $3::bytea[], $4::boolean[]) AS x ON CONFLICT DO NOTHING RETURNING key`,
		s.tree, keys, digests, labelled)
	if err == nil {
		_, err = pgx.ForEachRow(rows, []any{&key}, func() error {
			fresh[store.Hash(key)] = true
			return nil
		})
	}
	if err != nil || len(fresh) == len(keys) {
		return records, fresh, err
	}
	rows, err = tx.Query(ctx, `SELECT key, digest, before, labelled FROM memtree.evaluation
		WHERE tree = $1 AND key = ANY($2) ORDER BY key FOR UPDATE`, s.tree, keys)
	if err == nil {
		_, err = pgx.ForEachRow(rows, []any{&key, &digest, &before, &isLabelled}, func() error {
			k := &acceptedKey{Known: store.Known{Labelled: isLabelled}}
			copy(k.Digest[:], digest)
			copy(k.Before[:], before)
			records[store.Hash(key)] = k
			return nil
		})
	}
	return records, fresh, err
}

// writeAccepted writes records that changed, the outbox, and the count.
func (s *Store) writeAccepted(ctx context.Context, tx pgx.Tx, records map[store.Hash]*acceptedKey, fresh int,
	bodies, keys [][]byte) error {
	var q pgx.Batch
	for key, k := range records {
		if k.changed {
			q.Queue(`UPDATE memtree.evaluation SET digest = $3, before = $4, labelled = true WHERE tree = $1 AND key = $2`,
				s.tree, key[:], k.Digest[:], k.Before[:])
		}
	}
	q.Queue(`INSERT INTO memtree.outbox (tree, key, body)
		SELECT $1, key, body FROM unnest($2::bytea[], $3::bytea[]) WITH ORDINALITY AS x (key, body, n) ORDER BY n`,
		s.tree, keys, bodies)
	q.Queue(`INSERT INTO memtree.accepted VALUES ($1, pg_backend_pid() % 16, $2, $3)
		ON CONFLICT (tree, slot) DO UPDATE SET evaluations = accepted.evaluations + excluded.evaluations,
			arrivals = accepted.arrivals + excluded.arrivals`, s.tree, fresh, len(bodies))
	return tx.SendBatch(ctx, &q).Close()
}
