package memtree

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/memtree/memtree/enhance"
	"github.com/memtree/memtree/internal/judgment"
	"github.com/memtree/memtree/risk"
	"github.com/memtree/memtree/tree"
)

// correct applies the configured correction to a result that is likely to be wrong. The agent's own judgment was
// handed over before and is recorded unchanged. A correction that cannot be written to the ledger is not made.
func (w *wrapped) correct(ctx context.Context, first Result) Result {
	m, e := w.m, w.c.evaluation(&first)
	soon, cancel := context.WithTimeout(ctx, m.opts.Deadline)
	c := m.planSafely(soon, &e, first.Risk, w.opts.Correct)
	cancel()
	if c == nil {
		return first
	}
	if m.opts.ReadOnly && c.Done != tree.Flag {
		onlyFlag(c, tree.WhyUnkept)
	}
	out := first
	switch c.Done {
	case tree.Rerun:
		out = w.again(ctx, c, first)
	case tree.Other:
		c.Now, c.Changed = c.Other, true
		out.Judgment, out.First = c.Other, &first
	}
	soon, cancel = context.WithTimeout(context.WithoutCancel(ctx), m.opts.Deadline)
	defer cancel()
	kept := *c // the caller may change the result
	if err := m.keepEntry(soon, tree.Entry{At: m.opts.Now(), Correction: &kept}); err != nil {
		m.opts.Logger.Error("a verdict was not corrected: the correction could not be written down",
			"case", w.c.ID, "run", w.c.RunID, "error", err)
		out = first
		onlyFlag(c, tree.WhyUnkept)
	}
	out.Correction = c
	return out
}

// again runs the test once more under the same trial, with the guidance of the first run and the reasons of its risk,
// as the next attempt.
func (w *wrapped) again(ctx context.Context, c *tree.Correction, first Result) Result {
	m := w.m
	var why []enhance.Doubt
	for i := range first.Risk.Because {
		if b := &first.Risk.Because[i]; b.LogOdds > 0 {
			why = append(why, enhance.Doubt{Signal: b.Signal, Words: b.Words})
		}
	}
	text, err := enhance.SecondLook(w.guidance.Text, w.c.Prompt, "", why)
	second := *w
	second.c.Attempt = max(1, w.c.Attempt) + 1
	var out Result
	if err == nil {
		out, err = second.runSafely(ctx, text)
	}
	if err != nil {
		m.opts.Logger.Warn("a run that is likely to be wrong could not be run again",
			"case", w.c.ID, "run", w.c.RunID, "error", err)
		onlyFlag(c, tree.WhyRunFailed)
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
func (w *wrapped) runSafely(ctx context.Context, text string) (r Result, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the run panicked: %v", p)
		}
	}()
	return w.runOnce(ctx, text)
}

// planSafely is planCorrection for Wrap, which must not fail: after a panic it returns nil.
func (m *Memory) planSafely(
	ctx context.Context, e *Evaluation, r *risk.Risk, o CorrectOptions,
) (c *tree.Correction) {
	defer func() {
		if p := recover(); p != nil {
			m.opts.Logger.Error("a verdict was not corrected", "panic", p)
			c = nil
		}
	}()
	return m.planCorrection(ctx, e, r, o)
}

// keepEntry passes an entry to the worker that writes the ledger, and waits for room in its
// queue. When it returns nil the entry is written before Close returns.
func (m *Memory) keepEntry(ctx context.Context, e tree.Entry) error {
	if m.opts.ReadOnly {
		return nil
	}
	if err := checkEntry(&e); err != nil {
		return err
	}
	done := m.held.addRun() // Close waits for it
	if done == nil {
		return tree.ErrClosed
	}
	defer m.held.endRun(done)
	select {
	case m.trials <- e:
		return nil
	case <-time.After(m.opts.Deadline):
		return errors.New("the ledger cannot keep up")
	case <-ctx.Done():
		return ctx.Err()
	}
}

// checkEntry checks the kinds of entries that memory did not make only of checked ones.
func checkEntry(e *tree.Entry) error {
	switch {
	case e.Correction != nil:
		return e.Correction.Check()
	case e.Ablation != nil:
		return e.Ablation.Check()
	}
	return nil
}
