package postgres

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tidwall/btree"

	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/tree"
)

// sharedStore is the shared store that a replica follows.
type sharedStore interface {
	store.Shared
	store.Deriver
	store.Gallery
	store.VectorTable
	store.Verifier
	store.Knower

	// Nodes yields the JSON of all nodes.
	Nodes(ctx context.Context) iter.Seq2[[]byte, error]
	// Head returns a Feed with the newest point only. Feed returns what was committed after a point.
	Head(ctx context.Context) (Feed, error)
	Feed(ctx context.Context, after HistoryPoint) (Feed, error)
	// Seen records up to which version the tree was followed. This process needs no older commits any more.
	Seen(ctx context.Context, version uint64) error
}

// ReplicaOptions configures NewReplica.
type ReplicaOptions struct {
	// Local stores evaluations that arrive while the database does not take them. Only this process uses it. Nil: nothing
	// is accepted without the database.
	Local  store.Store
	Logger *slog.Logger  // receives warnings; nil: none
	Every  time.Duration // how long to wait between two looks for new commits; 0: 50 ms
}

// Replica is a copy in memory of a tree in a shared database; it implements store.Shared. It follows the commits of
// other processes. Most reads are answered from memory, also while the database is away. With ReplicaOptions.Local, it
// stores new evaluations on this machine while the database does not take them, and sends them afterwards. It is safe
// for concurrent use.
type Replica struct {
	below sharedStore
	o     ReplicaOptions

	polling sync.Mutex // held while the database is asked, and its answer taken
	mu      sync.RWMutex
	nodes   *btree.Map[string, *cachedNode] // by id
	place   HistoryPoint
	info    store.Info
	commits recentCommits // those that changed nodes, by version
	entries recentCommits // of the ledger, by number
	asOf    time.Time     // of the last answer, by the server's clock
	read    time.Time     // when that came, by this process's
	clock   time.Duration
	away    error // why the last question had no answer; nil: it had
	gone    error // the tree was deleted

	refused [kindsOfWrite]error // why the database does not take a kind of write; guarded by mu

	accepts atomic.Uint64 // how often this process has accepted evaluations
	counted atomic.Uint64 // accepts when the counts were last read
	waiting atomic.Int64  // evaluations in the journal of this machine
	anew    int           // how often the tree was read anew; guarded by mu

	stop    context.CancelFunc
	workers sync.WaitGroup
	closing sync.Once
	closed  atomic.Bool
	err     error
}

// cachedNode is the JSON of a node, with what a filter asks for.
type cachedNode struct {
	node tree.Node // only the fields of a filter
	raw  []byte
}

// recentCommits is the end of an append-only list: every row with a greater number than from.
type recentCommits struct {
	from uint64
	rows []feedRow
}

var (
	_ store.Shared   = (*Replica)(nil)
	_ store.Deriver  = (*Replica)(nil)
	_ store.Gallery  = (*Replica)(nil)
	_ store.Verifier = (*Replica)(nil)
	_ store.Knower   = (*Replica)(nil)

	_ store.VectorTable = (*Replica)(nil)
)

// every is how often the database is asked, and within which time it has to answer.
const (
	defaultEvery = 50 * time.Millisecond
	answerWithin = 3 * time.Second
	clockOff     = time.Minute // which a difference of clocks is logged from
)

// NewReplica reads the tree of below into memory and follows it until Close. It owns below and o.Local: Close closes
// them, and NewReplica itself does if it fails.
func NewReplica(ctx context.Context, below sharedStore, o ReplicaOptions) (*Replica, error) {
	o.Logger = cmp.Or(o.Logger, slog.New(slog.DiscardHandler))
	if o.Every <= 0 {
		o.Every = defaultEvery
	}
	r := &Replica{below: below, o: o, nodes: &btree.Map[string, *cachedNode]{}}
	err := r.readAll(ctx)
	if err == nil {
		err = r.countWaiting(ctx)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open replica: %w", err), r.closeStores())
	}
	if r.clock.Abs() > clockOff {
		o.Logger.Warn("the clock of this machine is not that of the database; set both right", "ahead",
			r.clock.Round(time.Second).String())
	}
	if o.Local != nil {
		_ = r.seen(ctx) // a refusal is known from the start
	}
	run, stop := context.WithCancel(context.WithoutCancel(ctx))
	r.stop = stop
	r.workers.Go(func() { r.follow(run) })
	r.workers.Go(func() { r.drainAll(run) })
	r.workers.Go(func() { r.report(run) })
	return r, nil
}

// usable returns why the replica cannot be used, nil if it can.
func (r *Replica) usable(ctx context.Context) error {
	if r.closed.Load() {
		return store.ErrClosed
	}
	r.mu.RLock()
	defer r.mu.RUnlock()
	if r.gone != nil {
		return r.gone
	}
	return ctx.Err()
}

// Following returns how far r has read the database. See store.Shared.
func (r *Replica) Following() store.Following {
	r.mu.RLock()
	defer r.mu.RUnlock()
	f := store.Following{Version: r.info.Version, AsOf: r.asOf, Lag: time.Since(r.read), Clock: r.clock, Away: r.away,
		Refused: r.refusal(), Waiting: int(r.waiting.Load()), Anew: r.anew}
	if r.gone != nil {
		f.Away = r.gone
	}
	return f
}

// Close stops following, and closes the stores that NewReplica was called with. Evaluations that are still in Local
// are sent after the next NewReplica with it.
func (r *Replica) Close() error {
	r.closing.Do(func() {
		r.closed.Store(true)
		r.stop()
		r.workers.Wait()
		r.err = r.closeStores()
	})
	return r.err
}

func (r *Replica) closeStores() error {
	err := r.below.Close()
	if r.o.Local != nil {
		err = errors.Join(err, r.o.Local.Close())
	}
	return err
}

// SaveDerived saves derived data in the database. See store.Deriver.
func (r *Replica) SaveDerived(ctx context.Context, name string, version uint64, write func(io.Writer) error) error {
	return r.below.SaveDerived(ctx, name, version, write)
}

// OpenDerived reads derived data from the database. See store.Deriver.
func (r *Replica) OpenDerived(ctx context.Context, name string) (*store.Derived, error) {
	return r.below.OpenDerived(ctx, name)
}

// KeepDerived asks the database which derived data is missing. See store.Deriver.
func (r *Replica) KeepDerived(ctx context.Context, names []string) ([]string, error) {
	return r.below.KeepDerived(ctx, names)
}

// DropDerived removes derived data from the database. See store.Deriver.
func (r *Replica) DropDerived(ctx context.Context, prefix string, but []string) error {
	return r.below.DropDerived(ctx, prefix, but)
}

// FillVectors writes embedding vectors into the database. See store.VectorTable.
func (r *Replica) FillVectors(ctx context.Context, encoder string, all iter.Seq2[store.NodeVector, error]) error {
	return r.below.FillVectors(ctx, encoder, all)
}

// PutPicture stores a picture in the database. See store.Gallery.
func (r *Replica) PutPicture(ctx context.Context, p tree.Picture, b []byte) error {
	return r.below.PutPicture(ctx, p, b)
}

// Picture reads a picture from the database. See store.Gallery.
func (r *Replica) Picture(ctx context.Context, sum string) ([]byte, error) {
	return r.below.Picture(ctx, sum)
}

// RemovePicture removes a picture from the database. See store.Gallery.
func (r *Replica) RemovePicture(ctx context.Context, sum string) error {
	return r.below.RemovePicture(ctx, sum)
}

// Pictures returns the list of pictures in the database. See store.Gallery.
func (r *Replica) Pictures(ctx context.Context) ([]store.KeptPicture, error) {
	return r.below.Pictures(ctx)
}

// Verify reads and checks the tree in the database, not the copy in memory. See store.Verifier.
func (r *Replica) Verify(ctx context.Context, found func(problem error)) (store.Verified, error) {
	return r.below.Verify(ctx, found)
}
