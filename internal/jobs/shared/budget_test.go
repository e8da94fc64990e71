//go:build unix

package shared

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/riverqueue/river/rivertype"
	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/internal/jobs"
	"github.com/memtree/memtree/llm"
	"github.com/memtree/memtree/store/postgres/pgtest"
)

// budget returns what is spent and reserved of the budget of today.
func (q *Queue) budget(t *testing.T) (calls, held int) {
	t.Helper()
	require.NoError(t, q.pool.QueryRow(t.Context(), `SELECT sum(calls), sum(held_calls) FROM memtree.budget
		WHERE tenant = $1`, q.tenant).Scan(&calls, &held))
	return calls, held
}

// TestBudget: a job reserves what it may spend in the day before it begins, no call goes beyond it, what it has not
// spent is given back at its end, and a job for which nothing is left waits for the next day.
func TestBudget(t *testing.T) {
	pgtest.InOneDay(t)
	q := opened(t, place(t), Options{Day: Budget{Calls: new(3)}})
	m := &model{}
	paid := jobs.Paid(m)
	held := make(chan int, 9)
	q.Work(func(ctx context.Context, j *jobs.Job, _ func(jobs.Progress)) (jobs.AttemptResult, jobs.JobSpent) {
		_, h := q.budget(t)
		held <- h
		for i := range 9 {
			if _, err := paid.Generate(ctx, llm.Request{Prompt: j.ID + fmt.Sprint(i)}); llm.KindOf(err) == llm.KindBound {
				break
			}
		}
		return done(`{}`), jobs.JobSpent{}
	})
	add := func(most *int) jobs.Job {
		o := ofEvolve()
		o.MaxCalls = most
		j, err := q.Add(t.Context(), o)
		require.NoError(t, err)
		return j
	}
	j := until(t, q, add(new(2)).ID, over)
	require.Equal(t, 2, <-held)
	require.Equal(t, 2, j.Spent.Calls)
	calls, h := q.budget(t)
	require.Equal(t, []int{2, 0}, []int{calls, h})
	j = until(t, q, add(nil).ID, over)
	require.Equal(t, 1, <-held, "the rest of the day")
	require.Equal(t, 1, j.Spent.Calls)
	j = until(t, q, add(nil).ID, func(j *jobs.Job) bool { return !j.Next.IsZero() })
	require.Equal(t, jobs.Waiting, j.State)
	require.Contains(t, string(j.Problem), "tomorrow")
	require.True(t, WaitsForTomorrow(&j, j.Next.Add(-time.Second)))
	require.False(t, WaitsForTomorrow(&j, j.Next), "its day has begun")
	require.EqualValues(t, 3, m.calls.Load())
	calls, h = q.budget(t)
	require.Equal(t, []int{3, 0}, []int{calls, h})
}

// TestSettles: what a job has spent is in the budget of the day once, whatever settles it at the same time as its calls
// end, and an attempt after one that nobody settled does that first.
func TestSettles(t *testing.T) {
	q := opened(t, place(t), Options{Day: Budget{Calls: new(1000)}})
	j, err := q.Add(t.Context(), ofEvolve())
	require.NoError(t, err)
	args := []byte(`{"kind":"evolve","maxCalls":900}`)
	of := &rivertype.JobRow{ID: numberOf(j.ID), EncodedArgs: args, AttemptedBy: []string{"one"}}
	one, _, err := q.take(t.Context(), of)
	require.NoError(t, err)
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for n := range 20 {
				c := jobs.ModelCall{Key: jobs.Key{byte(i), byte(n)}}
				err := one.Begin(t.Context(), c)
				if err = errors.Join(err, one.End(t.Context(), c, jobs.Ended{Unsent: n%4 == 3})); err != nil {
					t.Error(err)
				}
			}
		})
		all.Go(func() {
			for range 20 {
				if _, err := q.pool.Exec(t.Context(), settleAlone, one.id, q.tenant, one.n); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	_, err = q.pool.Exec(t.Context(), settleAlone, one.id, q.tenant, one.n+1)
	require.NoError(t, err)
	require.NoError(t, one.Begin(t.Context(), jobs.ModelCall{}))
	of.AttemptedBy = append(of.AttemptedBy, "other")
	other, j, err := q.take(t.Context(), of)
	require.NoError(t, err)
	require.Equal(t, 8*15+1, j.Spent.Calls)
	calls, held := q.budget(t)
	require.Equal(t, []int{8*15 + 1, 900 - 8*15 - 1}, []int{calls, held}, "the rest of its own bound")
	require.ErrorIs(t, one.end(t.Context(), &jobs.AttemptResult{}, true), errLost)
	require.NoError(t, other.end(t.Context(), &jobs.AttemptResult{Result: []byte(`{}`)}, true))
	calls, held = q.budget(t)
	require.Equal(t, []int{8*15 + 1, 0}, []int{calls, held})
}
