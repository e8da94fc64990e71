package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/brief"
	"github.com/memtree/memtree/effect"
	"github.com/memtree/memtree/evolution"
	"github.com/memtree/memtree/internal/cli/say"
	"github.com/memtree/memtree/internal/jobs"
	"github.com/memtree/memtree/knowledge"
	"github.com/memtree/memtree/llm/meter"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

func evolveCommand(a *app) *cobra.Command {
	o := memtree.EvolveOptions{}
	explain, read, files, day := false, false, handFlags{}, dayBudget{}
	c := &cobra.Command{
		Use: "evolve [flags]",
		RunE: func(c *cobra.Command, _ []string) error {
			o.DryRun = o.DryRun || explain
			if err := checkEvolve(a, &o, &day); err != nil {
				return err
			}
			if files != (handFlags{}) {
				return evolveByHand(c.Context(), a, o, &files)
			}
			if err := runEvolve(c.Context(), a, o, &day, explain); err != nil || !read {
				return err
			}
			dry := meter.Reading{DryRun: o.DryRun}
			err := knowRead(c.Context(), a, &knowReadFlags{o: knowledge.ReadOptions{Reading: dry}})
			if err != nil && !errors.Is(err, say.ErrRejected) {
				return err
			}
			return errors.Join(err, runBrief(c.Context(), a, nil, &briefFlags{o: brief.ReadOptions{Reading: dry}}))
		},
	}
	f := c.Flags()
	f.BoolVar(&o.DryRun, "dry-run", false, a.Say("print what would change, write nothing, ask no model"))
	f.BoolVar(&explain, "explain", false, a.Say("say what each error type lacks for its next lesson; writes nothing"))
	f.BoolVar(&o.Review, "review", false, a.Say("leave new lessons for memtree review instead of using them"))
	f.StringVar(&o.Only, "only", "", a.Say("this error type alone"))
	f.BoolVar(&read, "brief", false, a.Say("then have the model read notes on false alarms, as memtree know "+
		"read does, and the tests of the last 30 days, as memtree brief does"))
	f.BoolVar(&o.KeepAll, "keep-all", false, a.Say("archive nothing"))
	addHandFlags(a.Voice, c, &files)
	c.MarkFlagsMutuallyExclusive("print", "explain")
	c.MarkFlagsMutuallyExclusive("print", "review")
	a.model.Flags(c)
	dayFlags(a.Voice, f, &day)
	return c
}

func runEvolve(ctx context.Context, a *app, o memtree.EvolveOptions, day *dayBudget, explain bool) error {
	// A large tree stays in memory throughout; this lowers the peak by a fifth.
	defer a.store.CollectAt(50)()
	return a.store.WriteOrPlan(ctx, o.DryRun, func(m *memtree.Memory) error {
		if err := checkType(a.Voice, m, o.Only); err != nil {
			return err
		}
		if err := boundEvolve(ctx, a, m, &o); err != nil {
			return err
		}
		var last evolution.PlanProgress
		bar := a.Progress(a.Say("evolving"), func(int64) string { return stepLine(a.Voice, last, o.Price != meter.Price{}) })
		defer bar.End()
		o.Progress = func(s evolution.PlanProgress) {
			last = s
			bar.Step(int64(s.Done), 0)
		}
		var v evolution.Evolved
		var by *jobs.Job // who did it, nil: this process
		var err error
		if a.store.Shared() && !o.DryRun {
			v, by, err = evolveByJob(ctx, a, m, &o, day)
		} else if v, err = m.Evolve(ctx, &o); err != nil {
			err = interrupted(a.Voice, err, last.Done, last.Of)
		}
		bar.End()
		a.model.Halted(m.Health().Model, 0)
		if err != nil {
			return err
		}
		if a.JSON {
			out := evolvedOf(a, &v, o.DryRun)
			out.doneBy(by)
			return a.PrintJSON(out)
		}
		info, err := m.Tree().Info(ctx)
		switch {
		case err != nil:
		case explain && len(v.Plans) == 0:
			return printNoTree(ctx, a.Voice, m, &info)
		case explain:
			err = a.Print(lacksLines(a.Voice, m.Taxonomy(), &v)...)
		default:
			err = a.Print(append(evolvedLines(a, m.Taxonomy(), &v, &o), byJobLines(a, by)...)...)
			if err == nil && v.Changed() == 0 && !o.DryRun {
				err = printStillOpen(ctx, a.Voice, m)
			}
		}
		if err != nil {
			return err
		}
		return a.Print(unformedLines(a.Voice, info.Outbox)...)
	})
}

// printStillOpen prints that memory is still switched off, after an Evolve that changed nothing.
func printStillOpen(ctx context.Context, v *say.Voice, m *memtree.Memory) error {
	r, err := m.Effect(ctx)
	if err != nil || r.State != effect.Open {
		return err
	}
	said := v.Say("No memory is given, because memory did harm and nothing has changed since. Forget or edit " +
		"what misleads (memtree effect --by node), and run memtree evolve again; half of the runs are then given memory, " +
		"on trial.")
	return v.Print(append([]string{""}, v.Wrap(said)...)...)
}

// interrupted reports how far evolve had come when it was interrupted. It returns other errors unchanged. of is 0
// before there is a plan.
func interrupted(v *say.Voice, err error, done, of int) error {
	switch {
	case !errors.Is(err, context.Canceled):
		return err
	case of == 0:
		return v.Fail(err, "interrupted before the first error type was looked at; nothing was learned and nothing "+
			"is lost; give the same command again")
	}
	return v.Fail(err, "interrupted after %d of %d error types and directions; what was done is kept, "+
		"and so are the model's answers; give the same command again to go on", done, of)
}

// stepLine returns the progress of evolve on one line.
func stepLine(v *say.Voice, s evolution.PlanProgress, priced bool) string {
	const cells = 10
	full := 0
	if s.Of > 0 {
		full = s.Done * cells / s.Of
	}
	line := fmt.Sprintf("[%s%s] %d/%d  ", strings.Repeat("#", full), strings.Repeat(".", cells-full), s.Done, s.Of) +
		v.Say("groups %d, jobs %d, calls %d, tokens %d", s.Groups, s.Jobs, s.Calls, s.Usage.InputTokens+s.Usage.OutputTokens)
	if priced {
		line += v.Say(", cost %.4f", s.Cost)
	}
	return line
}

func evolvedLines(a *app, tax *taxonomy.Taxonomy, v *evolution.Evolved, o *memtree.EvolveOptions) []string {
	l, changed := countChanges(v)
	p := a.Page()
	proposals := v.Proposals()
	nothing := l == learnedCounts{} && len(v.Forgotten)+len(v.Revived)+len(v.Anew)+len(v.Judged)+v.Again == 0
	switch {
	case nothing && v.Waiting == 0 && len(proposals) == 0:
		p.Add(a.Say("Nothing to do: no group of cases is enough for a new lesson yet. " +
			"memtree evolve --explain says what is missing."))
	case nothing:
		p.Raw(a.Say("The tree is as it was."))
	case o.DryRun:
		p.Bold(a.Say("This would change (nothing was written):"))
	default:
		p.Bold(a.Say("The tree has learned:"))
	}
	add := func(n int, s string) {
		if n > 0 {
			p.Raw("  " + s)
		}
	}
	add(l.experiences, a.Say("new experiences: %d", l.experiences))
	add(l.strategies, a.Say("new strategies: %d", l.strategies))
	add(l.revised, a.Say("lessons written anew: %d", l.revised))
	add(l.out, a.Say("out of use: %d", l.out))
	add(l.attached, a.Say("cases that joined a lesson or left one: %d", l.attached))
	add(l.retyped, a.Say("cases read anew for what was missed: %d", l.retyped))
	add(l.trusted, a.Say("lessons trusted more or less, or no longer on probation: %d", l.trusted))
	add(v.Again, a.Say("cases that had waited for a model and were read by it: %d", v.Again))
	add(len(v.Anew), a.Say("lessons that went with what a person took back, or were written anew: %d", len(v.Anew)))
	add(len(v.Revived), a.Say("cases back in use, because their mistake was made again: %d", len(v.Revived)))
	add(len(v.Forgotten), a.Say("archived: %d (memtree show ID says why)", len(v.Forgotten)))
	p.Raw(judgedLines(a.Voice, v.Judged)...)
	for _, c := range changed {
		p.Raw(changeLines(a.Voice, tax, &c)...)
	}
	p.Raw(bannedLines(a.Voice, v)...)
	p.Raw(refusedLines(a.Voice, v)...)
	p.Raw(apartLines(a.Voice, tax, v)...)
	p.Raw(evolveAccount(a, v, o.DryRun)...)
	if len(proposals) > 0 {
		p.Add("")
		p.Raw(a.Say("Lessons that wait for your decision: %d; read them with memtree review.", len(proposals)))
	}
	if v.Waiting > 0 {
		p.Add("")
		p.Raw(a.Say("Lessons that wait for the model: %d; memtree evolve asks for them.", v.Waiting))
		p.Raw(waitingLines(a.Voice, tax, v)...)
	}
	for _, plan := range v.Plans {
		for _, n := range plan.Notes {
			a.Note(n)
		}
	}
	return p.Lines
}

// judgedLines lists the memories that were taken out of use, or back into it, because of their runs.
func judgedLines(v *say.Voice, judged []effect.Revised) []string {
	p := v.Page()
	for _, r := range judged {
		how := v.Say("%s is given again", short(r.ID))
		if r.Now == tree.Quarantined || r.Now == tree.Retired {
			how = v.Say("%s is given no longer", short(r.ID))
		}
		if r.Was == tree.Probation && r.Now == tree.Active {
			how = v.Say("%s is no longer on probation", short(r.ID))
		}
		p.Add("", v.Paint(say.Bold, how)+"  "+r.Why.In(v.Lang))
	}
	return p.Lines
}
