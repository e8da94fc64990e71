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
	"github.com/riverqueue/river/riverdriver/riverpgxv5"

	"github.com/memtree/memtree/internal/jobs"
)

// worker makes the attempts at the jobs of a kind.
type worker[T river.JobArgs] struct {
	river.WorkerDefaults[T]
	q *TreeQueue
}

// errLost is why an attempt ends: another process may have the job.
var errLost = errors.New("another service has taken the job over")

// turn is an attempt of this process at a job, with its lease.
type turn struct {
	q        *TreeQueue
	id       int64
	n        int64
	progress atomic.Pointer[jobs.Progress] // nil: what is stored is the present one
}

// Work implements river.Worker.
func (w *worker[T]) Work(ctx context.Context, r *river.Job[T]) error {
	if only := w.q.o.Only; only != "" && r.Kind != string(only) {
		return river.JobSnooze(leftFor)
	}
	t, err := w.q.take(ctx, r.ID)
	if late, ok := errors.AsType[*spentError](err); ok {
		return river.JobSnooze(late.until)
	}
	if err != nil {
		return fmt.Errorf("take job %d: %w", r.ID, err)
	}
	j, err := w.q.Get(ctx, idOf(r.ID))
	if err != nil {
		return err
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
		err := t.end(context.WithoutCancel(ctx), &jobs.AttemptResult{}, false, nil)
		return errors.Join(err, river.JobSnooze(0))
	}
	final := out.Problem == nil || !out.Again || r.Attempt >= r.MaxAttempts
	// The job is completed together with its result.
	err = t.end(context.WithoutCancel(ctx), &out, final, func(tx pgx.Tx) error {
		if out.Problem != nil {
			return nil
		}
		_, err := river.JobCompleteTx[*riverpgxv5.Driver](context.WithoutCancel(ctx), tx, r)
		if err == nil { // River has the time of this process
			_, err = tx.Exec(context.WithoutCancel(ctx), `UPDATE memtree.river_job SET finalized_at = clock_timestamp()
				WHERE id = $1`, r.ID)
		}
		return err
	})
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

// take begins a turn, and reserves what it may spend. The error is a *spentError if nothing is left for today.
func (q *TreeQueue) take(ctx context.Context, id int64) (*turn, error) {
	t := &turn{q: q, id: id}
	var late *spentError
	err := pgx.BeginFunc(ctx, q.pool, func(tx pgx.Tx) error {
		var order []byte
		err := tx.QueryRow(ctx, `INSERT INTO memtree.job AS j (id, tree, turn, host, until)
			VALUES ($1, $2, 1, $3, clock_timestamp() + $4)
			ON CONFLICT (id) DO UPDATE SET turn = j.turn + 1, host = excluded.host, until = excluded.until, progress = '{}'
			RETURNING turn, (SELECT args FROM memtree.river_job WHERE id = $1)`, id, q.tree, q.host, q.o.Lease).
			Scan(&t.n, &order)
		if err != nil {
			return err
		}
		var o jobs.Order
		if err := json.Unmarshal(order, &o); err != nil {
			return err
		}
		if err := settle(ctx, tx, id, q.tenant); err != nil { // what a killed process had reserved
			return err
		}
		late, err = q.reserve(ctx, tx, id, &o)
		return err
	})
	if err == nil && late != nil {
		return nil, late
	}
	return t, err
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
// replies. A nil problem of a job that is not final leaves the former one. The error is errLost if another process has
// the job. While the database is away it tries again, for as long as the lease may last.
func (t *turn) end(ctx context.Context, out *jobs.AttemptResult, final bool, also func(pgx.Tx) error) error {
	var progress []byte
	if p := t.progress.Load(); p != nil {
		progress, _ = json.Marshal(p) // it has only numbers
	}
	once := func() error {
		return pgx.BeginFunc(ctx, t.q.pool, func(tx pgx.Tx) error {
			tag, err := tx.Exec(ctx, `UPDATE memtree.job SET until = clock_timestamp() + $7,
				progress = coalesce($3, progress), result = coalesce($4, result),
				problem = CASE WHEN $5 THEN $6 ELSE coalesce($6, problem) END
				WHERE id = $1 AND turn = $2`, t.id, t.n, progress, []byte(out.Result), final, []byte(out.Problem),
				t.q.o.Lease) // until River has noted the end
			if err == nil && tag.RowsAffected() == 0 {
				return errLost
			}
			if err == nil && final {
				_, err = tx.Exec(ctx, `DELETE FROM memtree.reply WHERE job = $1`, t.id)
			}
			if err == nil {
				err = settle(ctx, tx, t.id, t.q.tenant)
			}
			if err == nil && also != nil {
				err = also(tx)
			}
			return err
		})
	}
	return t.q.patiently(ctx, once)
}

// patiently calls once until it succeeds, finds that the job is lost, or has failed for as long as a lease.
func (q *TreeQueue) patiently(ctx context.Context, once func() error) error {
	begun := time.Now()
	for {
		err := once()
		if err == nil || errors.Is(err, errLost) || time.Since(begun) > q.o.Lease || !jobs.Pause(ctx, pollEvery/2) {
			return err
		}
	}
}

// yield waits until the process that has taken the job over has ended it. River would set the state of a job that runs
// by what this attempt returns, whoever runs it.
func (t *turn) yield(ctx context.Context) error {
	for jobs.Pause(ctx, pollEvery) {
		j, err := t.q.Get(ctx, idOf(t.id))
		if err == nil && j.State != jobs.Running {
			return errLost
		}
	}
	return errLost
}
