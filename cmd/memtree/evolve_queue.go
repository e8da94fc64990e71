package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/evolution"
	"github.com/memtree/memtree/internal/cli/model"
	"github.com/memtree/memtree/internal/jobs"
	"github.com/memtree/memtree/internal/jobs/shared"
	"github.com/memtree/memtree/internal/text"
	"github.com/memtree/memtree/llm"
	"github.com/memtree/memtree/llm/meter"
	"github.com/memtree/memtree/server"
	"github.com/memtree/memtree/store"
)

const (
	// takenWithin is how long a job is left to the services of the tree; then this process takes jobs too.
	takenWithin = 5 * time.Second
	// awayWithin is for how long the database may be away while a job is waited for.
	awayWithin = 2 * time.Minute
	// evolvePutOff is how long a job may wait for its next attempt before the command ends. A job that failed for a
	// passing reason waits for four minutes at most.
	evolvePutOff = 10 * time.Minute
)

// checkEvolve refuses bounds that the store of the command does not have.
func checkEvolve(a *app, o *memtree.EvolveOptions, day *dayBudget) error {
	bounded := day.calls >= 0 || day.cost >= 0
	switch {
	case bounded && !a.store.Shared():
		return a.Usage("--day-max-calls and --day-max-cost are for trees in a database; " +
			"for one in a folder give --max-calls and --max-cost")
	case a.store.Shared() && a.model.Time > 0 && !o.DryRun:
		return a.Usage("--max-time is for a tree in a folder; of one in a database any service may do the job, " +
			"so bound it by --max-calls or --max-cost")
	}
	return needsPrice(a, day.cost)
}

// ordered is an evolve of a tree in a database: a job that any of its services may do.
type ordered struct {
	*app
	m      *memtree.Memory
	q      *shared.Queue
	o      *memtree.EvolveOptions
	worker *server.Server // of this process; nil: it takes no jobs
	noted  string         // the process that was named last
}

// evolveByJob adds the job and waits until a service of the tree has done it, or this process if there is none. by is
// nil if all of it was done here.
func evolveByJob(
	ctx context.Context, a *app, m *memtree.Memory, o *memtree.EvolveOptions, day *dayBudget,
) (v evolution.Evolved, by *jobs.Job, err error) {
	options := day.options(a)
	options.Only = jobs.Evolve
	q, err := a.store.Jobs(ctx, options)
	if err != nil {
		return v, nil, err
	}
	e := &ordered{app: a, m: m, q: q, o: o}
	j, err := e.run(ctx)
	e.close() //nolint:contextcheck // what this process does of jobs has a bound of its own
	switch {
	case ctx.Err() != nil && j.ID != "":
		return v, nil, a.Fail(ctx.Err(), "interrupted; the evolve remains in the database as job %s: a service of the tree "+
			"goes on with it, or the same command given again", j.ID)
	case err != nil:
		return v, nil, err
	case j.State == jobs.Waiting:
		return v, nil, a.Fail(nil, "job %s waits until %s, and goes on tomorrow (UTC) in a service of the tree or by the "+
			"same command given again: what the jobs of a day may spend on models is spent", j.ID,
			j.Next.UTC().Format("2006-01-02 15:04 MST"))
	case j.State == jobs.Failed:
		return v, nil, a.Fail(nil, "job %s failed on %s: %s", j.ID, j.On, detailOf(&j))
	}
	if err := json.Unmarshal(j.Result, &v); err != nil {
		return v, nil, fmt.Errorf("read the result of job %s: %w", j.ID, err)
	}
	if j.On != jobs.Process() || j.Attempts > 1 {
		by = &j
	}
	return v, by, nil
}

// close ends what this process does of jobs. A job in the middle goes on elsewhere.
func (e *ordered) close() {
	if e.worker != nil {
		e.worker.Close() // the queue too
		return
	}
	e.q.Close()
}

// run adds the job and returns it as it is in the end, or put off. While another evolve waits or runs, it waits for
// that one, which does this one's work too if its order is the same.
func (e *ordered) run(ctx context.Context) (jobs.Job, error) {
	order := server.EvolveOrder("memtree evolve", e.o)
	for {
		j, err := e.q.Add(ctx, order)
		mine := err == nil
		if busy, ok := errors.AsType[*jobs.BusyError](err); ok {
			if j, err = e.q.Get(ctx, busy.ID); err == nil {
				mine = same(&order, &j.Order)
				e.Note(e.Say("Job %s of %s evolves the tree already; this waits for it.", j.ID, text.Line(j.By)))
			}
		}
		if err != nil {
			return j, err
		}
		if j, err = e.wait(ctx, j); err != nil || mine || !j.Over() {
			return j, err
		}
	}
}

// same reports whether two orders want the same.
func same(a, b *jobs.Order) bool {
	return bytes.Equal(a.What, b.What) && equal(a.MaxCalls, b.MaxCalls) && equal(a.MaxCost, b.MaxCost)
}

// equal reports whether two bounds are the same; nil is none.
func equal[N comparable](a, b *N) bool { return a == b || a != nil && b != nil && *a == *b }

// putOff reports whether the command ends before a job does: it waits for long, or for the budget of the next day,
// however soon that begins.
func putOff(j *jobs.Job, now time.Time) bool {
	return j.State == jobs.Waiting && j.Next.Sub(now) >= evolvePutOff || shared.WaitsForTomorrow(j, now)
}

// wait waits until a job has ended, is put off for long, or ctx ends.
func (e *ordered) wait(ctx context.Context, j jobs.Job) (jobs.Job, error) {
	added, answered := time.Now(), time.Now()
	for !j.Over() && !putOff(&j, time.Now()) {
		if err := e.tend(ctx, &j, time.Since(added)); err != nil && !passes(err) {
			return j, err
		}
		e.q.Wait(ctx, &j)
		if ctx.Err() != nil {
			return j, ctx.Err()
		}
		now, err := e.q.Get(ctx, j.ID)
		switch {
		case err == nil:
			j, answered = now, time.Now()
			e.show(&j)
		case !passes(err) || time.Since(answered) > awayWithin:
			return j, err
		}
	}
	return j, nil
}

// passes reports whether a database that does not answer, or only lets read, may do more in a while: another server
// becomes the primary.
func passes(err error) bool {
	return errors.Is(err, store.ErrAway) || errors.Is(err, store.ErrReadOnly)
}

// tend lets this process take jobs if no service is there, or none takes the job. So a job whose process is gone goes
// on too.
func (e *ordered) tend(ctx context.Context, j *jobs.Job, waited time.Duration) error {
	if e.worker != nil {
		return nil
	}
	served, err := e.q.Served(ctx)
	if err != nil || served && (j.State == jobs.Running || waited < takenWithin) {
		return err
	}
	trees := server.NewTrees()
	if err := trees.Add(server.Default, e.m, false, e.q); err != nil {
		return err
	}
	e.worker = server.New(trees, server.Options{
		Price: e.o.Price, Logger: slog.New(slog.NewTextHandler(e.Stderr, &slog.HandlerOptions{Level: slog.LevelError})),
	})
	return nil
}

// show draws the progress of a job, and names the process that does it if that is another one.
func (e *ordered) show(j *jobs.Job) {
	if on := text.Line(j.On); j.State == jobs.Running && j.On != jobs.Process() && on != e.noted {
		e.noted = on
		e.Note(e.Say("%s does this, as job %s, with its own model; this waits for it.", on, j.ID))
	}
	p := j.Progress
	e.o.Progress(evolution.PlanProgress{
		Done: p.Done, Of: p.Of, Groups: p.Groups, Jobs: p.Jobs, Calls: p.Calls, Usage: j.Spent.Usage, Cost: j.Spent.Cost,
	})
}

// detailOf returns the sentence of a job's problem.
func detailOf(j *jobs.Job) string {
	var p struct{ Detail string }
	_ = json.Unmarshal(j.Problem, &p) // of a newer version: it has none
	return cmp.Or(text.Line(p.Detail), "…")
}

// spentBy returns what a job has asked of models, over all processes that did it.
func spentBy(j *jobs.Job) (s model.UsageReport) {
	s = model.UsageReport{Spent: meter.Spent{Calls: j.Spent.Calls, Usage: j.Spent.Usage}, Cost: j.Spent.Cost,
		Stages: []model.SpentStage{}}
	if j.Spent.Cost == 0 && j.Spent.Usage != (llm.Usage{}) {
		s.Cost = model.Unknown
	}
	return s
}

// doneBy takes calls and costs from the job, if other processes had a part in it.
func (out *evolvedJSON) doneBy(j *jobs.Job) {
	if j != nil {
		out.Model = spentBy(j)
		out.Calls, out.Cost, out.Usage = out.Model.Calls, out.Model.Cost, out.Model.Usage
	}
}

// byJobLines names who did a job in which other processes had a part, and what it has asked of models.
func byJobLines(a *app, j *jobs.Job) []string {
	if j == nil {
		return nil
	}
	s := spentBy(j)
	return append([]string{""}, a.Wrap(a.Say("Job %s, ended by %s in attempt %d. Model calls: %d, tokens in %d, out %d. "+
		"Cost: %s.", j.ID, text.Line(j.On), j.Attempts, s.Calls, s.Usage.InputTokens, s.Usage.OutputTokens,
		a.model.CostWords(s.Cost)))...)
}
