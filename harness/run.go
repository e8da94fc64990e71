package harness

import (
	"context"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/memtree/memtree/enhance"
	"github.com/memtree/memtree/internal/judgment"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// wrapped is one run of a wrapped function.
type wrapped struct {
	*Harness
	run      RunTest
	opts     *WrapOptions
	c        Test
	guidance Advice
}

// runCount makes the ids of runs that start at one time distinct.
var runCount atomic.Uint64

// newRun returns an id for a run, made of its time and a count.
func (h *Harness) newRun() string {
	return "r_" + h.o.Now().UTC().Format(time.RFC3339Nano) + "_" + strconv.FormatUint(runCount.Add(1), 10)
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
func (w *wrapped) runOnce(ctx context.Context, text string) (TestResult, error) {
	r, err := w.run(ctx, w.place(text))
	if err != nil {
		return r, err
	}
	r.Trial, r.Correction, r.First = w.guidance.Trial, nil, nil
	r.Risk = w.riskSafely(ctx, w.c.evaluation(&r))
	w.handOver(finishedRun{c: w.c, r: r, at: w.o.Now(), judge: w.opts.Judge, ablate: w.toAblate(ctx)})
	return r, nil
}

// finishedRun is a run that waits to be judged and recorded.
type finishedRun struct {
	c      Test
	r      TestResult
	at     time.Time
	judge  Judge
	ablate *failedRun    // for an ablation if it failed; nil: none is configured
	done   chan struct{} // its channel in held
}

// handOver passes a run to the worker that judges. It does not wait for the judge. If the queue
// stays full for Options.Deadline, the run is lost.
func (h *Harness) handOver(f finishedRun) {
	if h.o.ReadOnly {
		return
	}
	if f.done = h.held.addRun(); f.done == nil {
		h.countLost(f, "a run was not recorded: memory is closed")
		return
	}
	select {
	case h.runs <- f:
	case <-time.After(h.o.Deadline):
		h.held.endRun(f.done)
		h.countLost(f, "a run was not recorded: judging cannot keep up")
	}
}

// countLost counts and logs a run that cannot be recorded.
func (h *Harness) countLost(f finishedRun, why string) {
	h.failed.runs.Add(1)
	h.o.Logger.Error(why, "case", f.c.ID, "run", f.c.RunID)
}

// recordRun has a run judged and records it. If the judge fails, the run is recorded without a
// label; if it panics, the run is lost.
func (h *Harness) recordRun(ctx context.Context, f finishedRun) {
	defer h.held.endRun(f.done)
	defer func() {
		if r := recover(); r != nil {
			h.failed.runs.Add(1)
			h.o.Logger.Error("a run was not recorded: its judge failed", "case", f.c.ID, "panic", r)
		}
	}()
	e, err := h.judgeRun(ctx, &f)
	if err != nil {
		h.o.Logger.Warn("a run was not judged; it is kept as unlabelled", "case", f.c.ID, "error", err)
	}
	if err := h.o.Memory.Record(context.WithoutCancel(ctx), e); err != nil {
		h.failed.runs.Add(1)
		h.o.Logger.Error("a run was not recorded", "case", f.c.ID, "run", f.c.RunID, "error", err)
		return
	}
	h.lookInto(&f, &e)
}

// judgeRun returns the evaluation of a run with the verdict of its judge or its ground truth. After an error of the
// judge it has no label.
func (h *Harness) judgeRun(ctx context.Context, f *finishedRun) (tree.Evaluation, error) {
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
	h.judgedBy(&e, j)
	return e, nil
}

// judgedBy writes a judge's verdict into an evaluation. The judge replaces the comparison, so a ground truth that
// contradicts the verdict is omitted.
func (h *Harness) judgedBy(e *tree.Evaluation, j JudgeVerdict) {
	e.Correct, e.Direction, e.Reason = &j.Correct, j.Direction, j.Reason
	if err := judgment.Denied(e, "judgment", "ground_truth"); err != nil && !e.GroundTruth.Null() {
		h.o.Logger.Warn("a judge's word stands against the ground truth, which is left out",
			"case", e.CaseID, "run", e.RunID, "error", err)
		e.GroundTruth = nil
	}
	if judgment.Denied(e, "judgment", "ground_truth") != nil {
		e.Direction = taxonomy.None // it is derived
	}
}

// evaluation returns the evaluation of a test with a result, without time and ground truth.
func (c *Test) evaluation(r *TestResult) tree.Evaluation {
	return tree.Evaluation{
		RunID: c.RunID, CaseID: c.ID, Attempt: c.Attempt, Scene: c.Scene, Scope: c.Scope,
		Prompt: c.Prompt, Observation: r.Observation, Judgment: r.Judgment, Agent: c.Agent, Trial: r.Trial,
	}
}

// Judge judges and records the results of wrapped functions, one after another, until ctx ends.
func (h *Harness) Judge(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case f := <-h.runs:
			h.recordRun(ctx, f)
		}
	}
}

// drainDeadline bounds how long Drain judges the remaining runs.
const drainDeadline = 10 * time.Second

// Drain makes h accept no further runs, and judges and records those that remain. After ten seconds the context of
// judges ends, and runs that they did not judge are recorded without a label.
func (h *Harness) Drain() {
	ctx, cancel := context.WithTimeout(context.Background(), drainDeadline)
	defer cancel()
	h.held.close()
	for left := h.held.runsNow(); len(left) > 0; left = h.held.runsNow() {
		select {
		case f := <-h.runs:
			h.recordRun(ctx, f)
			continue
		default:
		}
		select {
		case f := <-h.runs:
			h.recordRun(ctx, f)
		case <-left[0]:
		case <-ctx.Done():
			return
		}
	}
}
