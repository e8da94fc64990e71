package harness

import (
	"context"
	"fmt"

	"github.com/memtree/memtree/enhance"
	"github.com/memtree/memtree/internal/judgment"
	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/risk"
	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/tree"
)

// correct applies the configured correction to a result that is likely to be wrong. The agent's own judgment was
// handed over before and is recorded unchanged. A correction that cannot be written to the ledger is not made.
func (w *wrapped) correct(ctx context.Context, first TestResult) TestResult {
	e := w.c.evaluation(&first)
	soon, cancel := context.WithTimeout(ctx, w.o.Deadline)
	c := w.planSafely(soon, &e, first.Risk, w.opts.Correct)
	cancel()
	if c == nil {
		return first
	}
	if w.o.ReadOnly && c.Done != ledger.Flag {
		onlyFlag(c, ledger.WhyUnkept)
	}
	out := first
	switch c.Done {
	case ledger.Rerun:
		out = w.again(ctx, c, first)
	case ledger.Other:
		c.Now, c.Changed = c.Other, true
		out.Judgment, out.First = c.Other, &first
	}
	soon, cancel = context.WithTimeout(context.WithoutCancel(ctx), w.o.Deadline)
	defer cancel()
	kept := *c // the caller may change the result
	kept.Grounds = nil
	if err := w.write(soon, ledger.Entry{At: w.o.Now(), Correction: &kept}); err != nil {
		w.o.Logger.Error("a verdict was not corrected: the correction could not be written down",
			"case", w.c.ID, "run", w.c.RunID, "error", err)
		out = first
		onlyFlag(c, ledger.WhyUnkept)
	}
	out.Correction = c
	return out
}

// again runs the test once more under the same trial, with the guidance of the first run and the reasons of its risk,
// as the next attempt.
func (w *wrapped) again(ctx context.Context, c *ledger.Correction, first TestResult) TestResult {
	var why []enhance.Doubt
	for i := range first.Risk.Because {
		if b := &first.Risk.Because[i]; b.LogOdds > 0 {
			why = append(why, enhance.Doubt{Signal: b.Signal, Words: b.Words})
		}
	}
	text, err := enhance.SecondLook(w.guidance.Text, w.c.Prompt, "", why)
	second := *w
	second.c.Attempt = max(1, w.c.Attempt) + 1
	var out TestResult
	if err == nil {
		out, err = second.runSafely(ctx, text)
	}
	if err != nil {
		w.o.Logger.Warn("a run that is likely to be wrong could not be run again",
			"case", w.c.ID, "run", w.c.RunID, "error", err)
		onlyFlag(c, ledger.WhyRunFailed)
		return first
	}
	e := second.c.evaluation(&out)
	c.Again, _ = recordedAs(&e)
	c.Changed = !judgment.Equal(judgment.Decode(out.Judgment), judgment.Decode(first.Judgment))
	if c.Now, _ = judgment.Bare(out.Judgment); len(c.Now) > tree.MaxName {
		c.Now = nil
	}
	out.First = &first
	return out
}

// runSafely is runOnce for a run that the caller did not start: a panic of it is an error.
func (w *wrapped) runSafely(ctx context.Context, text string) (r TestResult, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the run panicked: %v", p)
		}
	}()
	return w.runOnce(ctx, text)
}

// planSafely is planCorrection for Wrap, which must not fail: after a panic it returns nil.
func (h *Harness) planSafely(
	ctx context.Context, e *tree.Evaluation, r *risk.Risk, o CorrectOptions,
) (c *ledger.Correction) {
	defer func() {
		if p := recover(); p != nil {
			h.o.Logger.Error("a verdict was not corrected", "panic", p)
			c = nil
		}
	}()
	return h.plan(ctx, e, r, o)
}

// write queues an entry for the ledger, unless the memory is open for reading only.
func (h *Harness) write(ctx context.Context, e ledger.Entry) error {
	if h.o.ReadOnly {
		return nil
	}
	if err := checkEntry(&e); err != nil {
		return err
	}
	done := h.held.addRun() // Drain waits for it
	if done == nil {
		return store.ErrClosed
	}
	defer h.held.endRun(done)
	return h.o.Memory.Write(ctx, e)
}

// checkEntry checks the kinds of entries that memory did not make of checked ones alone.
func checkEntry(e *ledger.Entry) error {
	switch {
	case e.Correction != nil:
		return e.Correction.Check()
	case e.Ablation != nil:
		return e.Ablation.Check()
	}
	return nil
}
