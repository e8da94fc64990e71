package shared

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/memtree/memtree/internal/jobs"
)

// Budget limits what all jobs of a tenant may use of models in a day (UTC), over all services.
type Budget struct {
	Calls *int     // most calls; nil: no bound
	Cost  *float64 // most cost; nil: no bound
}

// spentError means that nothing is left of the budget of the day.
type spentError struct{ until time.Duration }

func (e *spentError) Error() string {
	return fmt.Sprintf("the budget of the day is spent; %s are left of it", e.until)
}

// daySpent is the problem of a job that waits for the next day.
const daySpent = `{"type":"` + daySpentType + `","title":"Service Unavailable","status":503,` +
	`"detail":"What the jobs of a day may spend on models is spent or reserved; the job goes on tomorrow (UTC)."}`

const daySpentType = "urn:memtree:budget"

// WaitsForTomorrow reports whether the job j waits at the time now because the tenant's Budget of the day is used up.
func WaitsForTomorrow(j *jobs.Job, now time.Time) bool {
	var p struct{ Type string }
	_ = json.Unmarshal(j.Problem, &p) // else it is no problem of a budget
	return j.State == jobs.Waiting && j.Next.After(now) && p.Type == daySpentType
}

// settle begins a statement that moves what a job ($1) has spent into the budget of the tenant ($2) that it reserved
// from, and gives back what it did not spend. It locks the row of the job, had, so no two settle the same. The rest of
// the statement updates that row with settled, by its id: a join would be planned as one with all jobs while there are
// few. With a turn ($3) nothing is had if that is over.
const settle = `WITH had AS (
		SELECT * FROM memtree.job WHERE id = $1 AND turn = coalesce($3, turn) FOR UPDATE
	), paid AS (
		UPDATE memtree.budget b SET calls = b.calls + j.calls - j.paid_calls, cost = b.cost + j.cost - j.paid_cost,
			held_calls = b.held_calls - j.held_calls, held_cost = b.held_cost - j.held_cost
		FROM had j WHERE b.tenant = $2 AND b.day = j.day
			AND (j.calls, j.cost, j.held_calls, j.held_cost) <> (j.paid_calls, j.paid_cost, 0, 0)
	) `

// settled is what the update of a job j sets after settle, and settleAlone does nothing else.
const (
	settled     = `held_calls = 0, held_cost = 0, paid_calls = j.calls, paid_cost = j.cost`
	settleAlone = settle + `UPDATE memtree.job j SET ` + settled + ` WHERE id = $1 AND EXISTS (SELECT FROM had)`
)

// reserve reserves what a job may spend from the budget of its day: its own bound, or all that is left of the day. It
// sets late to how long the day lasts if something is bounded and nothing is left. Where nothing is bounded it does
// nothing, so that the jobs of a tenant do not wait for each other.
func (q *Queue) reserve(b *pgx.Batch, id int64, o *jobs.Order, late **time.Duration) {
	if o.MaxCalls == nil && o.MaxCost == nil && q.o.Day == (Budget{}) {
		return
	}
	// The lock of the row lets no two jobs reserve the same. least ignores NULL, which is no bound.
	b.Queue(`UPDATE memtree.job j SET held_calls = coalesce(may.calls, 0), held_cost = coalesce(may.cost, 0),
			most_calls = j.calls + may.calls, most_cost = j.cost + may.cost,
			problem = CASE WHEN spent THEN $7 ELSE problem END, until = CASE WHEN spent THEN clock_timestamp() ELSE until END
		FROM (
			SELECT spent, CASE WHEN spent OR calls < 0 THEN 0 ELSE calls END AS calls,
				CASE WHEN spent OR cost < 0 THEN 0 ELSE cost END AS cost
			FROM (
				SELECT coalesce(b.calls + b.held_calls >= $5::bigint, false)
						OR coalesce(b.cost + b.held_cost >= $6::float8, false) AS spent,
					least($3::bigint - j.calls, $5 - b.calls - b.held_calls) AS calls,
					least($4::float8 - j.cost, $6 - b.cost - b.held_cost) AS cost
				FROM memtree.job j JOIN memtree.budget b ON b.day = j.day WHERE j.id = $1 AND b.tenant = $2 FOR UPDATE OF b
			) rest
		) may
		WHERE j.id = $1
		RETURNING CASE WHEN spent THEN (j.day + 1)::timestamp - (clock_timestamp() AT TIME ZONE 'UTC') END`,
		id, q.tenant, o.MaxCalls, o.MaxCost, q.o.Day.Calls, q.o.Day.Cost, []byte(daySpent)).
		QueryRow(func(row pgx.Row) error { return row.Scan(late) })
	b.Queue(`UPDATE memtree.budget b SET held_calls = b.held_calls + j.held_calls, held_cost = b.held_cost + j.held_cost
		FROM memtree.job j WHERE j.id = $1 AND b.tenant = $2 AND b.day = j.day`, id, q.tenant)
}
