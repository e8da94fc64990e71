package shared

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"

	"github.com/memtree/memtree/internal/jobs"
	"github.com/memtree/memtree/tree"
)

// worker makes the attempts at the jobs of a kind.
type worker[T river.JobArgs] struct {
	river.WorkerDefaults[T]
	q *Queue
}

// errLost is why an attempt ends: another process may have the job.
var errLost = errors.New("another service has taken the job over")

// turn is an attempt of this process at a job, with its lease.
type turn struct {
	q        *Queue
	id       int64
	n        int64
	progress atomic.Pointer[jobs.Progress] // nil: what is stored is the present one
}

// Work implements river.Worker.
func (w *worker[T]) Work(ctx context.Context, r *river.Job[T]) error {
	if only := w.q.o.Only; only != "" && r.Kind != string(only) {
		return river.JobSnooze(leftFor)
	}
	t, j, err := w.q.take(ctx, r.JobRow)
	if late, ok := errors.AsType[*spentError](err); ok {
		return river.JobSnooze(late.until)
	}
	if err != nil {
		return fmt.Errorf("take job %d: %w", r.ID, err)
	}
	within, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	kept := make(chan struct{})
	go func() {
		defer close(kept)
		t.keep(within, cancel)
	}()
	out, _ := w.q.do(jobs.WithLedger(within, t), &j, func(p jobs.Progress) { t.progress.Store(&p) })
	lost := errors.Is(context.Cause(within), errLost)
	cancel(nil)
	<-kept
	if lost {
		return t.yield(ctx)
	}
	if out.Problem != nil && ctx.Err() != nil { // this process stops, and the job goes on in another one
		err := t.end(context.WithoutCancel(ctx), &jobs.AttemptResult{}, false)
		return errors.Join(err, river.JobSnooze(0))
	}
	final := out.Problem == nil || !out.Again || r.Attempt >= r.MaxAttempts
	err = t.end(context.WithoutCancel(ctx), &out, final)
	switch {
	case errors.Is(err, errLost):
		return t.yield(ctx)
	case err != nil || out.Problem == nil:
		return err
	case !out.Again:
		return river.JobCancel(sentence(out.Problem))
	}
	return sentence(out.Problem)
}

// sentence returns the error of a problem.
func sentence(problem json.RawMessage) error {
	var p struct{ Detail string }
	_ = json.Unmarshal(problem, &p) // else the list of jobs has the problem itself
	return errors.New(p.Detail)
}

// take begins a turn, reserves what it may spend, and returns the job as it is then. It is one round trip and one
// transaction. The error is a *spentError if nothing is left for today.
func (q *Queue) take(ctx context.Context, r *rivertype.JobRow) (*turn, jobs.Job, error) {
	var o jobs.Order
	if err := json.Unmarshal(r.EncodedArgs, &o); err != nil {
		return nil, jobs.Job{}, err
	}
	t := &turn{q: q, id: r.ID}
	var late *time.Duration
	var j jobs.Job
	var b pgx.Batch             // outside of a transaction, it is one
	if len(r.AttemptedBy) > 1 { // what a killed process had reserved
		b.Queue(settleAlone, r.ID, q.tenant, nil)
	}
	b.Queue(`WITH today AS (SELECT (clock_timestamp() AT TIME ZONE 'UTC')::date AS day), made AS (
			INSERT INTO memtree.budget (tenant, day) SELECT $5, day FROM today ON CONFLICT DO NOTHING
		), j AS (
			INSERT INTO memtree.job AS j (id, tree, turn, host, until, day)
			SELECT $1, $2, 1, $3, clock_timestamp() + $4::interval, day FROM today
			ON CONFLICT (id) DO UPDATE SET turn = j.turn + 1, host = excluded.host, until = excluded.until,
				progress = '{}', most_calls = NULL, most_cost = NULL, day = excluded.day
			RETURNING *
		) `+fmt.Sprintf(columns, "j.result")+`, j.turn FROM memtree.river_job r, j WHERE r.id = $1`,
		r.ID, q.tree, q.host, q.o.Lease, q.tenant).QueryRow(func(row pgx.Row) (err error) {
		j, err = scanWith(row, &t.n)
		return err
	})
	q.reserve(&b, r.ID, &o, &late)
	err := q.pool.SendBatch(ctx, &b).Close()
	if err == nil && late != nil {
		err = &spentError{*late + time.Second}
	}
	return t, j, err
}

// keep renews the lease and stores the progress until ctx ends. If the lease is lost, or could not be renewed for as
// long as it lasts, it ends the attempt.
func (t *turn) keep(ctx context.Context, cancel context.CancelCauseFunc) {
	renewed := time.Now()
	for every := min(t.q.o.Lease/6, pollEvery); jobs.Pause(ctx, every); {
		p := t.progress.Swap(nil)
		if p == nil && time.Since(renewed) < t.q.o.Lease/6 {
			continue
		}
		asked := time.Now()
		err := t.renew(ctx, p)
		switch {
		case err == nil:
			renewed = asked
		case ctx.Err() != nil:
			return
		case errors.Is(err, errLost), time.Since(renewed) > t.q.o.Lease:
			t.q.o.Logger.Warn("a job ends here, for another service", "job", idOf(t.id), "error", err)
			cancel(errLost)
			return
		default:
			t.progress.CompareAndSwap(nil, p)
		}
	}
}

// renew renews the lease, and stores the progress unless it is nil.
func (t *turn) renew(ctx context.Context, p *jobs.Progress) error {
	ctx, cancel := context.WithTimeout(ctx, t.q.o.Lease/3)
	defer cancel()
	var progress []byte
	if p != nil {
		progress, _ = json.Marshal(p) // it has only numbers
	}
	tag, err := t.q.pool.Exec(ctx, `UPDATE memtree.job SET until = clock_timestamp() + $3,
		progress = coalesce($4, progress) WHERE id = $1 AND turn = $2`, t.id, t.n, t.q.o.Lease, progress)
	if err == nil && tag.RowsAffected() == 0 {
		err = errLost
	}
	return err
}

// end ends the turn: it settles what was reserved, and stores what came of it. If the job is final, it drops the
// replies, and completes the job unless it has failed. It is one statement. A nil problem of a job
// that is not final leaves the former one. The error is errLost if another process has the job, and then nothing is
// changed. While the database is away it tries again, for as long as the lease may last.
func (t *turn) end(ctx context.Context, out *jobs.AttemptResult, final bool) error {
	var progress []byte
	if p := t.progress.Load(); p != nil {
		progress, _ = json.Marshal(p) // it has only numbers
	}
	return t.q.patiently(ctx, func() error {
		var mine bool
		err := t.q.pool.QueryRow(ctx, settle+`, mine AS (
				UPDATE memtree.job j SET until = clock_timestamp() + $8::interval, progress = coalesce($4, j.progress),
					result = coalesce($5, j.result), problem = CASE WHEN $6 THEN $7 ELSE coalesce($7, j.problem) END, `+settled+`
				WHERE id = $1 AND EXISTS (SELECT FROM had) RETURNING id
			), dropped AS (
				DELETE FROM memtree.reply WHERE job = $1 AND $6 AND EXISTS (SELECT FROM mine)
			), completed AS ( -- by the clock of the server; River has that of this process
				UPDATE memtree.river_job SET state = 'completed', finalized_at = clock_timestamp()
				WHERE id = $1 AND state = 'running' AND $6 AND $7::bytea IS NULL AND EXISTS (SELECT FROM mine)
			) SELECT EXISTS (SELECT FROM mine)`, t.id, t.q.tenant, t.n, progress, []byte(out.Result), final,
			[]byte(out.Problem), t.q.o.Lease). // until River has noted the end
			Scan(&mine)
		if err == nil && !mine {
			err = errLost
		}
		return err
	})
}

// patiently calls once until it succeeds, finds that the job is lost, or has failed for as long as a lease.
func (q *Queue) patiently(ctx context.Context, once func() error) error {
	begun := time.Now()
	for {
		err := once()
		if err == nil || errors.Is(err, errLost) || time.Since(begun) > q.o.Lease || !jobs.Pause(ctx, pollEvery/2) {
			return err
		}
	}
}

// yield waits until the process that has taken the job over has ended it, or the job is gone with its tree. River would
// set the state of a job that runs by what this attempt returns, whoever runs it.
func (t *turn) yield(ctx context.Context) error {
	for jobs.Pause(ctx, pollEvery) {
		j, err := t.q.Get(ctx, idOf(t.id))
		if err == nil && j.State != jobs.Running || errors.Is(err, tree.ErrNotFound) {
			break
		}
	}
	return errLost
}
