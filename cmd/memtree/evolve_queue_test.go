//go:build unix

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/fixtures"
	"github.com/memtree/memtree/internal/cli/access"
	"github.com/memtree/memtree/internal/cli/say"
	"github.com/memtree/memtree/internal/jobs"
	"github.com/memtree/memtree/store/postgres/pgtest"
)

// queued is a database with a tree to evolve, and a model that counts.
type queued struct {
	t     *testing.T
	url   string
	env   map[string]string
	model *scribe
	conn  *pgx.Conn
}

// toEvolve records runs in a tree of a new database. The names of its model are in the environment of run.
func toEvolve(t *testing.T) *queued {
	t.Helper()
	model := &scribe{asked: map[string]int{}, answered: map[string]int{}, left: -1}
	at := httptest.NewServer(model)
	t.Cleanup(at.Close)
	q := &queued{t: t, model: model, url: pgtest.Start(t, "fsync=off").URL("postgres"), env: map[string]string{
		"LANG": "en_US.UTF-8", "MEMTREE_LLM_BASE_URL": at.URL, "MEMTREE_LLM_MODEL": "scribe",
		"MEMTREE_LLM_PROVIDER": "openai", "MEMTREE_LLM_API_KEY": "none",
	}}
	conn, err := pgx.Connect(t.Context(), q.url)
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	q.conn = conn
	runs := filepath.Join(t.TempDir(), "runs.jsonl")
	b, err := fixtures.Files.ReadFile("tau.jsonl")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(runs, b, 0o600))
	code, _, errs := tryShared(t, map[string]string{access.LocalVariable: t.TempDir()}, "record", runs, "--store", q.url)
	require.Zero(t, code, errs)
	return q
}

// evolve runs the command in this process, on a machine of its own.
func (q *queued) evolve(args ...string) (code int, out, errs string) {
	var screen, said bytes.Buffer
	env := maps.Clone(q.env)
	env[access.LocalVariable] = q.t.TempDir()
	code = run(q.t.Context(), say.Process{
		Args: append([]string{"evolve", "--store", q.url}, args...), Stdin: strings.NewReader(""), Stdout: &screen,
		Stderr: &said, Getenv: func(name string) string { return env[name] },
	})
	return code, screen.String(), said.String()
}

// process returns the command for a process of its own, on another machine.
func (q *queued) process(args ...string) *exec.Cmd {
	c := exec.CommandContext(q.t.Context(), os.Args[0], append([]string{"evolve", "--store", q.url}, args...)...)
	c.Env = append(os.Environ(), asMemtree+"=1", access.LocalVariable+"="+q.t.TempDir())
	for k, v := range q.env {
		c.Env = append(c.Env, k+"="+v)
	}
	c.Stderr = &bytes.Buffer{}
	return c
}

// evolvedShape is what is looked at of --json.
type evolvedShape struct {
	Plans []struct{ Changes []json.RawMessage }
	Calls int
	Model struct{ Calls int }
}

func (v *evolvedShape) changes() (n int) {
	for _, p := range v.Plans {
		n += len(p.Changes)
	}
	return n
}

// all returns the states of the jobs of the tree, the oldest first, and the calls that the day has counted.
func (q *queued) all() (states []string, calls int) {
	rows, err := q.conn.Query(q.t.Context(), `SELECT state::text FROM memtree.river_job ORDER BY id`)
	require.NoError(q.t, err)
	states, err = pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(q.t, err)
	require.NoError(q.t, q.conn.QueryRow(q.t.Context(), `SELECT coalesce(sum(calls), 0) FROM memtree.budget`).Scan(&calls))
	return states, calls
}

// TestEvolveQueue: on a tree in a database, evolve is a job, with the result that it has on a folder. What it asked of
// the model is counted in the day of the tenant. With nothing new it asks nothing.
func TestEvolveQueue(t *testing.T) {
	q := toEvolve(t)
	code, _, errs := q.evolve("--dry-run")
	require.Zero(t, code, errs)
	states, _ := q.all()
	require.Empty(t, states, "a plan is no job")

	code, out, errs := q.evolve("--json")
	require.Zero(t, code, errs)
	v := shaped[evolvedShape](t, out)
	calls, _, _ := q.model.counts()
	require.Positive(t, calls)
	require.Positive(t, v.changes())
	require.Equal(t, []int{calls, calls}, []int{v.Calls, v.Model.Calls})
	states, counted := q.all()
	require.Equal(t, []string{"completed"}, states)
	require.Equal(t, calls, counted)

	code, out, errs = q.evolve()
	require.Zero(t, code, errs)
	require.NotContains(t, out, "The tree has learned")
	again, _, _ := q.model.counts()
	require.Equal(t, calls, again)
}

// TestEvolveAtOnce: of two evolves at once, one does the work and both print what came of it. A third one of another
// kind waits for them.
func TestEvolveAtOnce(t *testing.T) {
	q := toEvolve(t)
	stopped := q.model.stopAfter(1)
	var all sync.WaitGroup
	outs := make([]string, 3)
	start := func(i int, args ...string) {
		c := q.process(append(args, "--json")...)
		all.Go(func() {
			out, err := c.Output()
			if err != nil {
				t.Errorf("%v: %s", err, c.Stderr)
			}
			outs[i] = string(out)
		})
	}
	start(0)
	<-stopped
	start(1)
	start(2, "--keep-all")
	time.Sleep(2 * time.Second) // for both to wait
	states, _ := q.all()
	require.Equal(t, []string{"running"}, states)
	q.model.stopAfter(-1)
	all.Wait()
	one, two, third := shaped[evolvedShape](t, outs[0]), shaped[evolvedShape](t, outs[1]), shaped[evolvedShape](t, outs[2])
	calls, answers, prompts := q.model.counts()
	require.Equal(t, prompts, answers)
	require.Equal(t, []int{calls, calls, 0}, []int{one.Calls, two.Calls, third.Calls})
	require.Positive(t, one.changes())
	require.Equal(t, one.Plans, two.Plans)
	require.Zero(t, third.changes())
	states, _ = q.all()
	require.Equal(t, []string{"completed", "completed"}, states)
}

// TestEvolveKilled: an evolve that is killed goes on with the next one, which does not ask again what was answered.
func TestEvolveKilled(t *testing.T) {
	q := toEvolve(t)
	stopped := q.model.stopAfter(2)
	c := q.process()
	require.NoError(t, c.Start())
	<-stopped
	require.Eventually(t, func() bool {
		var kept int
		require.NoError(t, q.conn.QueryRow(t.Context(), "SELECT count(*) FROM memtree.reply").Scan(&kept))
		_, answers, _ := q.model.counts()
		return kept == answers
	}, time.Minute, 10*time.Millisecond)
	require.NoError(t, c.Process.Kill())
	_ = c.Wait()
	require.Eventually(t, func() bool { // the model has noticed that its caller is gone, and answers nobody
		return q.model.waiting.Load() == 0
	}, time.Minute, time.Millisecond)
	q.model.stopAfter(-1)
	code, out, errs := q.evolve("--json")
	require.Zero(t, code, errs)
	_, answers, prompts := q.model.counts()
	require.Equal(t, prompts, answers, "nothing that was answered is asked again")
	v := shaped[evolvedShape](t, out)
	require.GreaterOrEqual(t, v.Calls, answers, "of both attempts")
	require.Contains(t, errs, "waits for")
}

// TestEvolveByService: a service of the tree takes the job, with its own model.
func TestEvolveByService(t *testing.T) {
	q := toEvolve(t)
	for k, v := range q.env {
		t.Setenv(k, v)
	}
	t.Setenv(access.LocalVariable, t.TempDir())
	s := serving(t, "--store", q.url, "--insecure-loopback")
	clear(q.env)
	code, out, errs := q.evolve()
	require.Zero(t, code, errs)
	calls, _, _ := q.model.counts()
	require.Positive(t, calls)
	require.Contains(t, out, "The tree has learned")
	require.Contains(t, out, fmt.Sprintf(":%d in attempt 1. Model calls: %d", s.cmd.Process.Pid, calls))
	code, _, errs = q.evolve("--max-time", "1m")
	require.Equal(t, exitUsage, code)
	require.Contains(t, errs, "--max-time")
	s.end(os.Interrupt)
}

// TestEvolveOfDay: what is left of the day bounds it. If nothing is left, it waits for the next day, in the database.
func TestEvolveOfDay(t *testing.T) {
	pgtest.InOneDay(t)
	q := toEvolve(t)
	code, out, errs := q.evolve("--day-max-calls", "2", "--json")
	require.Zero(t, code, errs)
	calls, _, _ := q.model.counts()
	require.Equal(t, 2, calls)
	require.Equal(t, calls, shaped[evolvedShape](t, out).Calls)
	code, _, errs = q.evolve("--day-max-calls", "2")
	require.Equal(t, exitFailed, code)
	require.Contains(t, strings.Join(strings.Fields(errs), " "), "goes on tomorrow (UTC)")
	states, _ := q.all()
	require.Equal(t, []string{"completed", "scheduled"}, states)
	code, _, errs = q.evolve("--day-max-calls", "2", "--lang", "zh")
	require.Equal(t, exitFailed, code)
	require.Contains(t, errs, "明天")
}

// TestEvolvePutOff: a job that waits for the budget of the next day is not waited for, also in the last minutes of a
// day.
func TestEvolvePutOff(t *testing.T) {
	now := time.Date(2026, 11, 27, 23, 55, 0, 0, time.UTC)
	spent := json.RawMessage(`{"type":"urn:memtree:budget"}`)
	for name, c := range map[string]struct {
		job  jobs.Job
		want bool
	}{
		"at once":           {jobs.Job{State: jobs.Waiting}, false},
		"after a failure":   {jobs.Job{State: jobs.Waiting, Next: now.Add(4 * time.Minute)}, false},
		"for long":          {jobs.Job{State: jobs.Waiting, Next: now.Add(time.Hour)}, true},
		"for the next day":  {tried(jobs.Waiting, now.Add(5*time.Minute), spent), true},
		"that day is there": {tried(jobs.Waiting, now, spent), false},
		"runs again":        {tried(jobs.Running, now.Add(5*time.Minute), spent), false},
	} {
		t.Run(name, func(t *testing.T) { require.Equal(t, c.want, putOff(&c.job, now)) })
	}
}

// tried returns a job after an attempt that had a problem.
func tried(state jobs.JobState, next time.Time, problem json.RawMessage) jobs.Job {
	return jobs.Job{State: state, Next: next, AttemptResult: jobs.AttemptResult{Problem: problem}}
}

// TestEvolveInterrupted: an evolve that is interrupted leaves its job to the next one at once.
func TestEvolveInterrupted(t *testing.T) {
	q := toEvolve(t)
	stopped := q.model.stopAfter(1)
	c := q.process()
	require.NoError(t, c.Start())
	<-stopped
	require.NoError(t, c.Process.Signal(os.Interrupt))
	require.Error(t, c.Wait())
	require.Contains(t, strings.Join(strings.Fields(fmt.Sprint(c.Stderr)), " "), "remains in the database")
	states, _ := q.all()
	require.Len(t, states, 1)
	require.NotContains(t, states, "running")
	q.model.stopAfter(-1)
	code, _, errs := q.evolve()
	require.Zero(t, code, errs)
	states, _ = q.all()
	require.Equal(t, []string{"completed"}, states)
}
