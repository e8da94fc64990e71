package memtree

import (
	"context"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/memtree/memtree/effect"
	"github.com/memtree/memtree/enhance"
	"github.com/memtree/memtree/internal/core"
	"github.com/memtree/memtree/internal/judgment"
	"github.com/memtree/memtree/risk"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// Test is one test case to run.
type Test struct {
	ID          string     // of the test case
	RunID       string     // of this run of it; "": Wrap makes one
	Attempt     int        // from 1; 0: unknown
	Prompt      string     // the task of the agent
	Context     string     // background knowledge, for agents that receive it apart from the prompt
	Observation string     // the observation before the run, if any: an ARIA snapshot or the page's text
	Scene       tree.Scene // where in the product
	Scope       tree.Scope // which product, suite and test
	GroundTruth tree.Raw   // the label; never shown to the agent
	Agent       tree.Agent // the agent that runs it
}

// Result is the result of an agent for a test. Wrap sets all fields except Judgment and Observation.
type Result struct {
	Judgment    tree.Raw         // any JSON
	Observation string           // the agent's observation when it judged
	Trial       string           // whose guidance was used
	Risk        *risk.Risk       // how likely the judgment is to be wrong; nil: not available in time
	Correction  *tree.Correction // what was done about that risk; nil: nothing
	First       *Result          // the agent's own, if a correction replaced it
}

// RunTest runs one test. Wrap takes one and returns one.
type RunTest func(ctx context.Context, t Test) (Result, error)

// Judge decides whether a result was right, in place of the ground truth. A run that it fails to judge has no label.
// Wait and Evolve wait for judges, so it must call neither.
type Judge func(ctx context.Context, t Test, r Result) (Verdict, error)

// Verdict is a judge's decision on a result.
type Verdict struct {
	Correct   bool
	Direction taxonomy.Direction // which way it was wrong; optional
	Reason    string             // what was missed, in a sentence
}

// WrapOptions configures how Wrap uses memory. Nil, and the zero value, are useful.
type WrapOptions struct {
	Placement enhance.Placement // after the prompt, before it, or apart from it in Test.Context
	Judge     Judge             // nil: judgment and ground truth are compared
	Correct   CorrectOptions    // what to do about a judgment that is likely to be wrong
	Ablate    AblateOptions     // whether to find out which memory made a run fail
	Holdout   *effect.Holdout   // the share of this suite's runs without memory; nil: Options.Holdout
}

// Wrap returns a function like run that uses memory: it puts guidance into the prompt, runs, and has the result judged
// and recorded in the background. Run sees no ground truth. Memory never breaks a run, and each of its steps within a
// run takes at most Options.Deadline.
func Wrap(m *Memory, run RunTest, opts *WrapOptions) RunTest {
	var o WrapOptions
	if opts != nil {
		o = *opts
	}
	var err error
	o.Ablate = o.Ablate.limits()
	if o.Correct, err = o.Correct.check(); err != nil {
		m.opts.Logger.Error("verdicts are only flagged", "error", err)
		o.Correct, _ = CorrectOptions{}.check()
	}
	if o.Correct.Do != tree.Flag && !m.opts.ReadOnly {
		m.learned.corrections.At(o.Correct.Above, o.Correct.Since) // followed before a run needs it
		core.Poke(m.learned.verdicts)
	}
	// The function works after Close too, without guidance; its runs are not recorded then.
	return func(ctx context.Context, c Test) (Result, error) {
		if c.RunID == "" {
			c.RunID = m.newRun()
		}
		w := wrapped{m: m, run: run, opts: &o, c: c, guidance: m.guideSafely(ctx, c, o.Holdout)}
		r, err := w.runOnce(ctx, w.guidance.Text)
		if err != nil || ctx.Err() != nil {
			return r, err
		}
		return w.correct(ctx, r), nil
	}
}

// wrapped is one run of a wrapped function.
type wrapped struct {
	m        *Memory
	run      RunTest
	opts     *WrapOptions
	c        Test
	guidance Guidance
}

// runCount makes the ids of runs that start at one time distinct.
var runCount atomic.Uint64

// newRun returns an id for a run, made of its time and a count.
func (m *Memory) newRun() string {
	return "r_" + m.opts.Now().UTC().Format(time.RFC3339Nano) + "_" + strconv.FormatUint(runCount.Add(1), 10)
}

// place returns the test in the form for the agent: with a text in its prompt or beside it, and without the ground
// truth.
func (w *wrapped) place(text string) Test {
	given := w.c
	given.GroundTruth = nil
	if w.opts.Placement == enhance.Separate {
		given.Context = enhance.Join(w.c.Context, text)
	} else {
		given.Prompt = enhance.Place(w.c.Prompt, text, w.opts.Placement)
	}
	return given
}

// runOnce runs the test with a text, and hands the result over to be judged and recorded.
func (w *wrapped) runOnce(ctx context.Context, text string) (Result, error) {
	r, err := w.run(ctx, w.place(text))
	if err != nil {
		return r, err
	}
	m := w.m
	r.Trial, r.Correction, r.First = w.guidance.Trial, nil, nil
	r.Risk = m.riskSafely(ctx, w.c.evaluation(&r))
	m.handOver(finishedRun{c: w.c, r: r, at: m.opts.Now(), judge: w.opts.Judge, ablate: w.toAblate(ctx)})
	return r, nil
}

// guideSafely is Guide for Wrap, which must not fail: after an error or a panic it returns empty
// guidance.
func (m *Memory) guideSafely(ctx context.Context, c Test, h *effect.Holdout) (g Guidance) {
	defer func() {
		if r := recover(); r != nil {
			m.counts.guideFailures.Add(1)
			m.opts.Logger.Error("guidance failed, the run goes on without", "panic", r)
			g = Guidance{}
		}
	}()
	q := c.query()
	q.Holdout = h
	g, err := m.Guide(ctx, q)
	if err != nil {
		m.opts.Logger.Warn("no guidance, the run goes on without", "error", err)
		return Guidance{}
	}
	return g
}

// query returns the query of a test.
func (c *Test) query() Query {
	return Query{
		Prompt: c.Prompt, Observation: c.Observation, Scene: c.Scene, Scope: c.Scope, Agent: c.Agent, RunID: c.RunID,
	}
}

// finishedRun is a run that waits to be judged and recorded.
type finishedRun struct {
	c      Test
	r      Result
	at     time.Time
	judge  Judge
	ablate *failedRun    // for an ablation if it failed; nil: none is configured
	done   chan struct{} // its channel in held
}

// handOver passes a run to the worker that judges. It does not wait for the judge. If the queue
// stays full for Options.Deadline, the run is lost.
func (m *Memory) handOver(f finishedRun) {
	if m.opts.ReadOnly {
		return
	}
	if f.done = m.held.addRun(); f.done == nil {
		m.countLost(f, "a run was not recorded: memory is closed")
		return
	}
	select {
	case m.runs <- f:
	case <-time.After(m.opts.Deadline):
		m.held.endRun(f.done)
		m.countLost(f, "a run was not recorded: judging cannot keep up")
	}
}

// countLost counts and logs a run that cannot be recorded.
func (m *Memory) countLost(f finishedRun, why string) {
	m.counts.runsLost.Add(1)
	m.opts.Logger.Error(why, "case", f.c.ID, "run", f.c.RunID)
}

// recordRun has a run judged and records it. If the judge fails, the run is recorded without a
// label; if it panics, the run is lost.
func (m *Memory) recordRun(ctx context.Context, f finishedRun) {
	defer m.held.endRun(f.done)
	defer func() {
		if r := recover(); r != nil {
			m.counts.runsLost.Add(1)
			m.opts.Logger.Error("a run was not recorded: its judge failed", "case", f.c.ID, "panic", r)
		}
	}()
	e, err := m.judgeRun(ctx, &f)
	if err != nil {
		m.opts.Logger.Warn("a run was not judged; it is kept as unlabelled", "case", f.c.ID, "error", err)
	}
	if err := m.Record(context.WithoutCancel(ctx), e); err != nil {
		m.counts.runsLost.Add(1)
		m.opts.Logger.Error("a run was not recorded", "case", f.c.ID, "run", f.c.RunID, "error", err)
		return
	}
	m.lookInto(&f, &e)
}

// judgeRun returns the evaluation of a run with the verdict of its judge or its ground truth. After an error of the
// judge it has no label.
func (m *Memory) judgeRun(ctx context.Context, f *finishedRun) (Evaluation, error) {
	e := f.c.evaluation(&f.r)
	e.At, e.GroundTruth = f.at, f.c.GroundTruth
	if f.judge == nil {
		return e, nil
	}
	j, err := f.judge(ctx, f.c, f.r)
	if err != nil {
		e.GroundTruth = nil
		return e, err
	}
	m.judgedBy(&e, j)
	return e, nil
}

// judgedBy writes a judge's verdict into an evaluation. The judge replaces the comparison, so a ground truth that
// contradicts the verdict is omitted.
func (m *Memory) judgedBy(e *Evaluation, j Verdict) {
	e.Correct, e.Direction, e.Reason = &j.Correct, j.Direction, j.Reason
	if err := judgment.Denied(e, "judgment", "ground_truth"); err != nil {
		m.opts.Logger.Warn("a judge's word stands against the ground truth, which is left out",
			"case", e.CaseID, "run", e.RunID, "error", err)
		e.GroundTruth = nil
	}
}

// evaluation returns the evaluation of a test with a result, without time and ground truth.
func (c *Test) evaluation(r *Result) Evaluation {
	return Evaluation{
		RunID: c.RunID, CaseID: c.ID, Attempt: c.Attempt, Scene: c.Scene, Scope: c.Scope,
		Prompt: c.Prompt, Observation: r.Observation, Judgment: r.Judgment, Agent: c.Agent, Trial: r.Trial,
	}
}
