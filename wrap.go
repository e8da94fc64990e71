package memtree

import (
	"context"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/memtree/memtree/enhance"
	"github.com/memtree/memtree/judgment"
	"github.com/memtree/memtree/risk"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// Test is one test case to run.
type Test struct {
	ID          string // of the test case
	RunID       string // of this run of it; with ID and Attempt it names the evaluation. Wrap makes one where it is empty
	Attempt     int    // from 1; 0 means not said
	Prompt      string
	Context     string // background knowledge, for agents that take it apart from the prompt
	Observation string // what can be seen before the run, if anything: an ARIA snapshot or the page's text
	Scene       tree.Scene
	Scope       tree.Scope
	GroundTruth tree.Raw // what is true; never shown to the agent
	Agent       tree.Agent
}

// Result is what an agent made of a case.
type Result struct {
	Judgment    tree.Raw // any JSON
	Observation string   // what the agent could see when it judged
	Trial       string   // set by Wrap: the trial whose guidance was used

	// Risk is set by Wrap: how likely the judgment is to be wrong. Nil where
	// that could not be said within Options.Deadline.
	Risk *risk.Risk

	// First is set by Wrap after it had the case run once more: what came of the
	// run before. Nil when there was one run.
	First *Result
}

// RunCase runs one case. It is what Wrap takes and what it returns.
type RunCase func(ctx context.Context, c Test) (Result, error)

// Judge says whether a result was right. It is given the case as it was before
// memory touched it, ground truth included, and its word counts: a ground truth
// that denies it is not recorded. A run whose judge fails, or has not answered when
// Close gives up, is kept without a label. Wait and Evolve wait for judges, so a
// judge must call neither.
type Judge func(ctx context.Context, c Test, r Result) (Verdict, error)

// Verdict is a judge's word on a result.
type Verdict struct {
	Correct   bool
	Direction taxonomy.Direction // which way it was wrong; may be left out
	Reason    string
}

// WrapOptions say how Wrap puts memory to use. The zero value, and nil, append
// the guidance and compare judgment and ground truth.
type WrapOptions struct {
	Placement enhance.Placement // Append, Prepend, or Separate for Test.Context
	Judge     Judge             // nil: judgment and ground truth are compared

	// RerunAbove has a case run once more, as its next attempt, when the
	// judgment is likelier than this to be wrong, 0 to 1. 0: never. Both runs are
	// recorded; the later one is returned, with the earlier in Result.First.
	RerunAbove float64
}

// Wrap returns a function of run's shape that remembers: it looks for guidance,
// puts it into the prompt, runs, and has the outcome judged and recorded after
// the run, in the background. Run sees no ground truth.
//
// A case without RunID gets one for every call, so that two runs of one case are
// two evaluations.
//
// Memory never breaks a run and never slows it by more than Options.Deadline:
// whatever fails in it leaves the prompt and the result as they would have
// been, and is counted and logged. What Wrap still holds is recorded by Close, and
// before that by Wait. After Close the function still runs its cases, without
// guidance; they are not recorded, which is logged.
func Wrap(m *Memory, run RunCase, opts *WrapOptions) RunCase {
	var o WrapOptions
	if opts != nil {
		o = *opts
	}
	return func(ctx context.Context, c Test) (Result, error) {
		if c.RunID == "" {
			c.RunID = m.newRun()
		}
		r, err := m.runOnce(ctx, run, c, o)
		if err != nil || o.RerunAbove <= 0 || r.Risk == nil || !r.Risk.Enough || r.Risk.P <= o.RerunAbove || ctx.Err() != nil {
			return r, err
		}
		c.Attempt = max(1, c.Attempt) + 1
		again, err := m.runOnce(ctx, run, c, o)
		if err != nil {
			m.opts.Logger.Warn("a run that is likely to be wrong could not be run again", "case", c.ID, "run", c.RunID, "error", err)
			return r, nil
		}
		again.First = &r
		return again, nil
	}
}

// runCount tells apart the runs that Wrap starts at one time.
var runCount atomic.Uint64

// newRun names a run by its time and a count.
func (m *Memory) newRun() string {
	return "r_" + m.opts.Now().UTC().Format(time.RFC3339Nano) + "_" + strconv.FormatUint(runCount.Add(1), 10)
}

// runOnce runs a case with guidance and hands what came of it over.
func (m *Memory) runOnce(ctx context.Context, run RunCase, c Test, o WrapOptions) (Result, error) {
	given := c
	given.GroundTruth = nil
	g := m.guideSafely(ctx, c)
	if o.Placement == enhance.Separate {
		given.Context = enhance.Join(c.Context, g.Text)
	} else {
		given.Prompt = enhance.Place(c.Prompt, g.Text, o.Placement)
	}
	r, err := run(ctx, given)
	if err != nil {
		return r, err
	}
	r.Trial = g.Trial
	r.Risk = m.riskSafely(ctx, c.evaluation(&r))
	m.finished(finishedRun{c: c, r: r, at: m.opts.Now(), judge: o.Judge})
	return r, nil
}

// guideSafely is Guide for someone who cannot use an error.
func (m *Memory) guideSafely(ctx context.Context, c Test) (g Guidance) {
	defer func() {
		if r := recover(); r != nil {
			m.counts.guideFailures.Add(1)
			m.opts.Logger.Error("guidance failed, the run goes on without", "panic", r)
			g = Guidance{}
		}
	}()
	g, err := m.Guide(ctx, Query{Prompt: c.Prompt, Observation: c.Observation, Scene: c.Scene, Scope: c.Scope, Agent: c.Agent, RunID: c.RunID})
	if err != nil {
		m.opts.Logger.Warn("no guidance, the run goes on without", "error", err)
		return Guidance{}
	}
	return g
}

// finishedRun is a run that waits to be judged and recorded.
type finishedRun struct {
	c     Test
	r     Result
	at    time.Time
	judge Judge
	done  chan struct{} // see held
}

// finished hands a run over without waiting for it to be judged.
func (m *Memory) finished(f finishedRun) {
	if m.opts.ReadOnly {
		return
	}
	if f.done = m.held.add(); f.done == nil {
		m.lost(f, "a run was not recorded: memory is closed")
		return
	}
	select {
	case m.runs <- f:
	case <-time.After(m.opts.Deadline):
		m.held.done(f.done)
		m.lost(f, "a run was not recorded: judging cannot keep up")
	}
}

func (m *Memory) lost(f finishedRun, why string) {
	m.counts.runsLost.Add(1)
	m.opts.Logger.Error(why, "case", f.c.ID, "run", f.c.RunID)
}

func (m *Memory) recordRun(ctx context.Context, f finishedRun) {
	defer m.held.done(f.done)
	defer func() {
		if r := recover(); r != nil {
			m.counts.runsLost.Add(1)
			m.opts.Logger.Error("a run was not recorded: its judge failed", "case", f.c.ID, "panic", r)
		}
	}()
	e := f.c.evaluation(&f.r)
	e.At, e.GroundTruth = f.at, f.c.GroundTruth
	if f.judge != nil {
		j, err := f.judge(ctx, f.c, f.r)
		if err != nil {
			m.opts.Logger.Warn("a run was not judged; it is kept as unlabelled", "case", f.c.ID, "error", err)
			e.GroundTruth = nil
		} else {
			m.judgedBy(&e, j)
		}
	}
	if err := m.Record(context.WithoutCancel(ctx), e); err != nil {
		m.counts.runsLost.Add(1)
		m.opts.Logger.Error("a run was not recorded", "case", f.c.ID, "run", f.c.RunID, "error", err)
	}
}

// judgedBy puts a judge's word into an evaluation. The judge decides in place of
// the comparison: a ground truth that denies its word is left out.
func (m *Memory) judgedBy(e *Evaluation, j Verdict) {
	e.Correct, e.Direction, e.Reason = &j.Correct, j.Direction, j.Reason
	if err := judgment.Contradiction(e, "judgment", "ground_truth"); err != nil {
		m.opts.Logger.Warn("a judge's word stands against the ground truth, which is left out", "case", e.CaseID, "run", e.RunID, "error", err)
		e.GroundTruth = nil
	}
}

// evaluation is what is known of a case once it has run, without the truth.
func (c *Test) evaluation(r *Result) Evaluation {
	return Evaluation{
		RunID: c.RunID, CaseID: c.ID, Attempt: c.Attempt, Scene: c.Scene, Scope: c.Scope,
		Prompt: c.Prompt, Observation: r.Observation, Judgment: r.Judgment, Agent: c.Agent, Trial: r.Trial,
	}
}
