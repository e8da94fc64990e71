// Package postgres is a store that many processes share: trees of many tenants in one PostgreSQL database, version 15
// or newer. The operator runs the database, with its own high availability.
//
// A commit is one transaction on the locked row of its tree. It is detached from its caller's context, because a commit
// that is cancelled in flight may happen or not, which its caller cannot find out. After a lost connection the commit
// is sent again under its op, by which the database recognizes it; such a commit is acknowledged only once a standby
// has it. Evaluations are accepted in groups, one transaction each. All times are the server's: the clock of a client
// decides nothing.
//
// Where to look:
//   - address.go, open.go, schema.go, migrations: the URL, opening, and the tables
//   - commit.go, batch.go, retry.go: a commit; purge.go: removal; prune.go: commits that no one needs
//   - primary.go, dial_linux.go: servers that hang or are gone
//   - accept.go, outbox.go: intake and leases
//   - read.go, scan.go, feed.go: reading, and following other writers
//   - derived.go, pictures.go, verify.go: the optional powers of a store; vectors.go: vectors for people who ask by SQL
//   - movable.go, receive.go: moving a store away and here
//   - replica.go, replica_follow.go, replica_read.go: a tree in memory that follows the database; replica_away.go,
//     replica_refused.go: the time without the database, and one that takes no writes
package postgres

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/tree"
)

// Store is one tree in a database. It implements store.Shared, store.Deriver, store.Gallery, store.Movable,
// store.Knower, store.VectorTable and store.Verifier. It is safe for concurrent use.
type Store struct {
	pool     *pgxpool.Pool
	tree     int64 // its id in the database
	origin   tree.Origin
	address  Address
	readOnly bool
	made     bool // the tree, by open
	patience time.Duration
	process  string
	needs    atomic.Int64 // the schema that a program must know, once that is newer than this one

	committing chan struct{} // holds one commit of this process at a time: others would only wait in the database
	intake     *intake
	leases     store.Leases[int64] // by number in the outbox
	leased     atomic.Bool         // an evaluation, ever

	life    sync.RWMutex // held for reading by writes under way, and for writing by Close
	closed  atomic.Bool
	saves   sync.Mutex
	saved   map[string]int64 // the last number of derived data that this process saved or opened, by name
	closing sync.Once
	pruned  atomic.Int64 // when this process last pruned, in nanoseconds of its clock; 0: it does not follow
}

var (
	_ store.Shared   = (*Store)(nil)
	_ store.Deriver  = (*Store)(nil)
	_ store.Gallery  = (*Store)(nil)
	_ store.Verifier = (*Store)(nil)
	_ store.Knower   = (*Store)(nil)
)

// New reports whether Open has created the tree.
func (s *Store) New() bool { return s.made }

// Following returns the zero value, because s asks the database for each answer. See store.Shared.
func (s *Store) Following() store.Following { return store.Following{} }

// usable returns why the store cannot be used, nil if it can.
func (s *Store) usable(ctx context.Context) error {
	if s.closed.Load() {
		return store.ErrClosed
	}
	return ctx.Err()
}

// begin announces a write, so that Close waits for it. The caller calls s.life.RUnlock if the error is nil.
func (s *Store) begin(ctx context.Context) error {
	s.life.RLock()
	err := s.usable(ctx)
	if err == nil && s.readOnly {
		err = store.ErrReadOnly
	}
	if needs := int(s.needs.Load()); err == nil {
		err = s.outgrown(needs)
	}
	if err != nil {
		s.life.RUnlock()
	}
	return err
}

// Close waits for running writes, ends the leases and closes the connections; see store.Store.
func (s *Store) Close() error {
	var err error
	s.closing.Do(func() {
		s.closed.Store(true)
		s.life.Lock() // waits for writes
		defer s.life.Unlock()
		s.intake.wait()
		ctx, cancel := context.WithTimeout(context.Background(), closeWithin)
		defer cancel()
		if !s.readOnly {
			err = s.leave(ctx)
		}
		s.pool.Close()
		_, refused := errors.AsType[*store.RefusedError](err)
		if refused || errors.Is(err, store.ErrAway) || errors.Is(err, store.ErrClosed) { // as of a lost connection
			err = nil // the roles end by themselves
		}
		if err != nil {
			err = fmt.Errorf("close store: %w", err)
		}
	})
	return err
}

// closeWithin bounds the farewell to a database that may be away.
const closeWithin = 2 * time.Second

// leave ends the roles of this process: to form, and to follow.
func (s *Store) leave(ctx context.Context) error {
	var err error
	if s.pruned.Load() != 0 {
		_, err = s.pool.Exec(ctx, `DELETE FROM memtree.replica WHERE tree = $1 AND process = $2`, s.tree, s.process)
	}
	if err == nil && s.leased.Load() {
		_, err = s.pool.Exec(ctx, `DELETE FROM memtree.former WHERE tree = $1 AND process = $2`, s.tree, s.process)
	}
	return s.translate(err)
}
