package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/curation"
	"github.com/memtree/memtree/find"
	"github.com/memtree/memtree/inbox"
	"github.com/memtree/memtree/internal/cli/input"
	"github.com/memtree/memtree/internal/cli/say"
	"github.com/memtree/memtree/internal/text"
)

// labelFlags are the flags of label.
type labelFlags struct {
	list      bool
	top       int
	csv, from string
	speaker   curation.Options
	query     find.Query
	as, note  string // label all matches, with a note
	yes       bool
}

func labelCommand(a *app) *cobra.Command {
	f := labelFlags{}
	c := &cobra.Command{
		Use: "label [flags]",
		RunE: func(c *cobra.Command, _ []string) error {
			if err := checkLabel(a, &f); err != nil {
				return err
			}
			switch {
			case f.as != "":
				return labelMany(c.Context(), a, &f)
			case f.from != "":
				return labelFrom(c.Context(), a, &f)
			case f.csv != "":
				return labelCSV(c.Context(), a, &f)
			case f.list:
				return labelList(c.Context(), a, &f)
			}
			return labelAsk(c.Context(), a, &f)
		},
	}
	c.Flags().BoolVar(&f.list, "list", false, a.Say("print what waits, ask nothing"))
	c.Flags().IntVar(&f.top, "top", 20, a.Say("with --list: how many runs to print; 0 for all"))
	c.Flags().StringVar(&f.csv, "csv", "", a.Say("write what waits to this table"))
	c.Flags().StringVar(&f.from, "from", "", a.Say("read truths from this table; - is standard input"))
	c.Flags().StringVar(&f.as, "as", "", a.Say("label all that match as right or wrong"))
	c.Flags().StringVar(&f.note, "note", "", a.Say("with --as: what was missed, for each of them"))
	c.Flags().BoolVar(&f.yes, "yes", false, a.Say("with --as: do not ask"))
	findFlags(a.Voice, c, &f.query, find.Names()...)
	c.Flags().StringVar(&f.speaker.By, "by", "", a.Say("who decides; it is saved"))
	c.Flags().BoolVar(&f.speaker.Over, "over", false,
		a.Say("with --from: label also what another person labelled otherwise"))
	return c
}

func checkLabel(a *app, f *labelFlags) error {
	ways := 0
	for _, given := range []bool{f.list, f.csv != "", f.from != "", f.as != ""} {
		if given {
			ways++
		}
	}
	switch {
	case ways > 1:
		return a.Usage("--list, --csv, --from and --as exclude each other")
	case f.top < 0:
		return a.Usage("--top is %d; use 0 for all", f.top)
	case f.as != "" && f.as != "right" && f.as != "wrong":
		return a.Usage("--as is %q; use right or wrong", f.as)
	case f.as == "" && (f.yes || f.note != ""):
		return a.Usage("--yes and --note go with --as")
	case f.from != "" && !f.query.All():
		return a.Usage("--from takes the runs that the table names; leave the flags that choose out")
	case ways == 0 && a.JSON:
		return a.Usage("--json goes with --list, --csv, --from or --as")
	case a.store.ReadOnly && (f.from != "" || f.as != "" || ways == 0):
		return a.Usage("labels are written; leave --read-only out, or use --list")
	}
	return checkFind(a.Voice, &f.query)
}

// labelList prints the unlabelled runs.
func labelList(ctx context.Context, a *app, f *labelFlags) error {
	return a.store.Read(ctx, func(m *memtree.Memory) error {
		box, err := m.Inbox().Find(ctx, f.query, 0, f.top)
		if err != nil {
			return err
		}
		out := a.Page()
		out.Bold(waitingLine(a.Voice, &box))
		if len(box.Waiting) == 0 {
			return a.Result(&box, out.Lines...)
		}
		t := &say.Table{Columns: []say.Column{{Right: true}, {Head: a.Say("risk"), Right: true},
			{Head: a.Say("verdict")},
			{Head: a.Say("run"), Least: 16}, {Head: a.Say("prompt"), Least: 24}}}
		for i := range box.Waiting {
			u := &box.Waiting[i]
			t.Add(fmt.Sprint(i+1), riskCell(a.Voice, &u.Risk), judgedName(a.Voice, &u.Evaluation),
				middleCut(text.Line(u.Evaluation.Key()), 28), text.Fit(text.Line(u.Evaluation.Prompt), a.Width))
		}
		out.Add("")
		out.Table(t)
		if rest := box.Total - len(box.Waiting); rest > 0 {
			out.Raw(a.Say("... and %d more (--top 0 prints all)", rest))
		}
		return a.Result(&box, out.Lines...)
	})
}

// waitingLine returns the number of unlabelled runs, and the expected number of wrong ones among those with a risk.
func waitingLine(v *say.Voice, box *inbox.Inbox) string {
	switch {
	case box.Total == 0:
		return v.Say("No verdict waits for its truth.")
	case box.Scored == 0:
		return v.Say("Verdicts that wait for their truth: %d.", box.Total)
	case box.Scored < box.Total:
		return v.Say("Verdicts that wait for their truth: %d; of the %d that have a risk about %.1f are wrong.",
			box.Total, box.Scored, box.Expected)
	}
	return v.Say("Verdicts that wait for their truth: %d; about %.1f of them are wrong.", box.Total, box.Expected)
}

// labelCard shows one run to the person who labels it.
func labelCard(a *app, u *inbox.Unlabelled) []string {
	e := &u.Evaluation
	head := a.Say("risk not known yet, from %d truths", u.Risk.Known)
	if u.Risk.Before.Wrong > 0 {
		head += " · " + wrongBefore(a.Voice, &u.Risk.Before)
	}
	if u.Risk.Enough {
		head = a.Say("risk %s: %s", percent(u.Risk.P), whyRisky(a.Voice, &u.Risk))
	}
	out := labelPart(a.Voice, "", head, 3)
	place := []string{e.Scope.Product, e.Scope.Suite, e.CaseID, e.Scene.Route, e.RunID, e.At.UTC().Format(time.DateOnly)}
	if where := strings.Join(distinct(nonEmpty(place)), " · "); where != "" {
		out = append(out, labelPart(a.Voice, a.Say("run"), where, 2)...)
	}
	out = append(out, labelPart(a.Voice, a.Say("prompt"), e.Prompt, 10)...)
	verdict, beside := judgedParts(e)
	if name := judgedName(a.Voice, e); name != "-" {
		verdict = name
	}
	out = append(out, labelPart(a.Voice, a.Say("verdict"), verdict, 1)...)
	if beside != "" {
		out = append(out, labelPart(a.Voice, a.Say("reason"), beside, 6)...)
	}
	for _, p := range evidenceParts(a, e.Evidence, e.Observation) {
		if p.text != "" {
			out = append(out, labelPart(a.Voice, p.name, p.text, p.most)...)
		}
	}
	return out
}

// labelPart is a part of a card: its name, and at most so many lines.
func labelPart(v *say.Voice, name, said string, most int) []string {
	const indent = 9
	lines := say.Wrap(strings.TrimSpace(text.Clip(said, 4000)), v.Width-indent)
	if len(lines) > most {
		lines = lines[:most]
		lines[most-1] = text.Fit(lines[most-1], v.Width-indent-2) + " …"
	}
	for i := range lines {
		pad := strings.Repeat(" ", indent)
		if i == 0 && name != "" {
			pad = v.Paint(say.Dim, text.Pad(name, indent))
		}
		if name == "" {
			pad = ""
		}
		lines[i] = pad + lines[i]
	}
	return lines
}

// labelMany labels all matching runs as right or wrong, in one action.
func labelMany(ctx context.Context, a *app, f *labelFlags) error {
	return a.store.Write(ctx, func(m *memtree.Memory) error {
		if err := m.Wait(ctx); err != nil {
			return err
		}
		waiting, err := m.Inbox().Waiting(ctx, f.query)
		if err != nil {
			return err
		}
		if len(waiting) > curation.MostLabels {
			return a.Fail(nil, "%d verdicts match, and %d can be labelled at once at most; choose fewer, such as those of "+
				"one product or day", len(waiting), curation.MostLabels)
		}
		if ok, err := meantSo(ctx, a, f, len(waiting)); err != nil || !ok {
			return err
		}
		ids := make([]string, len(waiting))
		for i := range waiting {
			ids[i] = waiting[i].Evaluation.Key()
		}
		d, err := m.Curation().Label(ctx, ids, curation.Truth{Correct: new(f.as == "right"), Reason: f.note}, f.speaker)
		if err != nil {
			return decisionFailure(a.Voice, err)
		}
		out := a.Page()
		out.Add(a.Say("Labelled as %s: %d.", rightName(a.Voice, f.as == "right"), len(d.Verdicts)))
		if len(d.Decided) > 0 {
			out.Add(a.Say("Decided meanwhile, and left as they are: %d.", len(d.Decided)))
		}
		if len(d.Verdicts) > 0 {
			out.Add(a.Say("memtree undo %s takes all of it back.", d.Action.ID))
		}
		return a.Result(&d, out.Lines...)
	})
}

// meantSo asks the user to confirm so many labels, unless --yes is set.
func meantSo(ctx context.Context, a *app, f *labelFlags, n int) (bool, error) {
	if f.yes {
		return true, nil
	}
	if a.JSON {
		return false, a.Usage("%d verdicts match; --yes labels them", n)
	}
	s := &labelSession{app: a, lines: scanLines(input.Until(ctx, a.Stdin)), echo: !a.Live}
	said, err := s.ask(a.Say("Label %d verdicts as %s? y or n", n, rightName(a.Voice, f.as == "right")))
	if err != nil {
		return false, a.Usage("%d verdicts match; --yes labels them", n)
	}
	return strings.EqualFold(said, "y") || strings.EqualFold(said, "yes"), nil
}
