package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/internal/cli/screen"
	"github.com/memtree/memtree/internal/text"
	"github.com/memtree/memtree/risk"
	"github.com/memtree/memtree/tree"
)

func (a *app) triageCommand() *cobra.Command {
	o := triageOptions{top: 20}
	c := &cobra.Command{
		Use:   "triage FILE... [flags]",
		Short: a.say("Which verdicts to read first: the likeliest to be wrong, and why"),
		Long: a.say(`Reads judged runs and says how likely each verdict is to be wrong, from the verdicts in
memory whose truth is known. A truth in the file is not looked at, and nothing is recorded.

Where past errors do not predict, it says so instead of a number.

With --correct-above it lists the verdicts that are at least so likely to be wrong, and takes the
other one of those whose whole interval lies there: with few truths it takes none. With --out
too it does so: it writes the runs to another file, each corrected one with the other
verdict as judgment and the agent's own as first_judgment, and notes the corrections in the
store. When their truth is recorded, stats says how many were right. Recorded later, that
file counts with the agent's own verdicts.`),
		Example: "  memtree triage tonight.jsonl\n  memtree triage tonight.jsonl --above 0.3 --json\n" +
			"  memtree triage tonight.jsonl --correct-above 0.8 --out corrected.jsonl",
		Args: a.arguments(1, -1, a.say("one file or more, or - for standard input")),
	}
	c.Flags().IntVar(&o.top, "top", o.top, a.say("how many verdicts to print; 0 for all"))
	a.findFlags(c, &o.find, "above", "product", "suite", "run", "since", "until", "direction", "words")
	c.Flags().Float64Var(&o.correct, "correct-above", 0, a.say("say of which verdicts to take the other one: "+
		"those at least this likely to be wrong, such as %v", tree.CorrectAbove))
	c.Flags().StringVar(&o.out, "out", "", a.say("write the runs to this file, with the verdicts that are corrected"))
	c.RunE = func(c *cobra.Command, args []string) error {
		if err := a.checkTriage(&o, args, c.Flags().Changed("correct-above")); err != nil {
			return err
		}
		if o.find.Above > 0 && !c.Flags().Changed("top") {
			o.top = 0
		}
		return a.triage(c.Context(), args, &o)
	}
	return c
}

// risky is a verdict and its risk, as --json prints it.
type risky struct {
	Evaluation string `json:"evaluation"`
	CaseID     string `json:"case_id,omitempty"`
	risk.Risk
	Correction *tree.Correction `json:"correction,omitempty"` // what is done about it, with --correct-above
	prompt     string
	judged     string // of a report
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

	Correction *corrected `json:"correction,omitempty"` // with --correct-above
	out        *correctedFile
}

func (a *app) triage(ctx context.Context, files []string, o *triageOptions) error {
	in, err := a.intake(files, a.say("reading"))
	if err != nil {
		return err
	}
	found := triaged{Verdicts: []risky{}}
	how := reading
	if o.correct > 0 {
		found.Correction = &corrected{Bound: o.correct, Out: o.out}
	}
	if o.out != "" {
		how, found.out = asking, &correctedFile{}
	}
	err = a.with(ctx, how, func(m *memtree.Memory) error {
		for _, name := range files {
			if err := in.file(ctx, name, func(e *tree.Evaluation) error {
				if !o.find.HasRun(e) {
					return nil
				}
				return found.add(ctx, m, e)
			}); err != nil {
				return err
			}
		}
		info, err := m.Tree().Info(ctx)
		found.Unformed = info.Outbox
		return err
	})
	in.bar.End()
	in.hidden()
	if err != nil {
		return err
	}
	if o.out != "" {
		if err := a.writeWhole(o.out, found.out.Bytes()); err != nil {
			return err
		}
	}
	found.cut(o.top, o.find.Above)
	if a.json {
		err = a.printJSON(found)
	} else {
		err = a.printTriage(&found)
	}
	return errors.Join(err, in.err())
}

func (f *triaged) add(ctx context.Context, m *memtree.Memory, e *tree.Evaluation) error {
	r, err := m.Risk(ctx, *e)
	if err != nil {
		return err
	}
	f.Known, f.Base, f.Enough = r.Known, r.Base, r.Enough
	f.Read++
	v := risky{Evaluation: e.Key(), CaseID: e.CaseID, Risk: r, prompt: e.Prompt}
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

func (a *app) printTriage(f *triaged) error {
	var out []string
	switch {
	case f.Read == 0:
		out = append(out, a.say("There is no verdict to read."))
	case f.Learned == f.Read:
		out = a.Wrap(a.say("Verdicts read: %d. The truth of each is in memory already, so none is left to guess.",
			f.Read))
	case f.Known < 30 && !f.Enough:
		out = a.Wrap(a.say("Not enough evidence yet: the truth of %d verdicts is known, and 30 are the least. "+
			"Record judged runs with ground_truth or correct.", f.Known))
	case !f.Enough:
		out = a.Wrap(a.say("No evidence that past errors predict these. Of the %d verdicts whose truth is known %s were "+
			"wrong, which is all that can be guessed of each.", f.Known, percent(f.Base)))
	default:
		out = a.Wrap(a.say("Of %d verdicts, those likeliest to be wrong. Of the %d whose truth is known %s were wrong.",
			f.Read, f.Known, percent(f.Base)))
	}
	if f.told() {
		out = append(out, a.Wrap(a.say("Their order follows what other teams counted."))...)
	}
	if f.Learned > 0 && f.Learned < f.Read {
		out = append(out, a.Wrap(a.say("%d of %d are in memory with their truth and left out.", f.Learned, f.Read))...)
	}
	if f.Learned < f.Read {
		out = append(out, a.unformedLines(f.Unformed)...)
	}
	if err := a.print(out...); err != nil {
		return err
	}
	if err := a.printRiskies(f); err != nil || f.Correction == nil {
		return err
	}
	return a.print(append([]string{""}, a.Wrap(a.correctedLine(f.Correction))...)...)
}

// told reports whether the order is based on the tallies of other teams.
func (f *triaged) told() bool {
	return !f.Enough && slices.ContainsFunc(f.Verdicts, func(r risky) bool { return r.Elsewhere != 0 })
}

func (a *app) printRiskies(f *triaged) error {
	switch {
	case f.Learned == f.Read:
		return nil
	case len(f.Verdicts) == 0:
		return a.print(a.say("None is that likely to be wrong."))
	}
	return a.printRisky(f.Verdicts, f.Enough || f.told())
}

// printRisky lists verdicts. Where nothing tells them apart it prints no numbers and no reasons.
func (a *app) printRisky(verdicts []risky, apart bool) error {
	t := &screen.Table{Columns: []screen.Column{
		{Right: true}, {Head: a.say("risk"), Right: true}, {Head: "95 %"},
		{Head: a.say("if wrong")}, {Head: a.say("evaluation"), Least: 16},
	}}
	for i, v := range verdicts {
		way := ""
		if v.Direction != "" {
			way = a.directionName(v.Direction)
		}
		p, interval := percent(v.P), fmt.Sprintf("%.0f-%.0f", 100*v.Low, 100*v.High)
		if !apart {
			p, interval = "·", "·"
		}
		t.Add(fmt.Sprint(i+1), p, interval, way, v.Evaluation)
	}
	rows := t.Lines(a.Width)
	out := []string{"", a.Paint(screen.Bold, rows[0])}
	for i, v := range verdicts {
		out = append(out, rows[i+1], a.Paint(screen.Dim, "    "+text.Fit(text.Line(v.prompt), a.Width-4)))
		for _, l := range screen.Wrap(a.whyRisky(&v.Risk), a.Width-4) {
			if apart {
				out = append(out, a.Paint(screen.Dim, "    "+l))
			}
		}
		if v.Correction != nil {
			out = append(out, "    "+text.Fit(a.correctionLine(v.Correction), a.Width-4))
		}
	}
	return a.print(out...)
}

// reasonsShown is how many reasons of a risk are printed; --json prints all.
const reasonsShown = 3

func (a *app) whyRisky(says *risk.Risk) string {
	var out []string
	if says.Before.Wrong > 0 {
		out = append(out, a.wrongBefore(&says.Before))
	}
	if says.Elsewhere > 0 {
		out = append(out, a.say("the like were wrong more often elsewhere"))
	}
	for _, r := range says.Because {
		if r.LogOdds > 0 && len(out) < reasonsShown {
			out = append(out, a.riskReason(&r))
		}
	}
	if len(out) == 0 {
		return a.say("nothing speaks for wrong")
	}
	return strings.Join(out, " · ")
}

// wrongBefore describes how often verdicts on the same test were wrong.
func (a *app) wrongBefore(b *risk.SameTest) string {
	if b.Known == 1 {
		return a.say("wrong on this test before")
	}
	return a.say("wrong on this test before: %d of %d", b.Wrong, b.Known)
}

// riskReason describes the evidence by which a signal raises the risk.
func (a *app) riskReason(r *risk.Reason) string {
	nearest := ""
	if len(r.Evaluations) > 0 {
		nearest = middleCut(text.Line(r.Evaluations[0]), 36)
	}
	switch r.Signal {
	case "place":
		return a.say("such verdicts were often wrong here")
	case "truth":
		return a.say("what was true of this case before")
	case "judge":
		return a.say("this judge was often wrong")
	case "words":
		if len(r.Words) == 0 {
			return a.say("its reason reads like wrong ones")
		}
		return a.say("words of its reason: %s", strings.Join(r.Words, a.say(", ")))
	case "style":
		return a.say("its reason reads like wrong ones")
	case "seen":
		return a.seenReason(r)
	case "reasons":
		return a.say("wrong before for such a reason: %s", nearest)
	case "runs":
		return a.say("what was true of runs like it, nearest %s", nearest)
	case "facts":
		return a.say("the page itself says otherwise, as memory %s would", short(slices.Concat(r.Memories, []string{""})[0]))
	default:
		return a.say("length and tone of the run and its reason")
	}
}

// seenReason lists the words of a run that raise the risk, by the text that contains them.
func (a *app) seenReason(r *risk.Reason) string {
	words := strings.Join(r.Words, a.say(", "))
	switch r.From {
	case risk.FromPrompt:
		return a.say("words of its task: %s", words)
	case risk.FromObservation:
		return a.say("words of what it saw: %s", words)
	case risk.FromBoth:
		return a.say("words of its task and of what it saw: %s", words)
	}
	return a.say("what it was asked and what it saw")
}

// middleCut shortens an id to a number of cells. It removes the middle, because ids of one file often begin alike.
func middleCut(id string, cells int) string {
	r := []rune(id)
	if text.Width(id) <= cells {
		return id
	}
	tail := ""
	for i := len(r) - 1; i >= 0 && text.Width(tail) < cells/2; i-- {
		tail = string(r[i]) + tail
	}
	return text.Fit(id, cells-text.Width(tail)) + tail
}
