package shared

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/memtree/memtree/internal/jobs"
	"github.com/memtree/memtree/tree"
)

// columns are those of a job, for scan.
const columns = `SELECT r.id, r.kind, r.state::text, r.attempt, r.created_at, r.finalized_at, r.scheduled_at, r.args,
	coalesce(j.host, ''), j.started, coalesce(j.progress, '{}'), coalesce(j.calls, 0), coalesce(j.input, 0),
	coalesce(j.output, 0), coalesce(j.cost, 0), %s, j.problem`

const listed = columns + ` FROM memtree.river_job r LEFT JOIN memtree.job j ON j.id = r.id WHERE r.queue = $1 `

// Get returns the job with the id, and its result. See jobs.Queue.
func (q *Queue) Get(ctx context.Context, id string) (jobs.Job, error) {
	all, err := q.read(ctx, fmt.Sprintf(listed, "j.result")+`AND r.id = $2`, q.name(), numberOf(id))
	if err == nil && len(all) == 0 {
		err = tree.ErrNotFound
	}
	if err != nil {
		return jobs.Job{}, fmt.Errorf("job %.64q: %w", id, q.translate(err))
	}
	return all[0], nil
}

// List returns the newest jobs, the newest first, without their results. most is the maximum number. See jobs.Queue.
func (q *Queue) List(ctx context.Context, most int) ([]jobs.Job, error) {
	all, err := q.read(ctx, fmt.Sprintf(listed, "NULL::bytea")+`ORDER BY r.id DESC LIMIT $2`, q.name(), most)
	if err != nil {
		return nil, fmt.Errorf("list jobs: %w", q.translate(err))
	}
	return all, nil
}

func (q *Queue) read(ctx context.Context, sql string, args ...any) ([]jobs.Job, error) {
	rows, err := q.pool.Query(ctx, sql, args...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, scan)
}

// scan reads a row of columns.
func scan(row pgx.CollectableRow) (jobs.Job, error) { return scanWith(row) }

// scanWith reads a row of columns, and of what follows them.
func scanWith(row pgx.Row, more ...any) (j jobs.Job, err error) {
	var id int64
	var kind, state string
	var ended, started *time.Time
	var next time.Time
	var order, progress []byte
	if err := row.Scan(append([]any{&id, &kind, &state, &j.Attempts, &j.Added, &ended, &next, &order, &j.On, &started,
		&progress, &j.Spent.Calls, &j.Spent.Usage.InputTokens, &j.Spent.Usage.OutputTokens, &j.Spent.Cost, &j.Result,
		&j.Problem}, more...)...); err != nil {
		return j, err
	}
	if err := json.Unmarshal(order, &j.Order); err != nil {
		return j, fmt.Errorf("the order of %s: %w", idOf(id), err)
	}
	if err := json.Unmarshal(progress, &j.Progress); err != nil {
		return j, fmt.Errorf("the progress of %s: %w", idOf(id), err)
	}
	j.ID, j.Kind, j.State = idOf(id), jobs.Kind(kind), stateOf(state)
	if started != nil {
		j.Started = *started
	}
	if ended != nil {
		j.Ended = *ended
	}
	if j.State == jobs.Waiting && next.After(j.Added) {
		j.Next = next
	}
	return j, nil
}

// stateOf returns the state of a job for one of River.
func stateOf(river string) jobs.JobState {
	switch river {
	case "running":
		return jobs.Running
	case "completed":
		return jobs.Done
	case "cancelled", "discarded":
		return jobs.Failed
	}
	return jobs.Waiting
}
