//go:build unix

package shared

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"sync/atomic"
	"testing"
	"time"

	"github.com/riverqueue/river/rivertype"
	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/internal/jobs"
	"github.com/memtree/memtree/llm"
	"github.com/memtree/memtree/llm/meter"
	"github.com/memtree/memtree/store/postgres"
	"github.com/memtree/memtree/store/postgres/pgtest"
	"github.com/memtree/memtree/tree"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }

var names atomic.Int64

// place makes a tree of a tenant of its own.
func place(t *testing.T) postgres.Address {
	t.Helper()
	n := names.Add(1)
	a, err := postgres.Parse(pgtest.Shared(t).URL("postgres") + fmt.Sprintf("&tree=t%d&tenant=n%d", n, n))
	require.NoError(t, err)
	s, err := postgres.Open(t.Context(), a, postgres.Options{})
	require.NoError(t, err)
	require.NoError(t, s.Close())
	return a
}

// opened opens the queue of a tree, and closes it with the test. Its leases are short.
func opened(t *testing.T, a postgres.Address, o Options) *Queue {
	t.Helper()
	o.Lease = 3 * time.Second
	q, err := Open(t.Context(), a, o)
	require.NoError(t, err)
	t.Cleanup(q.Close)
	return q
}

// until waits for a job to be as is wants it.
func until(t *testing.T, q jobs.Queue, id string, is func(*jobs.Job) bool) (j jobs.Job) {
	t.Helper()
	require.Eventually(t, func() bool {
		var err error
		j, err = q.Get(t.Context(), id)
		require.NoError(t, err)
		return is(&j)
	}, 40*time.Second, 20*time.Millisecond)
	return j
}

func over(j *jobs.Job) bool { return j.Over() }

func done(result string) jobs.AttemptResult {
	return jobs.AttemptResult{Result: json.RawMessage(result)}
}

func problem(detail string, again bool) jobs.AttemptResult {
	return jobs.AttemptResult{Problem: json.RawMessage(fmt.Sprintf(`{"detail":%q}`, detail)), Again: again}
}

// ofEvolve is an order.
func ofEvolve() jobs.Order {
	return jobs.Order{Kind: jobs.Evolve, By: "ann", What: json.RawMessage(`{"only":"x"}`)}
}

// TestQueue: one of two services does a job, both list it, and there is one of a kind at a time.
func TestQueue(t *testing.T) {
	a := place(t)
	one, other := opened(t, a, Options{}), opened(t, a, Options{})
	_, err := one.Get(t.Context(), "j999999")
	require.ErrorIs(t, err, tree.ErrNotFound)
	_, err = one.Get(t.Context(), "nonsense")
	require.ErrorIs(t, err, tree.ErrNotFound)
	j, err := one.Add(t.Context(), ofEvolve())
	require.NoError(t, err)
	require.Equal(t, jobs.Waiting, j.State)
	require.JSONEq(t, `{"only":"x"}`, string(j.What))
	_, err = other.Add(t.Context(), ofEvolve())
	busy, ok := errors.AsType[*jobs.BusyError](err)
	require.True(t, ok, "%v", err)
	require.Equal(t, j.ID, busy.ID)
	_, err = other.Add(t.Context(), jobs.Order{Kind: jobs.Brief, By: "ann"})
	require.NoError(t, err, "another kind")
	_, err = other.Add(t.Context(), jobs.Order{Kind: "none"})
	require.Error(t, err)

	release := make(chan struct{})
	do := func(_ context.Context, j *jobs.Job, tell func(jobs.Progress)) (jobs.AttemptResult, jobs.JobSpent) {
		tell(jobs.Progress{Done: 3, Of: 4})
		<-release
		return done(fmt.Sprintf(`{"of":%q}`, j.ID)), jobs.JobSpent{}
	}
	one.Work(do)
	other.Work(do)
	until(t, other, j.ID, func(j *jobs.Job) bool { return j.State == jobs.Running && j.Progress.Done == 3 })
	_, err = other.Add(t.Context(), ofEvolve())
	require.Error(t, err, "it runs")
	close(release)
	j = until(t, other, j.ID, over)
	require.Equal(t, jobs.Done, j.State)
	require.JSONEq(t, fmt.Sprintf(`{"of":%q}`, j.ID), string(j.Result))
	require.Equal(t, 1, j.Attempts)
	require.Equal(t, jobs.Process(), j.On)
	require.False(t, j.Ended.Before(j.Started))
	list, err := one.List(t.Context(), 9)
	require.NoError(t, err)
	require.Len(t, list, 2)
	require.Equal(t, jobs.Brief, list[0].Kind)
	require.Nil(t, list[1].Result)
	_, err = one.Add(t.Context(), ofEvolve())
	require.NoError(t, err, "the last one has ended")
}

// TestOnly: a process that takes one kind leaves the others, and they have lost nothing by it. Served knows services.
func TestOnly(t *testing.T) {
	a := place(t)
	picky, other := opened(t, a, Options{Only: jobs.Evolve}), opened(t, a, Options{})
	served, err := picky.Served(t.Context())
	require.NoError(t, err)
	require.False(t, served)
	_, err = other.pool.Exec(t.Context(), `INSERT INTO memtree.replica VALUES ('p', $1, 'h', 0, clock_timestamp())`,
		other.tree)
	require.NoError(t, err)
	served, err = picky.Served(t.Context())
	require.NoError(t, err)
	require.True(t, served)

	b, err := other.Add(t.Context(), jobs.Order{Kind: jobs.Brief, By: "ann"})
	require.NoError(t, err)
	e, err := other.Add(t.Context(), ofEvolve())
	require.NoError(t, err)
	kinds := make(chan jobs.Kind, 2)
	do := func(_ context.Context, j *jobs.Job, _ func(jobs.Progress)) (jobs.AttemptResult, jobs.JobSpent) {
		kinds <- j.Kind
		return done(`{}`), jobs.JobSpent{}
	}
	picky.Work(do)
	require.Equal(t, jobs.Done, until(t, other, e.ID, over).State)
	require.Equal(t, jobs.Evolve, <-kinds)
	left := until(t, other, b.ID, func(j *jobs.Job) bool { return !j.Next.IsZero() })
	require.Equal(t, []any{jobs.Waiting, 0}, []any{left.State, left.Attempts})
	picky.Close()
	other.Work(do)
	b = until(t, other, b.ID, over)
	require.Equal(t, []any{jobs.Done, 1}, []any{b.State, b.Attempts})
}

// TestTrees: a queue has the jobs of its tree alone, and they go with the tree.
func TestTrees(t *testing.T) {
	a, b := place(t), place(t)
	one, other := opened(t, a, Options{}), opened(t, b, Options{})
	j, err := one.Add(t.Context(), ofEvolve())
	require.NoError(t, err)
	_, err = other.Add(t.Context(), ofEvolve())
	require.NoError(t, err)
	_, err = other.Get(t.Context(), j.ID)
	require.ErrorIs(t, err, tree.ErrNotFound)
	pgtest.Shared(t).Exec(t, "postgres", "DELETE FROM memtree.tree WHERE name = '"+a.Tree+"'")
	_, err = one.Get(t.Context(), j.ID)
	require.ErrorIs(t, err, tree.ErrNotFound)
	list, err := other.List(t.Context(), 9)
	require.NoError(t, err)
	require.Len(t, list, 1)
}

// TestTriesAgain: an attempt that another may mend is made again, later; one about the order itself is not.
func TestTriesAgain(t *testing.T) {
	q := opened(t, place(t), Options{})
	var tries atomic.Int64
	q.Work(func(_ context.Context, j *jobs.Job, _ func(jobs.Progress)) (jobs.AttemptResult, jobs.JobSpent) {
		switch {
		case j.Kind == jobs.Brief:
			return problem("there is no model", false), jobs.JobSpent{}
		case tries.Add(1) == 1:
			return problem("the tree changed", true), jobs.JobSpent{}
		}
		return done(`{}`), jobs.JobSpent{}
	})
	j, err := q.Add(t.Context(), ofEvolve())
	require.NoError(t, err)
	late := until(t, q, j.ID, func(j *jobs.Job) bool { return j.State == jobs.Waiting && j.Attempts == 1 })
	require.Contains(t, string(late.Problem), "the tree changed")
	require.True(t, late.Next.After(late.Added))
	j = until(t, q, j.ID, over)
	require.Equal(t, jobs.Done, j.State)
	require.Equal(t, 2, j.Attempts)
	require.Nil(t, j.Problem)
	j, err = q.Add(t.Context(), jobs.Order{Kind: jobs.Brief})
	require.NoError(t, err)
	j = until(t, q, j.ID, over)
	require.Equal(t, jobs.Failed, j.State)
	require.Contains(t, string(j.Problem), "there is no model")
	require.Equal(t, 1, j.Attempts)
}

// killedIn ends the leases of a queue as kill -9 of its process does: nothing of it is written any more.
func killedIn(q *Queue) {
	q.pool.Close()
	q.stop()
}

// model counts its calls.
type model struct{ calls atomic.Int64 }

func (m *model) Generate(_ context.Context, r llm.Request) (llm.Answer, error) {
	m.calls.Add(1)
	return llm.Answer{JSON: json.RawMessage(`{"to":"` + r.Prompt + `"}`), Usage: llm.Usage{InputTokens: 1000}}, nil
}

// TestKilled: of a service that is killed in the middle of a job another one goes on with it, by what the model has
// answered so far.
func TestKilled(t *testing.T) {
	a := place(t)
	one, other := opened(t, a, Options{Price: meter.Price{In: 1}}), opened(t, a, Options{Price: meter.Price{In: 1}})
	m := &model{}
	paid := jobs.Paid(m)
	hangs := make(chan struct{})
	do := func(hang bool) jobs.Do {
		return func(ctx context.Context, _ *jobs.Job, _ func(jobs.Progress)) (jobs.AttemptResult, jobs.JobSpent) {
			for i := range 3 {
				if i == 2 && hang {
					close(hangs)
					<-ctx.Done()
				}
				answer, err := paid.Generate(ctx, llm.Request{Prompt: fmt.Sprint(i)})
				if err != nil {
					return problem(err.Error(), true), jobs.JobSpent{}
				}
				require.JSONEq(t, fmt.Sprintf(`{"to":"%d"}`, i), string(answer.JSON))
				require.Equal(t, 1000, answer.Usage.InputTokens)
			}
			return done(`{}`), jobs.JobSpent{}
		}
	}
	j, err := one.Add(t.Context(), ofEvolve())
	require.NoError(t, err)
	one.Work(do(true))
	<-hangs
	require.EqualValues(t, 2, m.calls.Load())
	killedIn(one)
	other.Work(do(false))
	j = until(t, other, j.ID, over)
	require.Equal(t, jobs.Done, j.State, "%s", j.Problem)
	require.Equal(t, 2, j.Attempts)
	require.EqualValues(t, 3, m.calls.Load(), "each answer is paid for once")
	require.Equal(t, 3, j.Spent.Calls)
	require.Equal(t, 3000, j.Spent.Usage.InputTokens)
	require.InDelta(t, .003, j.Spent.Cost, 1e-9)
	var left int
	require.NoError(t, other.pool.QueryRow(t.Context(), `SELECT count(*) FROM memtree.reply WHERE job = $1`,
		numberOf(j.ID)).Scan(&left))
	require.Zero(t, left, "the replies of a job that has ended are dropped")
}

// TestPaused: a service that was paused for longer than its lease makes no further call, and does not end the job of
// the one that took it over.
func TestPaused(t *testing.T) {
	a := place(t)
	one, other := opened(t, a, Options{}), opened(t, a, Options{})
	m := &model{}
	paid := jobs.Paid(m)
	began, wakes, takes, ends := make(chan *turn), make(chan struct{}), make(chan struct{}), make(chan struct{})
	refused := make(chan error, 1)
	takesOver := func() (jobs.AttemptResult, jobs.JobSpent) {
		close(takes)
		<-ends
		return done(`{"late":false}`), jobs.JobSpent{}
	}
	var turns atomic.Int64
	one.Work(func(ctx context.Context, _ *jobs.Job, _ func(jobs.Progress)) (jobs.AttemptResult, jobs.JobSpent) {
		if turns.Add(1) > 1 {
			return takesOver() // it has room for another job
		}
		l, _ := jobs.LedgerIn(ctx)
		began <- l.(*turn)
		<-wakes
		_, err := paid.Generate(ctx, llm.Request{Prompt: "late"})
		refused <- err
		return done(`{"late":true}`), jobs.JobSpent{}
	})
	j, err := one.Add(t.Context(), ofEvolve())
	require.NoError(t, err)
	first := <-began
	_, err = one.pool.Exec(t.Context(), `UPDATE memtree.job SET until = '-infinity', turn = turn + 1
		WHERE id = $1`, first.id)
	require.NoError(t, err)
	_, err = one.pool.Exec(t.Context(), `UPDATE memtree.river_job SET attempted_at = '-infinity' WHERE id = $1`, first.id)
	require.NoError(t, err)
	other.Work(func(context.Context, *jobs.Job, func(jobs.Progress)) (jobs.AttemptResult, jobs.JobSpent) {
		return takesOver()
	})
	<-takes
	close(wakes)
	require.Error(t, <-refused)
	require.Zero(t, m.calls.Load())
	time.Sleep(1500 * time.Millisecond)
	require.Equal(t, jobs.Running, until(t, other, j.ID, func(*jobs.Job) bool { return true }).State)
	close(ends)
	j = until(t, other, j.ID, over)
	require.JSONEq(t, `{"late":false}`, string(j.Result))
}

// TestStops: a service that stops in order gives its job to another one at once, and that is no failed attempt.
func TestStops(t *testing.T) {
	a := place(t)
	one, other := opened(t, a, Options{}), opened(t, a, Options{})
	began := make(chan struct{})
	one.Work(func(ctx context.Context, _ *jobs.Job, _ func(jobs.Progress)) (jobs.AttemptResult, jobs.JobSpent) {
		close(began)
		<-ctx.Done()
		return problem("the service stops", true), jobs.JobSpent{}
	})
	j, err := one.Add(t.Context(), ofEvolve())
	require.NoError(t, err)
	<-began
	one.Close()
	now, err := other.Get(t.Context(), j.ID)
	require.NoError(t, err)
	require.Equal(t, jobs.Waiting, now.State)
	other.Work(func(context.Context, *jobs.Job, func(jobs.Progress)) (jobs.AttemptResult, jobs.JobSpent) {
		return done(`{}`), jobs.JobSpent{}
	})
	j = until(t, other, j.ID, over)
	require.Equal(t, jobs.Done, j.State)
	require.Equal(t, 1, j.Attempts)
}

// TestFailedForGood: the last attempt of a job whose services are killed is no attempt more, and gives its reservation
// back.
func TestFailedForGood(t *testing.T) {
	q := opened(t, place(t), Options{Day: Budget{Calls: new(5)}})
	j, err := q.Add(t.Context(), ofEvolve())
	require.NoError(t, err)
	_, _, err = q.take(t.Context(), &rivertype.JobRow{ID: numberOf(j.ID), EncodedArgs: []byte(`{"kind":"evolve"}`)})
	require.NoError(t, err)
	_, held := q.budget(t)
	require.Equal(t, 5, held)
	_, err = q.pool.Exec(t.Context(), `UPDATE memtree.river_job SET state = 'running', attempt = max_attempts,
		attempted_at = '-infinity' WHERE id = $1`, numberOf(j.ID))
	require.NoError(t, err)
	given, err := q.rescue(t.Context())
	require.NoError(t, err)
	require.Empty(t, given, "it has a lease")
	_, err = q.pool.Exec(t.Context(), `UPDATE memtree.job SET until = '-infinity' WHERE id = $1`, numberOf(j.ID))
	require.NoError(t, err)
	given, err = q.rescue(t.Context())
	require.NoError(t, err)
	require.Equal(t, []int64{numberOf(j.ID)}, given)
	j, err = q.Get(t.Context(), j.ID)
	require.NoError(t, err)
	require.Equal(t, jobs.Failed, j.State)
	require.Contains(t, string(j.Problem), "ended in the middle")
	_, held = q.budget(t)
	require.Zero(t, held)
}

// TestYields: an attempt whose job was deleted with its tree ends, and holds no place of a worker.
func TestYields(t *testing.T) {
	q := opened(t, place(t), Options{})
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	require.ErrorIs(t, (&turn{q: q, id: 1 << 40}).yield(ctx), errLost)
	require.NoError(t, ctx.Err())
}
