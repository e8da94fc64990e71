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
	ID          string     // of the test case
	RunID       string     // of this run of it; "": Wrap makes one
	Attempt     int        // from 1; 0 means not said
	Prompt      string     // what the agent is asked
	Context     string     // background knowledge, for agents that take it apart from the prompt
	Observation string     // what can be seen before the run, if anything: an ARIA snapshot or the page's text
	Scene       tree.Scene // where in the product
	Scope       tree.Scope // which product, suite and test
	GroundTruth tree.Raw   // what is true; never shown to the agent
	Agent       tree.Agent // who runs it
}

// Result is what an agent made of a test. Wrap sets Trial, Risk and First.
type Result struct {
	Judgment    tree.Raw   // any JSON
	Observation string     // what the agent could see when it judged
	Trial       string     // whose guidance was used
	Risk        *risk.Risk // how likely the judgment is to be wrong; nil: it could not be said in time
	First       *Result    // of the run before, where the test was run once more
}

// RunTest runs one test. It is what Wrap takes and what it returns.
type RunTest func(ctx context.Context, t Test) (Result, error)

// Judge says whether a result was right, whatever the ground truth says. A run that it
// fails to judge has no label. Wait and Evolve wait for judges, so it must call neither.
type Judge func(ctx context.Context, t Test, r Result) (Verdict, error)

// Verdict is a judge's word on a result.
type Verdict struct {
	Correct   bool
	Direction taxonomy.Direction // which way it was wrong; may be left out
	Reason    string             // what was missed, in a sentence
}

// WrapOptions say how Wrap puts memory to use. Nil, and the zero value, are useful.
type WrapOptions struct {
	Placement  enhance.Placement // after the prompt, before it, or apart from it in Test.Context
	Judge      Judge             // nil: judgment and ground truth are compared
	RerunAbove float64           // run a test once more whose judgment is likelier than this to be wrong; 0: never
}

// Wrap returns a function of run's shape that remembers: it puts guidance into the prompt,
// runs, and has the result judged and recorded in the background. Run sees no ground
// truth. Memory never breaks a run, and slows it by no more than Options.Deadline.
func Wrap(m *Memory, run RunTest, opts *WrapOptions) RunTest {
	var o WrapOptions
	if opts != nil {
		o = *opts
	}
	// The function works after Close too, without guidance; its runs are not recorded then.
	return func(ctx context.Context, c Test) (Result, error) {
		if c.RunID == "" {
			c.RunID = m.newRun()
		}
		r, err := m.runOnce(ctx, run, c, o)
		risky := o.RerunAbove > 0 && r.Risk != nil && r.Risk.Enough && r.Risk.P > o.RerunAbove
		if err != nil || !risky || ctx.Err() != nil {
			return r, err
		}
		c.Attempt = max(1, c.Attempt) + 1
		again, err := m.runOnce(ctx, run, c, o)
		if err != nil {
			m.opts.Logger.Warn("a run that is likely to be wrong could not be run again",
				"case", c.ID, "run", c.RunID, "error", err)
			return r, nil
		}
		again.First = &r
		return again, nil
	}
}

// runCount makes the ids of runs different that start at one time.
var runCount atomic.Uint64

// newRun returns an id for a run, made of its time and a count.
func (m *Memory) newRun() string {
	return "r_" + m.opts.Now().UTC().Format(time.RFC3339Nano) + "_" + strconv.FormatUint(runCount.Add(1), 10)
}

// runOnce runs a test with guidance, and hands the result over to be judged and recorded.
func (m *Memory) runOnce(ctx context.Context, run RunTest, c Test, o WrapOptions) (Result, error) {
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
	m.handOver(finishedRun{c: c, r: r, at: m.opts.Now(), judge: o.Judge})
	return r, nil
}

// guideSafely is Guide for Wrap, which must not fail: after an error or a panic it returns empty
// guidance.
func (m *Memory) guideSafely(ctx context.Context, c Test) (g Guidance) {
	defer func() {
		if r := recover(); r != nil {
			m.counts.guideFailures.Add(1)
			m.opts.Logger.Error("guidance failed, the run goes on without", "panic", r)
			g = Guidance{}
		}
	}()
	g, err := m.Guide(ctx, Query{
		Prompt: c.Prompt, Observation: c.Observation, Scene: c.Scene, Scope: c.Scope, Agent: c.Agent, RunID: c.RunID,
	})
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
	done  chan struct{} // its channel in held
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

// judgedBy writes a judge's verdict into an evaluation. The judge decides in place of the
// comparison, so a ground truth that contradicts the verdict is left out.
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
