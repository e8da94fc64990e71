package main

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/effect"
	"github.com/memtree/memtree/inbox"
	"github.com/memtree/memtree/internal/cli/say"
	"github.com/memtree/memtree/internal/plot"
)

// reportFlags are the flags of report.
type reportFlags struct {
	seen, run string
	top       int
	above     float64
	failOn    []string
}

// The values of --fail-on.
const (
	failRisky = "risky"
	failHarm  = "harm"
)

const mostReported = 100

func reportCommand(a *app) *cobra.Command {
	f := reportFlags{top: 10, above: 0.5}
	c := &cobra.Command{
		Use: "report [flags]",
		RunE: func(c *cobra.Command, _ []string) error {
			if err := checkReport(a, &f); err != nil {
				return err
			}
			return runReport(c.Context(), a, &f)
		},
	}
	c.Flags().StringVar(&f.seen, "seen", "", a.Say("a file with what the last summary saw; it is written anew"))
	c.Flags().StringVar(&f.run, "run", "", a.Say("only the verdicts of this run, as memtree ingest --run named it"))
	c.Flags().IntVar(&f.top, "top", f.top, a.Say("how many verdicts and lessons to print, 1 to %d", mostReported))
	c.Flags().Float64Var(&f.above, "above", f.above, a.Say("what counts as risky with --fail-on, 0 to 1"))
	c.Flags().StringSliceVar(&f.failOn, "fail-on", nil, a.Say("end with exit code 1 for: risky, harm; may be given again"))
	completes(c, "fail-on", func() []cobra.Completion { return []cobra.Completion{failRisky, failHarm} })
	return c
}

func checkReport(a *app, f *reportFlags) error {
	for _, what := range f.failOn {
		if what != failRisky && what != failHarm {
			return a.Usage("--fail-on is %q; use risky or harm", what)
		}
	}
	switch {
	case f.top < 1 || f.top > mostReported:
		return a.Usage("--top is %d; use 1 to %d", f.top, mostReported)
	case !(f.above >= 0 && f.above <= 1):
		return a.Usage("--above is %g; give a share from 0 to 1, such as 0.5", f.above)
	case a.store.ReadOnly && f.seen != "":
		return a.Usage("--seen writes a file; leave it or --read-only out")
	}
	return nil
}

// ciReport is a summary, as --json prints it.
type ciReport struct {
	Run   string `json:"run,omitempty"`
	First bool   `json:"first"` // no earlier summary: everything is new

	Cases    int          `json:"cases"`    // in use
	NewCases int          `json:"newCases"` // since the last summary
	Lessons  int          `json:"lessons"`  // in use
	Learned  []lessonNews `json:"learned"`  // since the last summary, those of most tests first
	Gone     []goneNews   `json:"gone"`     // in use at the last summary, but not now
	Imports  int          `json:"imports"`  // waiting in quarantine
	Review   int          `json:"review"`   // lessons that wait for a review

	Waiting  int     `json:"waiting"`  // unlabelled verdicts, of the run if one is set
	Scored   int     `json:"scored"`   // those of Waiting with a risk
	Expected float64 `json:"expected"` // expected number of wrong verdicts among Scored
	Known    int     `json:"known"`    // labelled verdicts in memory
	Risky    []risky `json:"risky"`    // the riskiest first

	Judges  []inbox.JudgeRate `json:"judges"`  // how often each judge is wrong
	Excused int               `json:"excused"` // runs that show nothing about their judge, of the run if one is set

	Facts *factsNews `json:"facts,omitempty"`

	Effect   *finding `json:"effect"`
	Unformed int      `json:"unformed"` // recorded runs that have not been formed yet
	Next     []string `json:"next"`     // recommended actions
	Failed   []string `json:"failed"`   // values of --fail-on that apply

	moreLearned, moreGone int
}

func runReport(ctx context.Context, a *app, f *reportFlags) error {
	before, err := readSeen(ctx, a, f.seen)
	if err != nil {
		return err
	}
	r := &ciReport{Run: f.run, First: before == nil, Failed: []string{}}
	now := &seen{Format: seenFormat, Version: 1}
	err = a.store.Read(ctx, func(m *memtree.Memory) error {
		if err := reportNews(ctx, a.Voice, m, r, before, now); err != nil {
			return err
		}
		if err := reportFacts(ctx, a.Voice, m, r, before, now); err != nil {
			return err
		}
		if err := reportRisks(ctx, a.Voice, m, r, f); err != nil {
			return err
		}
		if err := reportJudges(ctx, m, r); err != nil {
			return err
		}
		e, err := m.Effect(ctx)
		if err != nil {
			return err
		}
		r.Effect = &finding{Report: e, Verdict: e.Verdict.In(a.Lang)}
		if err := r.Effect.name(ctx, m, a.Lang); err != nil {
			return err
		}
		r.Effect.Next = plot.Next(a.Say, r.Effect.Report, r.Effect.loose())
		proposals, err := m.Review().Proposals(ctx)
		if err != nil {
			return err
		}
		info, err := m.Tree().Info(ctx)
		r.Review, r.Unformed = len(proposals), info.Outbox
		return err
	})
	if err != nil {
		return err
	}
	r.Next = reportNext(a.Voice, r)
	r.fail(f)
	r.cut(f.top)
	if a.JSON {
		err = a.PrintJSON(r)
	} else {
		_, err = a.Stdout.Write([]byte(markdown(a.Voice, r)))
	}
	if err != nil {
		return err
	}
	if err := writeSeen(a, f.seen, now); err != nil {
		return err
	}
	if len(r.Failed) > 0 {
		a.Complain(a.Say("--fail-on: %s", strings.Join(r.Failed, ", ")))
		return say.ErrPrinted
	}
	return nil
}

// reportRisks sets the unlabelled verdicts, the riskiest first.
func reportRisks(ctx context.Context, v *say.Voice, m *memtree.Memory, r *ciReport, f *reportFlags) error {
	box, err := m.Inbox().List(ctx, 0)
	if err != nil {
		return err
	}
	r.Risky = []risky{}
	for i := range box.Waiting {
		u := &box.Waiting[i]
		if f.run != "" && u.Evaluation.RunID != f.run {
			continue
		}
		r.Waiting++
		r.Known = max(r.Known, u.Risk.Known)
		if !u.Risk.Enough {
			continue
		}
		r.Scored++
		r.Expected += u.Risk.P
		r.Risky = append(r.Risky, risky{
			Evaluation: u.Evaluation.Key(), CaseID: u.Evaluation.CaseID, Risk: u.Risk,
			prompt: u.Evaluation.Prompt, judged: judgedName(v, &u.Evaluation),
		})
	}
	return nil
}

// reportNext recommends actions, the most urgent first.
func reportNext(v *say.Voice, r *ciReport) []string {
	p := v.Page()
	add := func(n int, said string) {
		if n > 0 {
			p.Raw(said)
		}
	}
	add(r.Waiting, v.Say("Say which of these verdicts were right, the riskiest first: memtree label, or in a spreadsheet "+
		"memtree label --csv FILE and then --from FILE. Memory learns from what you say."))
	add(r.Unformed, unformed(v, r.Unformed))
	add(r.Review, v.Say("Read the lessons that wait for your decision (%d), and accept or reject them: memtree review.",
		r.Review))
	add(r.Imports, v.Say("Read the imported memories that wait (%d), and let those be used that fit: memtree promote.",
		r.Imports))
	return append(p.Lines, r.Effect.Next)
}

// fail sets the values of --fail-on that apply.
func (r *ciReport) fail(f *reportFlags) {
	above := func(v risky) bool { return v.P >= f.above }
	if slices.Contains(f.failOn, failRisky) && slices.ContainsFunc(r.Risky, above) {
		r.Failed = append(r.Failed, failRisky)
	}
	if slices.Contains(f.failOn, failHarm) && r.Effect.State == effect.Open {
		r.Failed = append(r.Failed, failHarm)
	}
}

// cut limits each list to its first entries.
func (r *ciReport) cut(top int) {
	r.moreLearned, r.moreGone = max(0, len(r.Learned)-top), max(0, len(r.Gone)-top)
	r.Learned = r.Learned[:min(top, len(r.Learned))]
	r.Gone = r.Gone[:min(top, len(r.Gone))]
	r.Risky = r.Risky[:min(top, len(r.Risky))]
}
