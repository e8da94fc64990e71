package main

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/effect"
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

func (a *app) reportCommand() *cobra.Command {
	f := reportFlags{top: 10, above: 0.5}
	c := &cobra.Command{
		Use:   "report [flags]",
		Short: a.say("A summary of a run for CI, in Markdown"),
		Long: a.say(`Prints what a team wants to know after a run of its tests, as Markdown that CI servers show: what
memory learned since the last summary, which verdicts without a truth to read first and why, whether memory helps, what
went out of use, and what to do next. Texts of tests and agents are words in it and nothing else: no links, no mentions,
no HTML.

--seen names a file in which a summary notes what it has seen, so that the next one says what is new. Keep it beside the
store. Nothing fails because of what the summary says, unless --fail-on asks for it:

  risky  a verdict is at least as likely to be wrong as --above says
  harm   memory is proven to do harm`),
		Example: `  memtree report --seen memtree.seen.json
  memtree report --run "$BUILD" --lang zh >> "$GITHUB_STEP_SUMMARY"
  memtree report --fail-on risky --above 0.8 --json`,
		Args: a.arguments(0, 0, a.say("no arguments")),
		RunE: func(c *cobra.Command, _ []string) error {
			if err := a.checkReport(&f); err != nil {
				return err
			}
			return a.report(c.Context(), &f)
		},
	}
	c.Flags().StringVar(&f.seen, "seen", "", a.say("a file with what the last summary saw; it is written anew"))
	c.Flags().StringVar(&f.run, "run", "", a.say("only the verdicts of this run, as memtree ingest --run named it"))
	c.Flags().IntVar(&f.top, "top", f.top, a.say("how many verdicts and lessons to print, 1 to %d", mostReported))
	c.Flags().Float64Var(&f.above, "above", f.above, a.say("what counts as risky with --fail-on, 0 to 1"))
	c.Flags().StringSliceVar(&f.failOn, "fail-on", nil, a.say("end with exit code 1 for: risky, harm; may be given again"))
	completes(c, "fail-on", func() []cobra.Completion { return []cobra.Completion{failRisky, failHarm} })
	return c
}

func (a *app) checkReport(f *reportFlags) error {
	for _, what := range f.failOn {
		if what != failRisky && what != failHarm {
			return &usageError{a.say("--fail-on is %q; use risky or harm", what)}
		}
	}
	switch {
	case f.top < 1 || f.top > mostReported:
		return &usageError{a.say("--top is %d; use 1 to %d", f.top, mostReported)}
	case !(f.above >= 0 && f.above <= 1):
		return &usageError{a.say("--above is %g; give a share from 0 to 1, such as 0.5", f.above)}
	case a.readOnly && f.seen != "":
		return &usageError{a.say("--seen writes a file; leave it or --read-only out")}
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

	Facts *factsNews `json:"facts,omitempty"`

	Effect   *finding `json:"effect"`
	Unformed int      `json:"unformed"` // recorded runs that have not been formed yet
	Next     []string `json:"next"`     // recommended actions
	Failed   []string `json:"failed"`   // values of --fail-on that apply

	moreLearned, moreGone int
}

func (a *app) report(ctx context.Context, f *reportFlags) error {
	before, err := a.readSeen(ctx, f.seen)
	if err != nil {
		return err
	}
	r := &ciReport{Run: f.run, First: before == nil, Failed: []string{}}
	now := &seen{Format: seenFormat, Version: 1}
	err = a.with(ctx, reading, func(m *memtree.Memory) error {
		if err := a.reportNews(ctx, m, r, before, now); err != nil {
			return err
		}
		if err := a.reportFacts(ctx, m, r, before, now); err != nil {
			return err
		}
		if err := a.reportRisks(ctx, m, r, f); err != nil {
			return err
		}
		e, err := m.Effect(ctx)
		if err != nil {
			return err
		}
		r.Effect = &finding{Report: e, Verdict: e.Verdict.In(a.lang)}
		if err := r.Effect.name(ctx, m, a.lang); err != nil {
			return err
		}
		r.Effect.Next = plot.Next(a.say, r.Effect.Report, r.Effect.loose())
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
	r.Next = a.reportNext(r)
	r.fail(f)
	r.cut(f.top)
	if a.json {
		err = a.printJSON(r)
	} else {
		_, err = a.stdout.Write([]byte(a.markdown(r)))
	}
	if err != nil {
		return err
	}
	if err := a.writeSeen(f.seen, now); err != nil {
		return err
	}
	if len(r.Failed) > 0 {
		a.complain(a.say("--fail-on: %s", strings.Join(r.Failed, ", ")))
		return errSaid
	}
	return nil
}

// reportRisks sets the unlabelled verdicts, the riskiest first.
func (a *app) reportRisks(ctx context.Context, m *memtree.Memory, r *ciReport, f *reportFlags) error {
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
			prompt: u.Evaluation.Prompt, judged: a.judgedName(&u.Evaluation),
		})
	}
	return nil
}

// reportNext recommends actions, the most urgent first.
func (a *app) reportNext(r *ciReport) []string {
	var out []string
	add := func(n int, said string) {
		if n > 0 {
			out = append(out, said)
		}
	}
	add(r.Waiting, a.say("Say which of these verdicts were right, the riskiest first: memtree label, or in a spreadsheet "+
		"memtree label --csv FILE and then --from FILE. Memory learns from what you say."))
	add(r.Unformed, a.unformed(r.Unformed))
	add(r.Review, a.say("Read the lessons that wait for your decision (%d), and accept or reject them: memtree review.",
		r.Review))
	add(r.Imports, a.say("Read the imported memories that wait (%d), and let those be used that fit: memtree promote.",
		r.Imports))
	return append(out, r.Effect.Next)
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
