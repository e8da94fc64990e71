package memtree

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
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

// OverlayFile is the name of the file in a store's folder with which a team
// extends the taxonomy.
const OverlayFile = "memtree.yaml"

// Options say how to open a memory. The zero value, and nil, are useful: an
// embedded store, no model, no network.
type Options struct {
	// ReadOnly opens without writing anything, beside a live writer too. Guide
	// works and leaves no trial; Record returns tree.ErrReadOnly.
	ReadOnly bool
	// MustExist refuses to make a new store.
	MustExist bool
	// Generator analyses wrong judgements. Nil: the rules analyst does.
	Generator llm.Generator
	// Embedder gives texts their meaning. Nil: the built-in static table. Guide
	// gives one that is far away half of Deadline and then goes by words alone.
	Embedder llm.Embedder
	// InMemory keeps everything in memory, and nothing after Close.
	InMemory bool
	// Label names the team in what a store that is made now exports.
	Label string
	// Store replaces the embedded store; the folder is then only read for the
	// taxonomy overlay, and may be "".
	Store tree.Store
	// Findings has Guide tell what was found before, with its day and with reserve, also where
	// the build is not known to be the same. A small judge takes what it is told for what is.
	Findings bool
	// Deadline bounds what Guide may take of a run's time. 0: 200 ms.
	Deadline time.Duration
	// Logger is told what memory swallowed so that the run could go on. Nil: nobody.
	Logger *slog.Logger
	// Now is the clock, for evaluations and trials that bring no time. Nil: time.Now.
	Now func() time.Time
}

// DefaultDeadline is the most that Guide takes of a run's time.
const DefaultDeadline = 200 * time.Millisecond

// cachedNodes is how many node bodies stay in memory.
const cachedNodes = 4096

// Memory is an open tree: the loop, wired. It is the only writer of its store.
// All methods may be called at once from many goroutines.
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
	mended  chan struct{} // closes when a mend under way ends; nil when there is none
	kept    io.Closer     // the index's file, nil without one

	risks risks

	trials   chan tree.Entry  // what Guide leaves for the ledger
	runs     chan finishedRun // what Wrap leaves to judge and record
	held     held             // those, and the one that is being judged
	wake     chan struct{}    // the outbox may have something
	stop     context.CancelFunc
	workers  sync.WaitGroup
	counts   counts
	outbox   progress
	closing  sync.Once
	closed   chan struct{} // closed when Close begins
	closeErr error
}

// counts are what memory could not do without harming a run.
type counts struct {
	guideFailures atomic.Int64
	trialsLost    atomic.Int64
	runsLost      atomic.Int64
	conflicts     atomic.Int64
}

// Open opens the memory in the folder dir and makes one there if there is none.
// A folder that holds something else is refused with a *tree.FormatError, one
// that another process writes with a *tree.LockedError.
//
// What an earlier process accepted and did not form is formed now, in the
// background.
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
	m.defaults()
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

func (m *Memory) defaults() {
	if m.opts.Deadline <= 0 {
		m.opts.Deadline = DefaultDeadline
	}
	if m.opts.Logger == nil {
		m.opts.Logger = slog.New(slog.DiscardHandler)
	}
	if m.opts.Now == nil {
		m.opts.Now = time.Now
	}
}

func (m *Memory) open(ctx context.Context, dir string) (err error) {
	if m.taxonomy, err = overlay(dir); err != nil {
		return err
	}
	if err = m.openEmbedder(); err != nil {
		return err
	}
	if m.store, err = m.openStore(ctx, dir); err != nil {
		return err
	}
	if err = m.openParts(ctx); err != nil {
		return errors.Join(err, m.store.Close())
	}
	return nil
}

// openEmbedder takes the built-in table where no other embedder is given. Another
// may be somebody else's, and is told no secrets.
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

// tableBuiltIn reports whether the embedder is the one that is always there.
func (m *Memory) tableBuiltIn() bool {
	_, is := m.opts.Embedder.(*embed.Table)
	return is
}

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
		return s, nil // another process may write: what it changes is to be seen
	}
	return cache.New(s, cachedNodes), nil
}

func (m *Memory) openParts(ctx context.Context) error {
	info, err := m.store.Info(ctx)
	if err != nil {
		return err
	}
	m.origin = info.Origin
	m.words = enhance.NewWording(m.taxonomy)
	o := formation.Options{Taxonomy: m.taxonomy, Origin: m.origin, Redacted: true, Words: m.words.Fill} // redacted by RecordAll, before the outbox
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

// overlay reads the team's own words, if the folder has any.
func overlay(dir string) (*taxonomy.Taxonomy, error) {
	if dir == "" {
		return taxonomy.Default(), nil
	}
	path := filepath.Join(dir, OverlayFile)
	f, err := os.Open(filepath.Clean(path))
	if errors.Is(err, fs.ErrNotExist) {
		return taxonomy.Default(), nil
	}
	if err != nil {
		// A folder that is a file, or not ours to read, is the store's to explain.
		return taxonomy.Default(), nil
	}
	defer f.Close() //nolint:errcheck // only read
	b, err := io.ReadAll(io.LimitReader(f, 1<<20))
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	return taxonomy.Parse(path, b)
}

// Close keeps what Wrap still holds, stops forming (what is in the outbox waits
// for the next Open), saves the index and gives the store up. A second Close
// returns what the first did.
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

// Tree is what is stored, to be read: nodes, the ledger, what could not be formed,
// and how much there is of each. Advanced.
func (m *Memory) Tree() tree.Reader { return reader{m.store} }

// reader hides that a store can be written: Memory is the only writer.
type reader struct{ tree.Reader }

// Taxonomy returns the words this memory knows, the team's own included.
func (m *Memory) Taxonomy() *taxonomy.Taxonomy { return m.taxonomy }
