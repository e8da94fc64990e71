package harness

// Ablation: after a run that failed with memories, the test is run again with them and without. That happens in the
// background, once the caller has the result, so that no run waits for it.

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/memtree/memtree/effect"
	"github.com/memtree/memtree/formation"
	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/tree"
)

// AblateOptions configures ablations. An ablation runs a test that failed with memories again, with and without them,
// to find out whether one of them is to blame. The zero value runs nothing.
//
// An ablation needs a label that is known at once, from a Judge or a ground truth. It calls the wrapped function in the
// background, concurrently with the caller's own runs. It uses the context of the run that failed, and ends when that
// context ends. Its runs are not recorded. Memory.Wait waits for ablations, so the wrapped function must not call
// Memory.Wait.
type AblateOptions struct {
	Pairs      int // runs with the memories, and as many without, 2 to 16; 3 is a good choice; 0: no ablation
	PerFailure int // most runs for one failure; 0: 8 times Pairs, 24 at least; less than twice Pairs: nothing is run
	PerHour    int // most runs in an hour, for all failures together; 0: 60
}

// Bounds on the runs of ablations.
const (
	ablateFailure = 8 // for each pair: enough for eight memories and three pairs
	leastFailure  = 24
	ablateHour    = 60
	longestAblate = time.Hour // for one failure
)

// limits sets the defaults, and clamps the rest to the limits of the ledger.
func (o AblateOptions) limits() AblateOptions {
	if o.Pairs > 0 {
		o.Pairs = min(max(2, o.Pairs), 16)
	}
	if o.PerFailure <= 0 {
		o.PerFailure = max(leastFailure, ablateFailure*o.Pairs)
	}
	if o.PerHour <= 0 {
		o.PerHour = ablateHour
	}
	o.PerFailure = min(o.PerFailure, ledger.MaxTried)
	return o
}

// failedRun is a run that failed with memories and waits to be run again.
type failedRun struct {
	wrapped
	ctx        context.Context //nolint:containedctx // of the caller: it says how long the agent may be run for him
	evaluation string
	given      []string
	done       chan struct{} // its channel in ablations.held
}

// ablations holds the failures that wait, and the times of the runs of the last hour.
type ablations struct {
	wait chan failedRun
	held pendingRuns

	mu  sync.Mutex
	ran []time.Time
}

// take counts one run. It returns false if the hour has had its maximum.
func (a *ablations) take(now time.Time, perHour int) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.ran = slices.DeleteFunc(a.ran, func(t time.Time) bool { return now.Sub(t) >= time.Hour })
	if len(a.ran) >= perHour {
		return false
	}
	a.ran = append(a.ran, now)
	return true
}

// lookInto queues a run that was recorded as e for an ablation, if it failed with memories and Wrap was configured for
// it. It does not wait: if too many wait already, it skips this one.
func (h *Harness) lookInto(f *finishedRun, e *tree.Evaluation) {
	if f.ablate == nil || f.ablate.ctx.Err() != nil {
		return
	}
	if v := formation.Detect(e); !v.Labelled || v.Correct {
		return
	}
	x := *f.ablate
	x.evaluation, _ = recordedAs(e)
	if x.done = h.ablations.held.addRun(); x.done == nil {
		return
	}
	select {
	case <-h.o.Closed:
		h.ablations.held.endRun(x.done)
	case h.ablations.wait <- x:
	default:
		h.ablations.held.endRun(x.done)
		h.o.Logger.Info("a failure was not looked into: too many wait", "case", x.c.ID, "run", x.c.RunID)
	}
}

// toAblate returns the data for a later ablation of a run of w. It is nil if ablations are not configured, or the run
// was not given the memories found for it, or is a second one.
func (w *wrapped) toAblate(ctx context.Context) *failedRun {
	given := w.guidance.IDs
	asked := w.opts.Ablate.Pairs > 0 && w.c.Attempt <= 1 && w.guidance.Arm == ledger.ArmMemory
	if !asked || len(given) == 0 || len(given) > ledger.MaxGiven || w.guidance.Trial == "" {
		return nil
	}
	return &failedRun{wrapped: *w, ctx: ctx, given: given}
}

// Ablate runs the ablations of failed tests, one at a time, until ctx ends or the memory closes. Ablations that have
// not begun by then are dropped.
func (h *Harness) Ablate(ctx context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		select {
		case <-h.o.Closed:
			cancel()
		case <-ctx.Done():
		}
	}()
	for {
		select {
		case <-ctx.Done():
			return
		case f := <-h.ablations.wait:
			h.ablate(ctx, f)
			h.ablations.held.endRun(f.done)
		}
	}
}

// ablate processes one failure, and writes the result to the ledger. ctx ends with the memory.
//
//nolint:contextcheck // the agent runs for the caller, within his context; ctx ends it too
func (h *Harness) ablate(ctx context.Context, f failedRun) {
	run, cancel := context.WithTimeout(f.ctx, longestAblate)
	defer cancel()
	defer context.AfterFunc(ctx, cancel)()
	left := f.opts.Ablate.PerFailure
	if left < 2*f.opts.Ablate.Pairs {
		return
	}
	attempt := max(1, f.c.Attempt)
	a := effect.Ablate(f.given, f.opts.Ablate.Pairs, func(given []string) (bool, error) {
		if err := run.Err(); err != nil {
			return false, err
		}
		if left--; left < 0 || !h.ablations.take(h.o.Now(), f.opts.Ablate.PerHour) {
			return false, effect.ErrNoRuns
		}
		attempt++
		return f.try(run, attempt, given)
	})
	if len(a.Tried) == 0 {
		return
	}
	a.Trial, a.Evaluation, a.CaseID = f.guidance.Trial, f.evaluation, f.c.ID
	h.o.Logger.Info("a failure was looked into", "case", f.c.ID, "blame", a.Blame, "culprits", a.Culprits, "why", a.Why)
	if err := a.Check(); err != nil {
		h.o.Logger.Error("what was found of a failure was not written down", "error", err)
		return
	}
	if err := h.o.Memory.Write(context.WithoutCancel(ctx), ledger.Entry{At: h.o.Now(), Ablation: &a}); err != nil {
		h.failed.entries.Add(1)
		h.o.Logger.Error("what was found of a failure was not written down", "error", err)
	}
}

// errUnjudged is the error of a run of an ablation without a label.
var errUnjudged = errors.New("nobody says whether it was right")

// try runs the test once with some of its memories and has the result judged. A run or judge that panics is an error.
// One that does not end when ctx does is abandoned.
func (f *failedRun) try(ctx context.Context, attempt int, given []string) (bool, error) {
	text, err := f.guidanceOf(ctx, given)
	if err != nil {
		return false, err
	}
	type ended struct {
		correct bool
		err     error
	}
	out := make(chan ended, 1)
	w := f.wrapped
	w.c.Attempt = attempt
	go func() {
		defer func() {
			if p := recover(); p != nil {
				out <- ended{err: fmt.Errorf("it panicked: %v", p)}
			}
		}()
		r, err := w.run(ctx, w.place(text))
		if err != nil {
			out <- ended{err: err}
			return
		}
		e, err := w.judgeRun(ctx, &finishedRun{c: w.c, r: r, at: w.o.Now(), judge: w.opts.Judge})
		v := formation.Detect(&e)
		if err == nil && !v.Labelled {
			err = errUnjudged
		}
		out <- ended{v.Correct, err}
	}()
	select {
	case e := <-out:
		if e.err != nil {
			w.o.Logger.Warn("a failure could not be looked into further", "case", w.c.ID, "error", e.err)
		}
		return e.correct, e.err
	case <-ctx.Done():
		return false, ctx.Err()
	}
}

// guidanceOf returns the guidance of the run that failed, made of some of its memories only.
func (f *failedRun) guidanceOf(ctx context.Context, given []string) (string, error) {
	switch len(given) {
	case 0:
		return "", nil
	case len(f.given):
		return f.guidance.Text, nil
	}
	return f.o.Memory.GuideWith(ctx, &f.c, given)
}
