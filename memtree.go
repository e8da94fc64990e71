package memtree

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/memtree/memtree/embed"
	"github.com/memtree/memtree/enhance"
	"github.com/memtree/memtree/formation"
	"github.com/memtree/memtree/llm"
	"github.com/memtree/memtree/retrieval"
	"github.com/memtree/memtree/store/cache"
	jsonstore "github.com/memtree/memtree/store/json"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// Options say how to open a memory. Nil, and the zero value, are useful.
type Options struct {
	ReadOnly  bool             // write nothing, beside a live writer too; Record is tree.ErrReadOnly
	MustExist bool             // refuse to make a new store
	InMemory  bool             // no folder: nothing is left after Close
	Deadline  time.Duration    // most that Guide takes of a run's time; 0: 200 ms
	Generator llm.Generator    // reads wrong judgements and writes lessons; nil: rules do
	Embedder  llm.Embedder     // gives texts their meaning; nil: the built-in table
	Findings  bool             // tell what was found before on other builds too; a small judge takes it for what is
	Label     string           // name of the team, in what a store that is made now exports
	Store     tree.Store       // in place of the built-in one; closed by Close, and by an Open that fails
	Logger    *slog.Logger     // is told what failed so that runs could go on; nil: nobody
	Now       func() time.Time // the clock, for what brings no time of its own; nil: time.Now
}

// defaultDeadline is the longest time that Guide takes if Options.Deadline is not set.
const defaultDeadline = 200 * time.Millisecond

// cachedNodes is the number of nodes that the cache in front of the store holds.
const cachedNodes = 4096

// Memory is an open memory. Its methods may be called at once from many goroutines.
type Memory struct {
	opts     Options
	taxonomy *taxonomy.Taxonomy
	words    *enhance.Wording
	store    tree.Store
	index    atomic.Pointer[retrieval.Index]
	former   *formation.Former
	model    *batchModel // nil without one
	origin   tree.Origin

	door  sync.Mutex // apply: one plan at a time, so that the index sees versions in order
	saved uint64     // version of the index on disk; guarded by door

	mending sync.Mutex
	mended  chan struct{} // closes when the present mend ends, see mendIndex; nil without one; guarded by mending
	kept    io.Closer     // the file that the index is read from; nil without one

	risks risks

	trials   chan tree.Entry  // from Guide: entries to write to the ledger
	runs     chan finishedRun // from Wrap: runs to judge and record
	held     held             // the runs of runs, and the one that is being judged
	wake     chan struct{}    // wakes the worker that forms the outbox
	stop     context.CancelFunc
	workers  sync.WaitGroup
	counts   failures
	outbox   outboxProgress
	closing  sync.Once
	closed   chan struct{} // closed when Close begins
	closeErr error
}

// failures counts what failed while no run was harmed by it, see Health.
type failures struct {
	guideFailures atomic.Int64
	trialsLost    atomic.Int64
	runsLost      atomic.Int64
	conflicts     atomic.Int64
}

// Open opens the memory in the folder dir, and makes one there if there is none. A
// folder that holds something else is a *tree.FormatError, one that another process
// writes a *tree.LockedError. A memtree.yaml in the folder adds your own checks.
func Open(ctx context.Context, dir string, opts *Options) (*Memory, error) {
	m := &Memory{
		risks:  newRisks(),
		trials: make(chan tree.Entry, 4096),
		runs:   make(chan finishedRun, 1024),
		wake:   make(chan struct{}, 1),
		closed: make(chan struct{}),
	}
	m.outbox.init()
	if opts != nil {
		m.opts = *opts
	}
	m.setDefaults()
	if err := m.open(ctx, dir); err != nil {
		return nil, fmt.Errorf("open memory: %w", err)
	}
	run, stop := context.WithCancel(context.WithoutCancel(ctx))
	m.stop = stop
	if !m.opts.ReadOnly {
		m.workers.Go(func() { m.formOutbox(run) })
		m.workers.Go(func() { m.keepTrials(run) })
		m.workers.Go(func() { m.judgeRuns(run) })
		m.workers.Go(func() { m.keepLearning(run) })
		poke(m.wake)
	}
	return m, nil
}

// setDefaults fills in the options that were not given.
func (m *Memory) setDefaults() {
	if m.opts.Deadline <= 0 {
		m.opts.Deadline = defaultDeadline
	}
	if m.opts.Logger == nil {
		m.opts.Logger = slog.New(slog.DiscardHandler)
	}
	if m.opts.Now == nil {
		m.opts.Now = time.Now
	}
}

// open opens taxonomy, embedder, store and index. After an error the store is closed.
func (m *Memory) open(ctx context.Context, dir string) (err error) {
	m.store = m.opts.Store
	defer func() {
		if err != nil && m.store != nil {
			err = errors.Join(err, m.store.Close())
		}
	}()
	if m.taxonomy, err = taxonomy.ReadFolder(dir); err != nil {
		return err
	}
	if err = m.openEmbedder(); err != nil {
		return err
	}
	if m.store, err = m.openStore(ctx, dir); err != nil {
		return err
	}
	return m.openParts(ctx)
}

// openEmbedder takes the built-in table if no other embedder is given. Another one may be a
// service of somebody else, so secrets are removed from every text that it is given. It gets
// half of Guide's deadline; after that Guide finds memories by words alone.
func (m *Memory) openEmbedder() (err error) {
	switch e := m.opts.Embedder.(type) {
	case nil:
		m.opts.Embedder, err = embed.Default()
	case *embed.Table:
	default:
		m.opts.Embedder = embed.Cleaned(e, func(s string) string {
			s, _ = formation.RedactText(s)
			return s
		})
	}
	return err
}

// tableBuiltIn reports whether the embedder is the built-in table, which never fails.
func (m *Memory) tableBuiltIn() bool {
	_, is := m.opts.Embedder.(*embed.Table)
	return is
}

// openStore opens the store of the options: the given one, one in memory, or the folder dir.
func (m *Memory) openStore(ctx context.Context, dir string) (tree.Store, error) {
	if m.opts.Store != nil {
		return m.opts.Store, nil
	}
	o := jsonstore.Options{ReadOnly: m.opts.ReadOnly, Started: m.opts.Now(), Origin: tree.Origin{Label: m.opts.Label}}
	if m.opts.InMemory {
		s, err := jsonstore.OpenMemory(ctx, o)
		if err != nil {
			return nil, err
		}
		return cache.New(s, cachedNodes), nil
	}
	if m.opts.MustExist || m.opts.ReadOnly {
		if err := jsonstore.MustExist(dir); err != nil {
			return nil, err
		}
	}
	s, err := jsonstore.OpenDir(ctx, dir, o)
	if err != nil {
		return nil, err
	}
	if m.opts.ReadOnly {
		return s, nil // no cache: another process may write, and its changes must be seen
	}
	return cache.New(s, cachedNodes), nil
}

// openParts opens what works on the store: wording, forming and the index.
func (m *Memory) openParts(ctx context.Context) error {
	info, err := m.store.Info(ctx)
	if err != nil {
		return err
	}
	m.origin = info.Origin
	m.words = enhance.NewWording(m.taxonomy)
	// RecordAll redacts evaluations before they enter the outbox.
	o := formation.Options{Taxonomy: m.taxonomy, Origin: m.origin, Redacted: true, Words: m.words.Fill}
	if m.opts.Generator != nil {
		m.model = &batchModel{of: m.opts.Generator}
		o.Generator = m.model
	}
	m.former, err = formation.New(o)
	if err != nil {
		return err
	}
	return m.openIndex(ctx)
}

// Close records what Wrap still holds and gives the store up. What is no case yet
// becomes one after the next Open.
func (m *Memory) Close() error {
	m.closing.Do(func() {
		close(m.closed)
		m.stopWorkers()
		err := m.saveIndex(context.Background())
		if m.kept != nil {
			err = errors.Join(err, m.kept.Close())
		}
		m.saveRisks(context.Background())
		m.closeErr = errors.Join(err, m.store.Close())
	})
	return m.closeErr
}

// Tree reads what is stored: memories, the ledger, and how much there is. Advanced.
func (m *Memory) Tree() tree.Reader { return readOnlyStore{m.store} }

// readOnlyStore hides the writing methods of a store, so that Memory stays the only writer.
type readOnlyStore struct{ tree.Reader }

// Taxonomy returns the error types, scene types and checks. Advanced.
func (m *Memory) Taxonomy() *taxonomy.Taxonomy { return m.taxonomy }
