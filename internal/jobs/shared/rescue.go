package shared

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/memtree/memtree/internal/jobs"
	"github.com/memtree/memtree/internal/seldom"
)

// killed is the problem of a job whose process is gone.
const killed = `{"type":"urn:memtree:killed","title":"Service Unavailable","status":503,` +
	`"detail":"The service that ran the job ended in the middle, or did not answer for too long."}`

// rescueUntil gives the jobs of processes that are gone to others, until ctx ends.
func (q *Queue) rescueUntil(ctx context.Context) {
	var failing seldom.Failure
	for jobs.Pause(ctx, q.o.Lease/6) {
		given, err := q.rescue(ctx)
		if err == nil {
			failing = seldom.Failure{}
		} else if ctx.Err() == nil && failing.Due(time.Now()) {
			q.o.Logger.Warn("jobs of services that are gone are not looked for", "error", err)
		}
		for _, id := range given {
			q.o.Logger.Warn("the service that ran a job is gone; another one goes on with it", "job", idOf(id))
		}
	}
}

// rescue gives up the turns without a lease. Their jobs can be taken again at once, or have failed if this was the last
// attempt. A job that was just taken has no lease yet, and the time to get one. All by the server's clock.
func (q *Queue) rescue(ctx context.Context) (given []int64, err error) {
	err = pgx.BeginFunc(ctx, q.pool, func(tx pgx.Tx) error {
		rows, err := tx.Query(ctx, `WITH gone AS (
			SELECT r.id, r.attempt < r.max_attempts AS again, coalesce(j.turn, 0) AS turn
			FROM memtree.river_job r LEFT JOIN memtree.job j ON j.id = r.id
			WHERE r.queue = $1 AND r.state = 'running' AND greatest(r.attempted_at + $2, j.until) < clock_timestamp()
			FOR UPDATE OF r SKIP LOCKED
		), given AS (
			UPDATE memtree.river_job r SET scheduled_at = clock_timestamp(),
				state = CASE WHEN again THEN 'available' ELSE 'discarded' END::memtree.river_job_state,
				finalized_at = CASE WHEN again THEN NULL ELSE clock_timestamp() END,
				errors = array_append(r.errors, jsonb_build_object('at', clock_timestamp(), 'attempt', r.attempt,
					'error', 'the service that ran it is gone', 'trace', ''))
			FROM gone WHERE r.id = gone.id
		), marked AS (
			UPDATE memtree.job j SET problem = $3, turn = j.turn + 1 FROM gone WHERE j.id = gone.id
		) SELECT id FROM gone`, q.name(), q.o.Lease, []byte(killed))
		if err != nil {
			return err
		}
		if given, err = pgx.CollectRows(rows, pgx.RowTo[int64]); err != nil {
			return err
		}
		var b pgx.Batch
		for _, id := range given { // of those that go on, the next turn reserves anew
			b.Queue(settleAlone, id, q.tenant, nil)
		}
		return tx.SendBatch(ctx, &b).Close()
	})
	return given, err
}
