package harness

// Correction: a verdict that is likely to be wrong is flagged, or the test is run once more, or the other verdict is
// used. Each is an entry of the ledger, and memory learns from the agent's own verdict. The results of corrections
// decide whether they continue.

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/memtree/memtree/formation"
	"github.com/memtree/memtree/internal/judgment"
	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/risk"
	"github.com/memtree/memtree/tree"
)

// CorrectOptions configures what is done about a judgment that is likely to be wrong. The zero value flags it: no
// verdict changes, and the ledger shows over time what using the opposite verdict would have achieved. With invalid
// options Wrap flags too, and logs why.
type CorrectOptions struct {
	Above float64       // probability of being wrong from which to correct, 0 to 1; 0: ledger.CorrectAbove
	Do    ledger.Remedy // ledger.Flag, ledger.Rerun or ledger.Other; "": ledger.Flag
	// LookInCorrect makes Correct, not Wrap, have a model look again at a judgment whose risk is at least half of Above.
	LookInCorrect bool

	// Since excludes earlier corrections, such as those of another agent, from deciding whether a remedy has to stop.
	Since time.Time
}

// Check returns o with its defaults, or a *tree.FieldError for an invalid field.
func (o CorrectOptions) Check() (CorrectOptions, error) {
	o.Above = cmp.Or(o.Above, ledger.CorrectAbove)
	o.Do = cmp.Or(o.Do, ledger.Flag)
	if !(o.Above > 0 && o.Above <= 1) {
		return o, &tree.FieldError{Field: "above", Problem: fmt.Sprintf("is %v; it lies above 0 and goes to 1", o.Above)}
	}
	if !o.Do.Valid() {
		return o, &tree.FieldError{Field: "do", Problem: fmt.Sprintf("is %q; use flag, rerun or other", o.Do)}
	}
	return o, nil
}

// Correct returns what to do about the judgment of e, nil if the judgment is not likely enough to be wrong or its label
// is known. Now of the correction is the verdict to use. Correct writes the correction to the ledger, unless
// Options.ReadOnly is set. It cannot run a test again, so ledger.Rerun is an error. Use it for runs that Wrap does not
// run; Wrap corrects its own runs.
func (h *Harness) Correct(ctx context.Context, e tree.Evaluation, o CorrectOptions) (*ledger.Correction, error) {
	o, err := o.Check()
	if err == nil && o.Do == ledger.Rerun {
		err = &tree.FieldError{Field: "do", Problem: "is rerun; only Wrap can run a test again, use flag or other"}
	}
	if err != nil {
		return nil, fmt.Errorf("correct: %w", err)
	}
	r, err := h.o.Memory.Risk(ctx, e)
	if err == nil && o.LookInCorrect && !r.Learned && r.P >= o.Above/2 {
		if err = h.o.Memory.Look(ctx, e); err == nil {
			r, err = h.o.Memory.Risk(ctx, e)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("correct: %w", err)
	}
	c := h.plan(ctx, &e, &r, o)
	if c == nil {
		return nil, ctx.Err()
	}
	if c.Done == ledger.Other {
		c.Now, c.Changed = c.Other, true
	}
	kept := *c // the caller may change the result
	kept.Grounds = nil
	if err := h.write(ctx, ledger.Entry{At: h.o.Now(), Correction: &kept}); err != nil {
		return nil, fmt.Errorf("correct: %w", err)
	}
	return c, nil
}

// ground returns a reason of a risk as a ground of a correction. That of a second look is its quotation.
func (h *Harness) ground(e *tree.Evaluation, b *risk.Reason) ledger.Ground {
	g := ledger.Ground{Signal: b.Signal, Words: b.Words, Evaluations: b.Evaluations, Memories: b.Memories}
	if b.Signal == "look" {
		g.Point, g.Quote = h.o.Memory.Quoted(*e)
	}
	return g
}

// recordedAs returns the key and the case of an evaluation as recorded, without its secrets.
func recordedAs(e *tree.Evaluation) (key, caseID string) {
	own := *e
	own.Identify()
	own, _ = formation.Redact(own)
	return own.Key(), own.CaseID
}

// onlyFlag turns a correction into a flag, with the reason.
func onlyFlag(c *ledger.Correction, why string) {
	c.Done, c.Why, c.Again, c.Now, c.Changed = ledger.Flag, why, "", c.First, false
}

// plan returns the correction of a judgment with a risk; nil: none. A risk without evidence corrects
// nothing, nor does that of a judgment with a label.
func (h *Harness) plan(ctx context.Context, e *tree.Evaluation, r *risk.Risk, o CorrectOptions) *ledger.Correction {
	if r == nil || !r.Enough || r.Learned || !(r.P >= o.Above) {
		return nil
	}
	key, name := recordedAs(e)
	c := &ledger.Correction{
		Evaluation: key, Trial: e.Trial, CaseID: name, P: r.P, Bound: o.Above, Asked: o.Do, Done: o.Do,
	}
	for i := range r.Because {
		if b := &r.Because[i]; b.LogOdds > 0 {
			c.Signals = append(c.Signals, b.Signal)
			c.Grounds = append(c.Grounds, h.ground(e, b))
		}
	}
	if bare, ok := judgment.Bare(e.Judgment); ok && len(bare) <= tree.MaxName {
		c.First, c.Now = bare, bare
		c.Other, _ = judgment.Opposite(e.Judgment)
	}
	if o.Do == ledger.Other && c.Other == nil {
		onlyFlag(c, ledger.WhyNoOther)
	}
	if c.Done == ledger.Flag {
		return c
	}
	switch back, err := h.o.Memory.TakenBack(ctx, c.Evaluation); {
	case err != nil:
		h.o.Logger.Warn("a verdict was only flagged: what corrections came to could not be read", "error", err)
		onlyFlag(c, ledger.WhyUnread)
		return c
	case back:
		onlyFlag(c, ledger.WhyTakenBack)
		return c
	}
	switch stopped, err := h.o.Memory.Stopped(ctx, o); {
	case err != nil:
		h.o.Logger.Warn("a verdict was only flagged: what corrections came to could not be read", "error", err)
		onlyFlag(c, ledger.WhyUnread)
	case stopped:
		h.o.Logger.Warn("a verdict was only flagged: corrections broke more verdicts than they put right",
			"remedy", o.Do, "evaluation", c.Evaluation)
		onlyFlag(c, ledger.WhyStopped)
	}
	return c
}
