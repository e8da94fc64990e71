// Package shared has the queue of a tree in a database: any service of the tree may take its jobs. It uses River
// (https://riverqueue.com) with its tables in the schema memtree; each tree is a queue of its own.
//
// River lets a job run for a fixed time and then gives it to another process, whether the first one is alive or not. An
// evolve may take a night, and one whose service was killed should continue at once. So here a running job has a lease,
// which its process renews, and a job whose lease ended is given to another process. The number of the lease, called
// its turn, is in every statement of its process: one that was paused for too long can count no call any more.
//
// Jobs are added and taken in transactions of their own, never in that of a commit: River notifies in them.
//
// Where to look:
//   - shared.go: the queue; list.go: reading jobs
//   - turn.go: one attempt, its lease and its end; rescue.go: jobs whose process is gone
//   - budget.go: what a job may use in a day; ledger.go: its calls, and their replies
package shared

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivertype"

	"github.com/memtree/memtree/internal/jobs"
	"github.com/memtree/memtree/internal/seldom"
	"github.com/memtree/memtree/llm/meter"
	"github.com/memtree/memtree/store/postgres"
	"github.com/memtree/memtree/tree"
)

const (
	schema      = "memtree"
	connections = 4 // of a queue, at most
	// attempts is how often a job is tried. River waits for 1, 16, 81 and 256 seconds between them, about.
	attempts = 5
	// keptFor is how long an ended job is listed.
	keptFor = 90 * 24 * time.Hour
	// pollEvery is how often the database is asked for jobs, and for what has become of one.
	pollEvery = time.Second
	// leftFor is for how long a process leaves a job of a kind that it does not take to others.
	leftFor = 5 * pollEvery
	// servedIn is within which time a service of the tree has given a sign, if it is there.
	servedIn = 30 * time.Second
	// stopWithin bounds the end of the attempts of a process that stops.
	stopWithin = 10 * time.Second
)

// Options configures Open. The zero value is valid.
type Options struct {
	Price  meter.Price   // price of a model's tokens
	Day    Budget        // limits of all jobs of the tenant in a day (UTC)
	Logger *slog.Logger  // receives warnings; nil: none
	Lease  time.Duration // how long a job stays with a process that was killed; 0: 30 seconds
	Only   jobs.Kind     // kind of jobs that this process takes; "": all
}

// defaultLease is how long a job waits for another process after its own was killed.
const defaultLease = 30 * time.Second

// Queue holds the jobs of one tree in a database. It implements jobs.Queue. It is safe for concurrent use.
type Queue struct {
	o      Options
	pool   *pgxpool.Pool
	client *river.Client[pgx.Tx]
	tree   int64
	tenant string

	address postgres.Address
	host    string
	do      jobs.Do

	life    context.Context //nolint:containedctx // ends with Close
	stop    context.CancelFunc
	working sync.WaitGroup
}

var _ jobs.Queue = (*Queue)(nil)

// Open returns the Queue of the tree at a, which has to exist. It takes no job before Work is called.
func Open(ctx context.Context, a postgres.Address, o Options) (*Queue, error) {
	o.Logger = cmp.Or(o.Logger, slog.New(slog.DiscardHandler))
	if o.Lease <= 0 {
		o.Lease = defaultLease
	}
	pool, err := a.Pool(ctx, connections)
	if err != nil {
		return nil, fmt.Errorf("open the jobs of %s: %w", a, err)
	}
	q := &Queue{o: o, pool: pool, tenant: a.Tenant, address: a, host: jobs.Process()}
	q.life, q.stop = context.WithCancel(context.WithoutCancel(ctx))
	err = pool.QueryRow(ctx, `SELECT id FROM memtree.tree WHERE tenant = $1 AND name = $2`, a.Tenant, a.Tree).Scan(&q.tree)
	if err == nil {
		q.client, err = q.newClient()
	}
	if err != nil {
		pool.Close()
		return nil, fmt.Errorf("open the jobs of %s: %w", a, q.translate(err))
	}
	return q, nil
}

// translate returns an error of the database as one of package store; see postgres.Address.
func (q *Queue) translate(err error) error {
	if errors.Is(err, tree.ErrNotFound) {
		return err
	}
	return q.address.Translate(err)
}

// name is the queue of the tree. A trigger on memtree.tree knows it too.
func (q *Queue) name() string { return fmt.Sprint("tree_", q.tree) }

func (q *Queue) newClient() (*river.Client[pgx.Tx], error) {
	workers := river.NewWorkers()
	river.AddWorker(workers, &worker[evolveArgs]{q: q})
	river.AddWorker(workers, &worker[brief]{q: q})
	return river.NewClient(riverpgxv5.New(q.pool), &river.Config{
		Schema:  schema,
		Queues:  map[string]river.QueueConfig{q.name(): {MaxWorkers: len(jobs.Kinds())}},
		Workers: workers, MaxAttempts: attempts,
		JobTimeout: -1, RescueStuckJobsAfter: keptFor, // leases do that
		PollOnly: true, FetchPollInterval: pollEvery, // no LISTEN: a pooler between may not have it
		CompletedJobRetentionPeriod: keptFor, CancelledJobRetentionPeriod: keptFor, DiscardedJobRetentionPeriod: keptFor,
		ReindexerIndexNames: []string{}, // the operator's
		Logger:              slog.New(quiet{q.o.Logger.Handler(), &repeated{seen: map[string]*seldom.Failure{}}}),
	})
}

// quiet passes on River's errors alone, and those that go on seldom: what it does is seen in the list of jobs.
type quiet struct {
	slog.Handler
	*repeated
}

// repeated are the errors that were logged, by their messages, which are constants of River.
type repeated struct {
	mu   sync.Mutex
	seen map[string]*seldom.Failure
}

// Handle passes a record on, unless one with the same message was passed on lately.
func (h quiet) Handle(ctx context.Context, r slog.Record) error { //nolint:gocritic // as slog.Handler has it
	h.mu.Lock()
	f := h.seen[r.Message]
	if f == nil {
		f = &seldom.Failure{}
		h.seen[r.Message] = f
	}
	due := f.Due(r.Time)
	h.mu.Unlock()
	if !due {
		return nil
	}
	return h.Handler.Handle(ctx, r)
}

// Enabled reports true only for errors.
func (h quiet) Enabled(ctx context.Context, l slog.Level) bool {
	return l >= slog.LevelError && h.Handler.Enabled(ctx, l)
}

// WithAttrs implements slog.Handler.
func (h quiet) WithAttrs(a []slog.Attr) slog.Handler {
	return quiet{h.Handler.WithAttrs(a), h.repeated}
}

// WithGroup implements slog.Handler.
func (h quiet) WithGroup(name string) slog.Handler {
	return quiet{h.Handler.WithGroup(name), h.repeated}
}

// Each kind has a type of its own for River. Its fields are those of the order.
type (
	evolveArgs struct{ jobs.Order }
	brief      struct{ jobs.Order }
)

// Kind implements river.JobArgs.
func (evolveArgs) Kind() string { return string(jobs.Evolve) }

// Kind implements river.JobArgs.
func (brief) Kind() string { return string(jobs.Brief) }

// argsOf returns an order for River.
func argsOf(o jobs.Order) (river.JobArgs, error) { //nolint:ireturn // of one of two types
	switch o.Kind {
	case jobs.Evolve:
		return evolveArgs{o}, nil
	case jobs.Brief:
		return brief{o}, nil
	}
	return nil, fmt.Errorf("%q is no kind of job", o.Kind)
}

// Work lets this process run jobs with do. While the database is away, it tries again. See jobs.Queue.
func (q *Queue) Work(do jobs.Do) {
	q.do = do
	q.working.Go(func() {
		for wait := pollEvery; ; wait = min(2*wait, time.Minute) {
			err := q.client.Start(q.life)
			if err == nil {
				q.rescueUntil(q.life)
				return
			}
			q.o.Logger.Warn("this service takes no jobs yet", "error", err)
			if !jobs.Pause(q.life, wait) {
				return
			}
		}
	})
}

// one is the uniqueness of a kind in a tree: one job waits or runs.
var one = river.UniqueOpts{ByQueue: true, ByState: []rivertype.JobState{
	rivertype.JobStateAvailable, rivertype.JobStatePending, rivertype.JobStateRetryable, rivertype.JobStateRunning,
	rivertype.JobStateScheduled,
}}

// Add adds a job. See jobs.Queue.
func (q *Queue) Add(ctx context.Context, o jobs.Order) (jobs.Job, error) {
	args, err := argsOf(o)
	if err != nil {
		return jobs.Job{}, err
	}
	r, err := q.client.Insert(ctx, args, &river.InsertOpts{Queue: q.name(), UniqueOpts: one, MaxAttempts: attempts})
	if err != nil {
		return jobs.Job{}, fmt.Errorf("add a job: %w", q.translate(err))
	}
	if r.UniqueSkippedAsDuplicate {
		return jobs.Job{}, &jobs.BusyError{Kind: o.Kind, ID: idOf(r.Job.ID)}
	}
	return q.Get(ctx, idOf(r.Job.ID))
}

// Served reports whether a service of the tree is running: one wrote to the database within the time servedIn.
func (q *Queue) Served(ctx context.Context) (served bool, err error) {
	err = q.pool.QueryRow(ctx, `SELECT EXISTS (SELECT FROM memtree.replica WHERE tree = $1
		AND seen > clock_timestamp() - $2::interval)`, q.tree, servedIn).Scan(&served)
	if err != nil {
		return false, fmt.Errorf("look for services: %w", q.translate(err))
	}
	return served, nil
}

// idOf returns the id of a job for people, numberOf the number of an id; 0 is that of none.
func idOf(n int64) string { return fmt.Sprint("j", n) }

func numberOf(id string) int64 {
	digits, ok := strings.CutPrefix(id, "j")
	n, err := strconv.ParseInt(digits, 10, 64)
	if !ok || err != nil {
		return 0
	}
	return n
}

// Wait returns after a short time in which a job may have changed, or when ctx ends. See jobs.Queue.
func (q *Queue) Wait(ctx context.Context, _ *jobs.Job) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(q.life, cancel)() //nolint:contextcheck // the end of the queue ends it too
	jobs.Pause(ctx, pollEvery/2)
}

// Close ends the attempts that run in this process; other processes can then take the jobs. See jobs.Queue.
func (q *Queue) Close() {
	q.stop()
	q.working.Wait()
	ctx, cancel := context.WithTimeout(context.Background(), stopWithin)
	defer cancel()
	if err := q.client.StopAndCancel(ctx); err != nil {
		q.o.Logger.Warn("a job did not end; another service takes it over", "error", err)
	}
	q.pool.Close()
}
