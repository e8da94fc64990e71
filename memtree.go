package memtree

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/memtree/memtree/brief"
	"github.com/memtree/memtree/effect"
	"github.com/memtree/memtree/enhance"
	"github.com/memtree/memtree/evolution"
	"github.com/memtree/memtree/formation"
	"github.com/memtree/memtree/harness"
	"github.com/memtree/memtree/inbox"
	"github.com/memtree/memtree/internal/core"
	"github.com/memtree/memtree/internal/intake"
	"github.com/memtree/memtree/internal/learned"
	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/llm"
	"github.com/memtree/memtree/look"
	"github.com/memtree/memtree/store"
	jsonstore "github.com/memtree/memtree/store/json"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// Options configures Open. Nil and the zero value work.
type Options struct {
	ReadOnly  bool             // write nothing; Record returns store.ErrReadOnly; another process may write
	MustExist bool             // Open fails if the folder has no store, instead of making one
	InMemory  bool             // no folder: nothing remains after Close
	Deadline  time.Duration    // maximum delay that Guide adds to a run, besides Query.Read; 0: 200 ms
	Generator llm.Generator    // reads wrong judgements and writes lessons; nil: rules do
	Embedder  llm.Embedder     // embeds texts; nil: the built-in encoder
	Findings  bool             // give findings of other builds too; weak models take them for the present state
	Holdout   *effect.Holdout  // the share of runs without memory for comparison; nil: effect.Schedule
	Label     string           // name of the team, in exports of a store that is made now
	Store     store.Store      // replaces the built-in one; closed by Close, and by an Open that fails
	Logger    *slog.Logger     // receives failures that did not stop a run; nil: discards them
	Now       func() time.Time // the clock, for data without a time of its own; nil: time.Now
}

// defaultDeadline is the maximum duration of Guide if Options.Deadline is not set.
const defaultDeadline = 200 * time.Millisecond

// cachedNodes is the number of nodes that the cache in front of the store holds.
const cachedNodes = 4096

// Memory is an open memory. Its methods are safe for concurrent use.
type Memory struct {
	opts     Options
	taxonomy *taxonomy.Taxonomy
	words    *enhance.Wording
	store    store.Store
	core     *core.Core
	former   *formation.Former
	halt     *llm.Halt // the model, no longer called after a lasting error; nil without one
	learned  *learning
	gallery  store.Gallery // pictures of runs; nil if the store has none
	origin   tree.Origin

	drafts evolution.Waiting // lessons that wait for a person
	briefs *brief.Briefs
	looks  *look.Looks

	deciding chan struct{} // holds one value while a person's decision is applied

	drawn    latestArms
	trials   chan ledger.Entry  // from Guide: entries to write to the ledger
	flush    chan chan struct{} // to the worker that writes them: close it once all are written
	harness  *harness.Harness   // the runs of Wrap until they are recorded
	intake   *intake.Intake     // accepted evaluations until they are cases
	stop     context.CancelFunc
	workers  sync.WaitGroup
	counts   failures
	closing  sync.Once
	closed   chan struct{} // closed when Close begins
	closeErr error
}

// failures counts failures that did not affect a run, see Health.
type failures struct {
	guideFailures atomic.Int64
	trialsLost    atomic.Int64
}

// Open opens the memory in the folder dir, and makes one there if none exists. The error is a *store.FormatError for a
// folder with other contents, and a *store.LockedError for one that another process writes. A memtree.yaml in the
// folder adds your own checks.
func Open(ctx context.Context, dir string, opts *Options) (*Memory, error) {
	m := &Memory{
		learned:  newLearning(),
		deciding: make(chan struct{}, 1),
		trials:   make(chan ledger.Entry, 4096),
		flush:    make(chan chan struct{}),
		closed:   make(chan struct{}),
	}
	if opts != nil {
		m.opts = *opts
	}
	m.setDefaults()
	m.harness = harness.New(harness.Options{
		Memory: harnessed{m}, Deadline: m.opts.Deadline, Now: m.opts.Now, Logger: m.opts.Logger, Closed: m.closed,
		ReadOnly: m.opts.ReadOnly,
	})
	if err := m.open(ctx, dir); err != nil {
		return nil, fmt.Errorf("open memory: %w", err)
	}
	run, stop := context.WithCancel(context.WithoutCancel(ctx))
	m.stop = stop
	if shared, ok := m.store.(store.Shared); ok {
		m.workers.Go(func() { m.follow(run, shared) })
	}
	if !m.opts.ReadOnly {
		m.workers.Go(func() { m.intake.Run(run) })
		m.workers.Go(func() { m.keepTrials(run) })
		m.workers.Go(func() { m.harness.Judge(run) })
		m.workers.Go(func() { m.learn(run) })
		m.workers.Go(func() { m.harness.Ablate(run) })
		m.intake.Poke()
	}
	return m, nil
}

// setDefaults sets the options that were not given.
func (m *Memory) setDefaults() {
	if m.opts.Deadline <= 0 {
		m.opts.Deadline = defaultDeadline
	}
	m.opts.Logger = cmp.Or(m.opts.Logger, slog.New(slog.DiscardHandler))
	if m.opts.Now == nil {
		m.opts.Now = time.Now
	}
	if m.opts.Holdout == nil {
		m.opts.Holdout = new(effect.Schedule())
	}
	if why := m.opts.Holdout.Warning(); why.EN != "" {
		m.opts.Logger.Warn(why.EN)
	}
}

// open opens taxonomy, store and the parts on top of it. After an error the store is closed.
func (m *Memory) open(ctx context.Context, dir string) (err error) {
	m.store = m.opts.Store
	defer func() {
		if err != nil && m.core != nil {
			err = errors.Join(err, m.core.Close(context.WithoutCancel(ctx)))
		}
		if err != nil && m.store != nil {
			err = errors.Join(err, m.store.Close())
		}
	}()
	if err = m.opts.Holdout.Check(); err != nil {
		return err
	}
	if m.taxonomy, err = taxonomy.ReadFolder(dir); err != nil {
		return err
	}
	if m.store, err = m.openStore(ctx, dir); err != nil {
		return err
	}
	m.learned.spent = learned.NewSpent(m.opts.Now())
	return m.openParts(ctx)
}

// openStore opens the store of the options: the given one, one in memory, or the folder dir.
func (m *Memory) openStore(ctx context.Context, dir string) (store.Store, error) {
	if m.opts.Store != nil {
		m.gallery, _ = m.opts.Store.(store.Gallery)
		return m.opts.Store, nil
	}
	o := jsonstore.Options{ReadOnly: m.opts.ReadOnly, Started: m.opts.Now(), Origin: tree.Origin{Label: m.opts.Label}}
	if m.opts.InMemory {
		s, err := jsonstore.OpenMemory(ctx, o)
		if err != nil {
			return nil, err
		}
		m.gallery = s
		return core.NewCache(s, cachedNodes), nil
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
	m.gallery = s
	if m.opts.ReadOnly {
		return s, nil // no cache: another process may write, and its changes must be seen
	}
	return core.NewCache(s, cachedNodes), nil
}

// openParts opens the parts on top of the store: wording, forming, what was learned and the index.
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
		m.halt = llm.NewHalt(m.learned.spent.Counting(m.opts.Generator), m.opts.Now)
		o.Generator = m.halt
	}
	m.former = formation.New(o)
	m.openLearned(ctx)
	m.briefs, m.looks = m.newBriefs(), m.newLooks()
	m.core, err = core.Open(ctx, core.Options{
		Store: m.store, Taxonomy: m.taxonomy, ReadOnly: m.opts.ReadOnly, Logger: m.opts.Logger,
		Embedder: m.opts.Embedder, Counting: m.learned.spent.CountingTexts, Commit: m.committed,
	})
	if err != nil {
		return err
	}
	m.learned.follow = m.core.Latest
	m.intake = intake.New(intake.Options{
		Looked: m.looked,
		Core:   m.core, Store: m.store, Former: m.former, Taxonomy: m.taxonomy, Logger: m.opts.Logger, Closed: m.closed,
		Reads: m.halt != nil, ReadOnly: m.opts.ReadOnly, Stepped: m.stepped, Rested: m.saveInbox,
		Labels: m.peoplesLabels, Forming: m.forming, Formed: m.formed,
	})
	return nil
}

// committed notifies the caches of the tree of a commit.
func (m *Memory) committed(b *store.Batch, nodes []tree.Node) {
	said, outcome := false, false
	for i := range b.Entries {
		e := &b.Entries[i]
		said, outcome = said || e.Act != nil, outcome || e.Outcome != nil
		if onFacts(e) {
			m.learned.decided.Store(true)
		}
		if e.Verdict != nil {
			m.learned.inbox.Tell(e.Verdict, time.Now())
		}
	}
	if said || b.Purge != nil || slices.ContainsFunc(nodes, func(n tree.Node) bool { return n.Type != tree.Case }) {
		m.drafts.Forget()
	}
	if outcome && b.Purge == nil {
		m.learned.fresh.Store(true)
	}
	if b.Purge.All() {
		m.learned.Forget(context.Background())
	}
}

// Close records the runs that Wrap still holds and closes the store.
func (m *Memory) Close() error {
	m.closing.Do(func() {
		close(m.closed)
		m.core.Shut()
		m.stopWorkers()
		m.settleAtClose()
		err := m.core.Close(context.Background())
		m.learned.Save(context.Background())
		m.learned.decisions.Save(context.Background())
		m.closeErr = errors.Join(err, m.learned.Close(), m.store.Close())
	})
	return m.closeErr
}

// Tree returns a reader of the stored data. Advanced.
func (m *Memory) Tree() store.Reader { return readOnlyStore{m.store} }

// readOnlyStore hides the writing methods of a store, so that Memory stays the only writer.
type readOnlyStore struct{ store.Reader }

// CountedLedger yields what store.LedgerCounts yields for the wrapped Reader.
func (s readOnlyStore) CountedLedger(ctx context.Context) iter.Seq2[ledger.Entry, error] {
	return store.LedgerCounts(ctx, s.Reader)
}

// Taxonomy returns the error types, scene types and checks. Advanced.
func (m *Memory) Taxonomy() *taxonomy.Taxonomy { return m.taxonomy }

// Inbox selects judged runs that a person should label. Advanced.
func (m *Memory) Inbox() *inbox.Chooser {
	m.refresh(m.learned.inbox, m.learned.looks)
	return inbox.New(inbox.Options{
		Box: m.learned.inbox, Tree: m.store, Score: m.scored, ReadOnly: m.opts.ReadOnly,
		Judge: m.judgeLabels, Looks: m.looks, Skipped: func() { m.learned.detached(m.saveInbox) },
	})
}

// Pictures returns the pictures of runs. Advanced.
func (m *Memory) Pictures() *store.Pictures {
	return store.NewPictures(m.gallery, m.store, func() []tree.Evaluation {
		m.refresh(m.learned.inbox)
		return m.learned.inbox.All()
	})
}
