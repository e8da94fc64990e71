package server

import (
	"context"
	"errors"
	"time"

	"github.com/memtree/memtree/brief"
	"github.com/memtree/memtree/internal/jobs"
	"github.com/memtree/memtree/knowledge"
	"github.com/memtree/memtree/llm"
	"github.com/memtree/memtree/llm/meter"
	"github.com/memtree/memtree/tree"
)

// readEvery is how long tests of a first query wait for others, to be read together.
const readEvery = time.Minute

// byReader is the originator of the jobs that read coming tests.
const byReader = "reader"

// RunReader has a model read upcoming tests that it has not read yet, as a job, again and again until ctx ends or the
// server closes. It skips trees without a model and trees that cannot be written. After memories have changed, the
// tests are read again after the next scheduled evolve.
func (s *Server) RunReader(ctx context.Context) {
	for s.opts.Pause(ctx, readEvery) && !s.closing() {
		for _, name := range s.trees.names {
			t := s.trees.get(name)
			if ctx.Err() != nil || s.closing() || t.writable() != nil || !t.Health().Asks {
				continue
			}
			unread, err := s.unread(ctx, t)
			if err == nil && unread {
				_, err = t.jobs.Add(ctx, jobs.Order{Kind: jobs.Brief, By: byReader})
			}
			if _, runs := errors.AsType[*jobs.BusyError](err); err != nil && !runs {
				s.opts.Logger.WarnContext(ctx, "coming tests are not read yet", "tree", name, "error", err.Error())
			}
		}
	}
}

// unread reports whether there is a test that was not read, and something to read for it.
func (s *Server) unread(ctx context.Context, t *treeOf) (bool, error) {
	if err := t.Briefs().Sync(ctx); err != nil || t.Briefs().Known().New == 0 {
		return false, err
	}
	plan, err := t.Briefs().Read(ctx, nil, &brief.ReadOptions{Reading: meter.Reading{DryRun: true}, Fresh: true})
	return plan.Tests > 0, err
}

// readTests has the model of a tree read coming tests, and logs the result.
func (s *Server) readTests(ctx context.Context, t *treeOf, o brief.ReadOptions) (brief.ReadResult, error) {
	ctx, part := s.step(ctx, "brief")
	did, err := t.Briefs().Read(ctx, nil, &o)
	part.name("tree", t.name)
	part.count("calls", did.Calls)
	part.end(err)
	switch {
	case llm.KindOf(err) == llm.KindNotSet:
	case err != nil:
		s.opts.Logger.WarnContext(ctx, "coming tests were not read", "tree", t.name, "error", err.Error())
	case did.Tests > 0:
		s.opts.Logger.InfoContext(ctx, "coming tests were read", "tree", t.name, "read", did.ReadCounts.Tests, "told",
			did.Told,
			"left", did.Left, "calls", did.Calls)
	}
	return did, err
}

// living returns a context that ends with the service too.
func (s *Server) living(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		select {
		case <-s.life:
			cancel()
		case <-ctx.Done():
		}
	}()
	return ctx, cancel
}

// readFacts has the model of a tree read notes on false alarms, and logs the result.
func (s *Server) readFacts(ctx context.Context, t *treeOf, o *meter.Reading) {
	ctx, part := s.step(ctx, "facts")
	did, err := t.Knowledge().Read(ctx, &knowledge.ReadOptions{Reading: *o})
	part.name("tree", t.name)
	part.count("calls", did.Calls)
	part.end(err)
	switch {
	case llm.KindOf(err) == llm.KindNotSet:
	case err != nil:
		s.opts.Logger.WarnContext(ctx, "notes on false alarms were not read", "tree", t.name, "error", err.Error())
	case did.Runs > 0:
		s.opts.Logger.InfoContext(ctx, "notes on false alarms were read", "tree", t.name, "notes", did.Runs,
			"facts", len(did.Facts), "left", did.Left, "calls", did.Calls)
	}
	*o = o.Less(did.ReadUsage)
}

// comingTest is a test that will be run.
type comingTest struct {
	Prompt string     `json:"prompt" minLength:"1" maxLength:"20000" doc:"What the agent will be asked"`
	CaseID string     `json:"caseId,omitempty" maxLength:"1024" doc:"Of the test"`
	Scene  tree.Scene `json:"scene,omitzero" doc:"Where in the product"`
	Scope  tree.Scope `json:"scope,omitzero" doc:"Which product and suite"`
}

// coming are the tests of a run that has not begun.
type coming struct {
	Tests []comingTest `json:"tests,omitempty" maxItems:"10000" doc:"Tests that will be run"`
}

// briefs is what is known of coming tests.
type briefs struct {
	brief.BookStats
}

// expect adds the tests of a run before it begins. They are read within a minute, if the service has a model.
func (s *Server) expect(ctx context.Context, in *given[coming]) (*reply[briefs], error) {
	t := treeIn(ctx)
	if err := t.writable(); err != nil {
		return nil, err
	}
	tests := make([]brief.UpcomingTest, len(in.Body.Tests))
	for i := range tests {
		x := &in.Body.Tests[i]
		scope := x.Scope
		if scope.Test == "" {
			scope.Test = x.CaseID
		}
		tests[i] = brief.TestOf(x.Prompt, x.Scene, scope)
	}
	if err := t.Briefs().Expect(tests); err != nil {
		return nil, err
	}
	return &reply[briefs]{briefs{t.Briefs().Known()}}, nil
}

// briefs returns what is known of coming tests.
func (s *Server) briefs(ctx context.Context, _ *struct{ InTree }) (*reply[briefs], error) {
	return &reply[briefs]{briefs{treeIn(ctx).Briefs().Known()}}, nil
}
