package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/internal/cli/access"
	"github.com/memtree/memtree/internal/cli/say"
	"github.com/memtree/memtree/internal/text"
	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/tree"
)

func triageCommand(a *app) *cobra.Command {
	o := triageOptions{top: 20}
	c := &cobra.Command{
		Use:  "triage FILE... [flags]",
		Args: arguments(a.Voice, 1, -1, a.Say("one file or more, or - for standard input")),
	}
	c.Flags().IntVar(&o.top, "top", o.top, a.Say("how many verdicts to print; 0 for all"))
	findFlags(a.Voice, c, &o.find, "above", "product", "suite", "run", "since", "until", "direction", "words")
	c.Flags().Float64Var(&o.correct, "correct-above", 0, a.Say("say of which verdicts to take the other one: "+
		"those at least this likely to be wrong, such as %v", ledger.CorrectAbove))
	c.Flags().StringVar(&o.out, "out", "", a.Say("write the runs to this file, with the verdicts that are corrected"))
	c.RunE = func(c *cobra.Command, args []string) error {
		if err := checkTriage(a, &o, args, c.Flags().Changed("correct-above")); err != nil {
			return err
		}
		if o.find.Above > 0 && !c.Flags().Changed("top") {
			o.top = 0
		}
		return runTriage(c.Context(), a, args, &o)
	}
	o.look.add(a, c) // after RunE, which the bounds on the model wrap
	return c
}

// triaged is the result of triage, as --json prints it.
type triaged struct {
	Known    int     `json:"known"`    // labelled verdicts in memory
	Base     float64 `json:"base"`     // share of them that were wrong
	Enough   bool    `json:"enough"`   // past errors predict new ones
	Read     int     `json:"read"`     // verdicts in the files
	Learned  int     `json:"learned"`  // verdicts left out because memory has their truth
	Unformed int     `json:"unformed"` // recorded runs whose truth is not used yet
	Verdicts []risky `json:"verdicts"` // the riskiest first

	Looked     *lookedAt  `json:"looked,omitempty"`     // with --look
	Correction *corrected `json:"correction,omitempty"` // with --correct-above
	out        *correctedFile
}

func runTriage(ctx context.Context, a *app, files []string, o *triageOptions) error {
	in, err := a.files.RunFiles(files, a.Say("reading"))
	if err != nil {
		return err
	}
	found := triaged{Verdicts: []risky{}}
	how := access.Reading
	if o.correct > 0 {
		found.Correction = &corrected{Bound: o.correct, Out: o.out}
	}
	if o.out != "" {
		how, found.out = access.Asking, &correctedFile{}
	}
	if !o.look.of.IsZero() {
		how = access.Writing
		if o.look.dry {
			how = access.Planning
		}
	}
	err = a.store.With(ctx, how, func(m *memtree.Memory) error {
		var held []tree.Evaluation // with --look, which needs all of them to know the riskiest
		for _, name := range files {
			if err := in.File(ctx, name, func(e *tree.Evaluation) error {
				switch {
				case !o.find.HasRun(e):
					return nil
				case !o.look.of.IsZero():
					held = append(held, *e)
					return nil
				}
				return found.add(ctx, m, e)
			}); err != nil {
				return err
			}
		}
		if !o.look.of.IsZero() {
			if found.Looked, err = lookAt(ctx, a, m, held, &o.look); err != nil {
				return err
			}
		}
		for i := range held {
			if err := found.add(ctx, m, &held[i]); err != nil {
				return err
			}
		}
		info, err := m.Tree().Info(ctx)
		found.Unformed = info.Outbox
		return err
	})
	in.Bar.End()
	in.Hidden()
	if err != nil {
		return err
	}
	if o.out != "" {
		if err := a.files.Write(o.out, found.out.Bytes()); err != nil {
			return err
		}
	}
	found.cut(o.top, o.find.Above)
	lines := triageLines(a.Voice, &found)
	if found.Looked != nil {
		lines = append(found.Looked.lines(a), lines...)
		err = found.Looked.failure(a)
	}
	return errors.Join(a.Result(found, lines...), err, in.Err(found.Read > 0))
}

func (f *triaged) add(ctx context.Context, m *memtree.Memory, e *tree.Evaluation) error {
	r, err := m.Risk(ctx, *e)
	if err != nil {
		return err
	}
	f.Known, f.Base, f.Enough = r.Known, r.Base, r.Enough
	f.Read++
	v := risky{Evaluation: e.Key(), CaseID: e.CaseID, Risk: r, prompt: e.Prompt}
	if l, ok := m.Inbox().Looks().Of(*e); ok {
		v.Look = &l
	}
	if f.Correction != nil {
		if v.Correction, err = f.Correction.of(ctx, m, e); err != nil {
			return err
		}
	}
	if f.out != nil {
		if err := f.out.add(e, v.Correction); err != nil {
			return err
		}
	}
	if r.Learned {
		f.Learned++
		return nil
	}
	f.Verdicts = append(f.Verdicts, v)
	return nil
}

// cut selects the requested verdicts, the riskiest first. Verdicts of equal risk keep the order of the files.
func (f *triaged) cut(top int, above float64) {
	f.Verdicts = slices.DeleteFunc(f.Verdicts, func(r risky) bool { return r.P < above })
	slices.SortStableFunc(f.Verdicts, func(a, b risky) int {
		return cmp.Or(cmp.Compare(b.P, a.P), cmp.Compare(b.Order, a.Order))
	})
	if top > 0 {
		f.Verdicts = f.Verdicts[:min(top, len(f.Verdicts))]
	}
}

func triageLines(v *say.Voice, f *triaged) []string {
	p := v.Page()
	switch {
	case f.Read == 0:
		p.Add(v.Say("There is no verdict to read."))
	case f.Learned == f.Read:
		p.Add(v.Say("Verdicts read: %d. The truth of each is in memory already, so none is left to guess.", f.Read))
	case f.Known < 30 && !f.Enough:
		p.Add(v.Say("Not enough evidence yet: the truth of %d verdicts is known, and 30 are the least. "+
			"Record judged runs with ground_truth or correct.", f.Known))
	case !f.Enough:
		p.Add(v.Say("No evidence that past errors predict these. Of the %d verdicts whose truth is known %s were "+
			"wrong, which is all that can be guessed of each.", f.Known, percent(f.Base)))
	default:
		p.Add(v.Say("Of %d verdicts, those likeliest to be wrong. Of the %d whose truth is known %s were wrong.",
			f.Read, f.Known, percent(f.Base)))
	}
	if f.told() {
		p.Add(v.Say("Their order follows what other teams counted."))
	}
	if f.Learned > 0 && f.Learned < f.Read {
		p.Add(v.Say("%d of %d are in memory with their truth and left out.", f.Learned, f.Read))
	}
	if f.Learned < f.Read {
		p.Raw(unformedLines(v, f.Unformed)...)
		if len(f.Verdicts) == 0 {
			p.Raw(v.Say("None is that likely to be wrong."))
		} else {
			riskyPart(v, p, f.Verdicts, f.Enough || f.told())
		}
	}
	if f.Correction != nil {
		p.Add("", correctedLine(v, f.Correction))
	}
	return p.Lines
}

// told reports whether the order is based on the tallies of other teams.
func (f *triaged) told() bool {
	return !f.Enough && slices.ContainsFunc(f.Verdicts, func(r risky) bool { return r.Elsewhere != 0 })
}

// riskyPart lists verdicts. If all are alike it prints no numbers and no reasons.
func riskyPart(v *say.Voice, p *say.Output, verdicts []risky, apart bool) {
	t := &say.Table{Columns: []say.Column{
		{Right: true}, {Head: v.Say("risk"), Right: true}, {Head: "95 %"},
		{Head: v.Say("if wrong")}, {Head: v.Say("evaluation"), Least: 16},
	}}
	for i, x := range verdicts {
		way := ""
		if x.Direction != "" {
			way = v.DirectionName(x.Direction)
		}
		likely, interval := percent(x.P), fmt.Sprintf("%.0f-%.0f", 100*x.Low, 100*x.High)
		if !apart {
			likely, interval = "·", "·"
		}
		t.Add(fmt.Sprint(i+1), likely, interval, way, x.Evaluation)
	}
	rows := t.Lines(v.Width)
	p.Head(rows[0])
	for i, x := range verdicts {
		p.Raw(rows[i+1], v.Paint(say.Dim, "    "+text.Fit(text.Line(x.prompt), v.Width-4)))
		if apart {
			p.Painted(say.Dim, "    ", whyRisky(v, &x.Risk))
		}
		if x.Look != nil {
			p.Raw(lookLine(v, x.Look))
		}
		if x.Correction != nil {
			p.Raw("    " + text.Fit(correctionLine(v, x.Correction), v.Width-4))
		}
	}
}
