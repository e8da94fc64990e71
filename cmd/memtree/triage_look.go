package main

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/spf13/cobra"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/internal/cli/say"
	"github.com/memtree/memtree/internal/text"
	"github.com/memtree/memtree/llm"
	"github.com/memtree/memtree/llm/meter"
	"github.com/memtree/memtree/look"
	"github.com/memtree/memtree/tree"
)

// lookFlags are the flags of triage for second looks.
type lookFlags struct {
	of  look.Extent // of the riskiest verdicts
	dry bool
	handFlags
}

func (f *lookFlags) add(a *app, c *cobra.Command) {
	c.Flags().Var(&f.of, "look", a.Say("have the model look a second time at so many of the riskiest verdicts: a number, "+
		"a share such as 30%, or all"))
	c.Flags().BoolVar(&f.dry, "dry-run", false, a.Say("with --look: estimate what it would take; "+
		"ask no model, write nothing"))
	addHandFlags(a.Voice, c, &f.handFlags)
	a.model.Flags(c)
}

func (f *lookFlags) check(v *say.Voice) error {
	if f.of.IsZero() && (f.dry || f.handFlags != handFlags{}) {
		return v.Usage("--dry-run, --print and --from go with --look")
	}
	return nil
}

// lookedAt is the result of the second looks, as --json prints it.
type lookedAt struct {
	look.ReadResult
	Cost      any  `json:"cost"`      // a number, or "unknown"
	Estimated bool `json:"estimated"` // of a dry run
	handed
	by *handFlags
}

// lookAt has the reader look at the riskiest of the verdicts, in the order of triage.
func lookAt(ctx context.Context, a *app, m *memtree.Memory, es []tree.Evaluation, f *lookFlags) (*lookedAt, error) {
	type scored struct {
		e        *tree.Evaluation
		p, order float64
	}
	var all []scored
	for i := range es {
		r, err := m.Risk(ctx, es[i])
		if err != nil {
			return nil, err
		}
		if !r.Learned {
			all = append(all, scored{&es[i], r.P, r.Order})
		}
	}
	slices.SortStableFunc(all, func(x, y scored) int {
		return cmp.Or(cmp.Compare(y.p, x.p), cmp.Compare(y.order, x.order))
	})
	all = all[:f.of.Of(len(all))]
	riskiest := make([]tree.Evaluation, 0, len(all))
	for _, s := range all {
		riskiest = append(riskiest, *s.e)
	}
	hand, err := byHand(ctx, a, &f.handFlags)
	if err != nil {
		return nil, err
	}
	o := look.Options{Reading: meter.Reading{DryRun: f.dry}}
	o.Price, _ = a.model.PriceOf(a.model.Name)
	if hand != nil {
		o.Reader = hand
	} else if o.Decider, err = a.model.Decider(); err != nil {
		return nil, err
	}
	if o.Decider != nil {
		o.Price, _ = a.model.DecidePrice()
	}
	o.MaxCalls, o.MaxCost = a.model.Left()
	if err := priceLooks(ctx, a, m, riskiest, o); err != nil {
		return nil, err
	}
	bar := a.Progress(a.Say("looking"), func(n int64) string { return a.Say("%d verdicts", n) })
	defer bar.End()
	o.Progress = func(r look.ReadResult) { bar.Step(int64(r.Looks), int64(len(riskiest))) }
	did, err := m.Inbox().Looks().Read(ctx, riskiest, o)
	bar.End()
	a.model.Halted(m.Health().Model, 0)
	out := &lookedAt{ReadResult: did, Estimated: f.dry, by: &f.handFlags}
	if f.dry {
		out.Cost = estimatedCost(a, &o, &did)
	} else {
		out.Cost = a.model.Now().Cost
	}
	if err == nil {
		_, err = f.end(a, hand, &out.handed)
	}
	if errors.Is(err, context.Canceled) {
		return nil, a.Fail(err, "interrupted after %d looks; they are saved; give the same command again to go on",
			did.Looks)
	}
	return out, modelUnset(a.Voice, err)
}

// priceLooks notes what looks at more than a few verdicts will take, before the first is asked for.
func priceLooks(ctx context.Context, a *app, m *memtree.Memory, es []tree.Evaluation, o look.Options) error {
	if o.DryRun || o.Reader != nil || len(es) < notedLooks {
		return nil
	}
	o.DryRun, o.Progress = true, nil
	will, err := m.Inbox().Looks().Read(ctx, es, o)
	if err == nil && will.Calls > 0 {
		a.Note(a.Say("Looking at %d verdicts: some %d tokens in, %d out; cost %s.", will.Calls, will.Usage.InputTokens,
			will.Usage.OutputTokens, a.model.CostWords(estimatedCost(a, &o, &will))))
	}
	return err //nolint:wrapcheck // the caller reports it
}

// estimatedCost returns what looks would cost, a number or "unknown".
func estimatedCost(a *app, o *look.Options, will *look.ReadResult) any {
	if o.Decider != nil {
		return a.model.DecideCost(will.Calls, 0, will.Usage)
	}
	return a.model.CostOf(will.Calls, 0, will.Usage)
}

// notedLooks is the least number of looks whose price is noted before.
const notedLooks = 20

// lookLines describes the second looks.
func (l *lookedAt) lines(a *app) []string {
	var out []string
	add := func(s string) { out = append(out, a.Wrap(s)...) }
	switch {
	case l.Questions != nil:
		add(l.by.written(a.Voice, *l.Questions))
		return out
	case l.Estimated:
		add(a.Say("To look at: %d verdicts; %d were looked at before, %d leave nothing to look at. Calls: %d, some %d "+
			"tokens in, %d out; cost %s. Nothing was asked.", l.Asked-l.Known-l.Empty, l.Known, l.Empty, l.Calls,
			l.Usage.InputTokens, l.Usage.OutputTokens, a.model.CostWords(l.Cost)))
		return out
	}
	add(a.Say("Looked at again: %d verdicts; %d looks contradict the verdict, %d quotations are not in the evidence and "+
		"count for nothing.", l.Looks, l.Against, l.Unfound))
	if l.Left > 0 {
		add(a.Say("Verdicts that were not looked at: %d (%s). The same command goes on.", l.Left, kindName(a.Voice, l.Kind)))
	}
	return append(out, a.model.Lines()...)
}

// lookWords describes one second look.
func lookWords(v *say.Voice, l *look.Look) string {
	_, quote := l.Quoted()
	quote = text.Fit(text.Line(quote), 100)
	switch c := l.Code(); {
	case l.P != nil && l.Contradicts():
		return v.Say("a model that decides contradicts it; what that means is learned from labels")
	case l.P != nil:
		return v.Say("a model that decides bears the verdict out; what that means is learned from labels")
	case l.MadeUp():
		return v.Say("a second look that counts for nothing: what it quotes is not in the evidence")
	case c == look.Unseen:
		return v.Say("a second look: the evidence does not show it")
	case c == look.Beyond:
		return v.Say("a second look bears the verdict out, by something beyond the agent's control: “%s”", quote)
	case l.Contradicts():
		return v.Say("a second look contradicts it: “%s”", quote)
	}
	return v.Say("a second look bears the verdict out: “%s”", quote)
}

// failure returns the error of looks of which every one failed, nil if one did not. Questions for a reader elsewhere
// that nobody answered yet, and a bound, are no failures.
func (l *lookedAt) failure(a *app) error {
	open := l.Kind == llm.KindNotRecorded || l.Kind == llm.KindBound
	if l.Estimated || l.Looks > 0 || l.Left == 0 || open {
		return nil
	}
	return a.Fail(nil, "no verdict was looked at: %s", kindName(a.Voice, l.Kind))
}

// lookLine is the line of a second look below a verdict.
func lookLine(v *say.Voice, l *look.Look) string {
	return v.Paint(say.Dim, "    "+text.Fit(lookWords(v, l), v.Width-4))
}
