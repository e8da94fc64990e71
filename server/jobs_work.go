package server

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/brief"
	"github.com/memtree/memtree/evolution"
	"github.com/memtree/memtree/internal/jobs"
	"github.com/memtree/memtree/llm"
	"github.com/memtree/memtree/llm/meter"
	"github.com/memtree/memtree/look"
	"github.com/memtree/memtree/tree"
)

// evolveWork is what a job of the kind evolve does, stored with the job.
type evolveWork struct {
	evolve
	Night bool        `json:"night,omitempty"` // by the schedule: also read notes on false alarms, and coming tests
	Look  look.Extent `json:"look,omitzero"`   // by the schedule: how many of the riskiest verdicts to look at again
}

// EvolveOrder returns the order of a job that evolves a tree, for the queue of a shared store. by names who wants the
// job. Of o it uses Only, Review, KeepAll, MaxCalls and MaxCost. It ignores the rest, DryRun too: the job changes the
// tree.
func EvolveOrder(by string, o *memtree.EvolveOptions) jobs.Order {
	return evolveOrder(by, &evolveWork{evolve: evolve{
		Only: o.Only, Review: o.Review, KeepAll: o.KeepAll, MaxCalls: o.MaxCalls,
	}}, o.MaxCost)
}

// evolveOrder returns the order of an evolve.
func evolveOrder(by string, of *evolveWork, cost *float64) jobs.Order {
	what, _ := json.Marshal(of) // it has only texts and numbers
	return jobs.Order{Kind: jobs.Evolve, By: by, What: what, MaxCalls: of.MaxCalls, MaxCost: cost}
}

// do returns what does the jobs of a tree.
func (s *Server) do(t *treeOf) jobs.Do {
	return func(ctx context.Context, j *jobs.Job, tell func(jobs.Progress)) (out jobs.AttemptResult, spent jobs.JobSpent) {
		ctx, cancel := s.living(ctx)
		defer cancel()
		if err := t.writable(); err != nil && j.Kind != jobs.Evolve { // an evolve may be a dry run
			return s.failed(ctx, t, j, err), spent
		}
		if j.Kind == jobs.Brief {
			return s.doBrief(ctx, t, j)
		}
		return s.doEvolve(ctx, t, j, tell)
	}
}

// failed returns what came of an attempt that ended with an error. Another attempt may succeed unless the error is
// about the order itself.
func (s *Server) failed(ctx context.Context, t *treeOf, j *jobs.Job, err error) jobs.AttemptResult {
	p := problemOf(err)
	if p == nil {
		p = internal()
		s.opts.Logger.ErrorContext(ctx, string(j.Kind)+" failed", "tree", t.name, "job", j.ID, "error", err.Error())
	}
	b, _ := json.Marshal(p) // it has only texts and numbers
	return jobs.AttemptResult{Problem: b, Again: p.Status >= 500 || p.Type == "urn:memtree:"+typeStale}
}

// doEvolve lets a tree learn until it is done, or ctx ends.
func (s *Server) doEvolve(
	ctx context.Context, t *treeOf, j *jobs.Job, tell func(jobs.Progress),
) (jobs.AttemptResult, jobs.JobSpent) {
	var of evolveWork
	if err := json.Unmarshal(j.What, &of); err != nil {
		return s.failed(ctx, t, j, fmt.Errorf("read job %s: %w", j.ID, err)), jobs.JobSpent{}
	}
	ctx, part := s.step(ctx, "evolve")
	o := memtree.EvolveOptions{
		DryRun: of.DryRun, Only: of.Only, Review: of.Review, KeepAll: of.KeepAll, MaxCalls: of.MaxCalls, MaxCost: j.MaxCost,
		Price: s.opts.Price,
		Progress: func(p evolution.PlanProgress) {
			tell(jobs.Progress{Done: p.Done, Of: p.Of, Groups: p.Groups, Jobs: p.Jobs, Calls: p.Calls})
		},
	}
	v, err := evolveSafely(ctx, t, &o)
	part.name("tree", t.name)
	part.name("job", j.ID)
	part.name("token", j.By)
	part.count("calls", v.Calls)
	part.end(err)
	spent := jobs.JobSpent{Calls: v.Calls, Usage: v.Usage, Cost: v.Cost}
	if of.DryRun {
		spent = jobs.JobSpent{} // it is what it would have been
	}
	if err != nil {
		return s.failed(ctx, t, j, err), spent
	}
	if of.Night {
		left := o.Left(&v)
		s.readFacts(ctx, t, &left)
		s.readLooks(ctx, t, of.Look, &left)
		_, _ = s.readTests(ctx, t, brief.ReadOptions{Reading: left})
	}
	result, err := json.Marshal(&v)
	if err != nil {
		return s.failed(ctx, t, j, err), spent
	}
	return jobs.AttemptResult{Result: result}, spent
}

func evolveSafely(ctx context.Context, t *treeOf, o *memtree.EvolveOptions) (v evolution.Evolved, err error) {
	defer func() {
		if broke := recover(); broke != nil {
			err = fmt.Errorf("evolve panicked: %v", broke)
		}
	}()
	return t.Evolve(ctx, o)
}

// doBrief has a model read the coming tests that it has not read.
func (s *Server) doBrief(ctx context.Context, t *treeOf, j *jobs.Job) (jobs.AttemptResult, jobs.JobSpent) {
	did, err := s.readTests(ctx, t, brief.ReadOptions{
		Fresh: true, Reading: meter.Reading{Price: s.opts.Price, MaxCalls: j.MaxCalls, MaxCost: j.MaxCost},
	})
	spent := jobs.JobSpent{Calls: did.Calls, Usage: did.Usage, Cost: did.Cost}
	if err == nil {
		var result []byte
		if result, err = json.Marshal(&did); err == nil {
			return jobs.AttemptResult{Result: result}, spent
		}
	}
	if llm.KindOf(err) == llm.KindNotSet {
		err = &tree.FieldError{Field: "kind", Problem: "brief needs a model, and this service has none"}
	}
	return s.failed(ctx, t, j, err), spent
}
