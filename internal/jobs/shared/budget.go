package shared

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/memtree/memtree/internal/jobs"
)

// Budget is what all jobs of a tenant may spend on models in a day (UTC), over all services.
type Budget struct {
	Calls *int     // nil: no bound
	Cost  *float64 // nil: no bound
}

// spentError means that nothing is left of the budget of the day.
type spentError struct{ until time.Duration }

func (e *spentError) Error() string {
	return fmt.Sprintf("the budget of the day is spent; %s are left of it", e.until)
}

// daySpent is the problem of a job that waits for the next day.
const daySpent = `{"type":"urn:memtree:budget","title":"Service Unavailable","status":503,` +
	`"detail":"What the jobs of a day may spend on models is spent or reserved; the job goes on tomorrow (UTC)."}`

// settle moves what a job has spent into the budget that it reserved from, and gives back what it did not spend. The
// caller has locked the row of the job, so no two settle the same.
func settle(ctx context.Context, tx pgx.Tx, id int64, tenant string) error {
	var q pgx.Batch
	q.Queue(`UPDATE memtree.budget b SET calls = b.calls + j.calls - j.paid_calls, cost = b.cost + j.cost - j.paid_cost,
		held_calls = b.held_calls - j.held_calls, held_cost = b.held_cost - j.held_cost
		FROM memtree.job j WHERE j.id = $1 AND b.tenant = $2 AND b.day = j.day
			AND (j.calls, j.cost, j.held_calls, j.held_cost) <> (j.paid_calls, j.paid_cost, 0, 0)`, id, tenant)
	q.Queue(`UPDATE memtree.job SET day = NULL, held_calls = 0, held_cost = 0, paid_calls = calls, paid_cost = cost
		WHERE id = $1`, id)
	return tx.SendBatch(ctx, &q).Close()
}

// reserve reserves what a job may spend from the budget of the day: its own bound, or all that is left of the day. The
// result is not nil if something is bounded and nothing is left. Where nothing is bounded it locks nothing, so that the
// jobs of a tenant do not wait for each other.
func (q *TreeQueue) reserve(ctx context.Context, tx pgx.Tx, id int64, o *jobs.Order) (*spentError, error) {
	if o.MaxCalls == nil && o.MaxCost == nil && q.o.Day == (Budget{}) {
		_, err := tx.Exec(ctx, `WITH today AS (SELECT (clock_timestamp() AT TIME ZONE 'UTC')::date AS day), made AS (
				INSERT INTO memtree.budget (tenant, day) SELECT $1, day FROM today ON CONFLICT DO NOTHING
			) UPDATE memtree.job SET day = today.day, most_calls = NULL, most_cost = NULL FROM today WHERE id = $2`,
			q.tenant, id)
		return nil, err
	}
	var calls, usedCalls int
	var cost, usedCost float64
	var day time.Time
	var left time.Duration
	// The update locks the row, so that no two jobs reserve the same.
	err := tx.QueryRow(ctx, `INSERT INTO memtree.budget AS b (tenant, day)
		VALUES ($1, (clock_timestamp() AT TIME ZONE 'UTC')::date) ON CONFLICT (tenant, day) DO UPDATE SET calls = b.calls
		RETURNING day, calls + held_calls, cost + held_cost,
			(day + 1)::timestamp - (clock_timestamp() AT TIME ZONE 'UTC'),
			(SELECT calls FROM memtree.job WHERE id = $2), (SELECT cost FROM memtree.job WHERE id = $2)`, q.tenant, id).
		Scan(&day, &usedCalls, &usedCost, &left, &calls, &cost)
	if err != nil {
		return nil, err
	}
	mayCalls := least(rest(o.MaxCalls, calls), rest(q.o.Day.Calls, usedCalls))
	mayCost := least(rest(o.MaxCost, cost), rest(q.o.Day.Cost, usedCost))
	if spent(q.o.Day.Calls, usedCalls) || spent(q.o.Day.Cost, usedCost) {
		_, err := tx.Exec(ctx, `UPDATE memtree.job SET problem = $2, until = clock_timestamp() WHERE id = $1`, id,
			[]byte(daySpent))
		return &spentError{left + time.Second}, err
	}
	var b pgx.Batch
	b.Queue(`UPDATE memtree.budget SET held_calls = held_calls + $3, held_cost = held_cost + $4
		WHERE tenant = $1 AND day = $2`, q.tenant, day, or(mayCalls), or(mayCost))
	b.Queue(`UPDATE memtree.job SET day = $2, held_calls = $3, held_cost = $4, most_calls = calls + $5,
		most_cost = cost + $6 WHERE id = $1`, id, day, or(mayCalls), or(mayCost), mayCalls, mayCost)
	return nil, tx.SendBatch(ctx, &b).Close()
}

// number is a count of calls, or a cost.
type number interface{ int | float64 }

// rest returns what is left of a bound, nil without one.
func rest[N number](bound *N, used N) *N {
	if bound == nil {
		return nil
	}
	return new(max(0, *bound-used))
}

// spent reports whether nothing is left of a bound.
func spent[N number](bound *N, used N) bool { return bound != nil && used >= *bound }

// least returns the lower of two bounds, nil if there is none.
func least[N number](a, b *N) *N {
	if a == nil || b != nil && *b < *a {
		return b
	}
	return a
}

// or returns a bound, 0 without one: then nothing is reserved.
func or[N number](bound *N) N {
	if bound == nil {
		return 0
	}
	return *bound
}
