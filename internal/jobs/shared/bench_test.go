//go:build unix

package shared

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/internal/jobs"
	"github.com/memtree/memtree/store/postgres"
	"github.com/memtree/memtree/store/postgres/pgtest"
)

// bare is a worker of River that has nothing to do.
type bare struct {
	river.WorkerDefaults[evolveArgs]
	did func()
}

func (w *bare) Work(context.Context, *river.Job[evolveArgs]) error {
	w.did()
	return nil
}

// BenchmarkRate measures jobs that have nothing to do, on a server that syncs: those of River alone, which are fetched
// and completed in batches; the same with a lease, a turn, a reserved budget and a result of each job; and those of 16
// trees by their queues as they are, where one job of a kind is at a time in a tree and the next one is added when it
// has ended.
func BenchmarkRate(b *testing.B) {
	server := pgtest.Start(b)
	at := func(b *testing.B, i int) postgres.Address {
		a, err := postgres.Parse(server.URL("postgres") + fmt.Sprintf("&tree=t%d", i))
		require.NoError(b, err)
		s, err := postgres.Open(b.Context(), a, postgres.Options{})
		require.NoError(b, err)
		require.NoError(b, s.Close())
		return a
	}
	b.Run("river", func(b *testing.B) { inBatches(b, at(b, 0), false) })
	b.Run("leases", func(b *testing.B) { inBatches(b, at(b, 1), true) })
	b.Run("trees=16", func(b *testing.B) {
		const each = 5 // whatever b.N is
		var all sync.WaitGroup
		for i := range 16 {
			q, err := Open(b.Context(), at(b, 2+i), Options{})
			require.NoError(b, err)
			defer q.Close()
			q.Work(func(context.Context, *jobs.Job, func(jobs.Progress)) (jobs.AttemptResult, jobs.JobSpent) {
				return jobs.AttemptResult{Result: json.RawMessage(`{}`)}, jobs.JobSpent{}
			})
			all.Go(func() {
				for range each {
					j, err := q.Add(b.Context(), ofEvolve())
					for err == nil && !j.Over() {
						time.Sleep(5 * time.Millisecond)
						j, err = q.Get(b.Context(), j.ID)
					}
					if err != nil {
						b.Error(err)
					}
				}
			})
		}
		begun := time.Now()
		all.Wait()
		b.ReportMetric(16*each/time.Since(begun).Seconds(), "jobs/s")
		b.ReportMetric(0, "ns/op")
	})
}

// inBatches measures b.N jobs that wait in the queue of a tree, without its bounds: hundreds at once, fetched as soon
// as there is room.
func inBatches(b *testing.B, a postgres.Address, leased bool) {
	b.Helper()
	q, err := Open(b.Context(), a, Options{})
	require.NoError(b, err)
	defer q.Close()
	q.pool.Close()
	q.pool, err = a.Pool(b.Context(), 32)
	require.NoError(b, err)
	_, err = q.pool.Exec(b.Context(), `DELETE FROM memtree.river_job WHERE queue = $1`, q.name())
	require.NoError(b, err)
	var left sync.WaitGroup
	left.Add(b.N)
	q.do = func(context.Context, *jobs.Job, func(jobs.Progress)) (jobs.AttemptResult, jobs.JobSpent) {
		left.Done()
		return jobs.AttemptResult{Result: json.RawMessage(`{}`)}, jobs.JobSpent{}
	}
	workers := river.NewWorkers()
	if leased {
		river.AddWorker(workers, &worker[evolveArgs]{q: q})
	} else {
		river.AddWorker(workers, &bare{did: left.Done})
	}
	c, err := river.NewClient(riverpgxv5.New(q.pool), &river.Config{
		Schema: schema, Workers: workers, PollOnly: true, FetchCooldown: time.Millisecond,
		FetchPollInterval: 10 * time.Millisecond, JobTimeout: -1,
		Queues: map[string]river.QueueConfig{q.name(): {MaxWorkers: 500}},
	})
	require.NoError(b, err)
	for n := b.N; n > 0; n -= 1000 {
		some := make([]river.InsertManyParams, min(n, 1000))
		for i := range some {
			some[i] = river.InsertManyParams{Args: evolveArgs{ofEvolve()}, InsertOpts: &river.InsertOpts{Queue: q.name()}}
		}
		_, err := c.InsertMany(b.Context(), some)
		require.NoError(b, err)
	}
	b.ResetTimer()
	require.NoError(b, c.Start(context.WithoutCancel(b.Context())))
	left.Wait()
	require.NoError(b, c.Stop(context.WithoutCancel(b.Context()))) // completes them
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "jobs/s")
	var done int
	require.NoError(b, q.pool.QueryRow(b.Context(), `SELECT count(*) FROM memtree.river_job WHERE queue = $1
		AND state = 'completed'`, q.name()).Scan(&done))
	require.Equal(b, b.N, done)
}
