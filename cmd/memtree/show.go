package main

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/brief"
	"github.com/memtree/memtree/curation"
	"github.com/memtree/memtree/effect"
	"github.com/memtree/memtree/enhance"
	"github.com/memtree/memtree/internal/cli/say"
	"github.com/memtree/memtree/internal/text"
	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

func showCommand(a *app) *cobra.Command {
	rejected := false
	c := &cobra.Command{
		Use: "show ID",
		Args: func(c *cobra.Command, args []string) error {
			if rejected {
				return arguments(a.Voice, 0, 0, a.Say("no arguments"))(c, args)
			}
			return arguments(a.Voice, 1, 1, a.Say("the id of a memory"))(c, args)
		},
		RunE: func(c *cobra.Command, args []string) error {
			ctx := c.Context()
			if rejected {
				return showRejected(ctx, a)
			}
			return a.store.Read(ctx, func(m *memtree.Memory) error {
				n, err := findNode(ctx, a.Voice, m, args[0])
				if err != nil {
					return err
				}
				if a.JSON {
					return a.PrintJSON(n)
				}
				past, err := m.Curation().History(ctx, n.ID)
				if err != nil {
					return err
				}
				said, left := m.Curation().Given(&n, a.Lang)
				return printNode(a, m.Taxonomy(), &n, said, left, past)
			})
		},
		ValidArgsFunction: completeID(a),
	}
	c.Flags().BoolVar(&rejected, "rejected", false, a.Say("the lessons that a gate or a person refused, with the reasons"))
	return c
}

// showRejected prints the refused drafts.
func showRejected(ctx context.Context, a *app) error {
	return a.store.Read(ctx, func(m *memtree.Memory) error {
		all, err := m.Review().Rejected(ctx)
		if err != nil {
			return err
		}
		if len(all) == 0 {
			return a.Result(all, a.Say("No lesson was refused."))
		}
		out := a.Page()
		out.Bold(a.Say("Lessons that were refused: %d. Their cases stay in use.", len(all)))
		for _, r := range all {
			out.Add("")
			branch := branchName(a.Voice, m.Taxonomy(), r.ErrorType, r.Direction)
			out.Add(branch + " · " + writerName(a.Voice, r.By))
			p := a.Page()
			p.Part("  "+a.Say("title"), r.Title)
			p.Part("  "+a.Say("why"), strings.Join(r.Reasons, "\n"))
			p.Part("  "+a.Say("cases"), shortList(r.Members))
			out.Raw(p.Lines...)
		}
		return a.Result(all, out.Lines...)
	})
}

// writerName names the author of a draft, or that a person refused it.
func writerName(v *say.Voice, by string) string {
	return cmp.Or(map[string]string{
		"model": v.Say("written by a model"), "rules": v.Say("written by rules"), "person": v.Say("refused by a person"),
	}[by], by)
}

func printNode(
	a *app, tax *taxonomy.Taxonomy, n *tree.Node, said string, left []tree.Refusal, past []curation.Past,
) error {
	p := a.Page()
	p.Bold(fmt.Sprintf("%s %s", a.Names().Level(n.Type), n.ID))
	p.Part(a.Say("error type"), fmt.Sprintf("%s · %s", n.ErrorType, typeName(a.Voice, tax, n.ErrorType)))
	p.Part(a.Say("direction"), fmt.Sprintf("%s · %s", n.Direction, a.DirectionName(n.Direction)))
	p.Part(a.Say("status"), dotted(string(n.Standing()), a.Names().Status(n)))
	p.Part(a.Say("scene"), dotted(n.Scene.ID, n.Scene.Type, n.Scene.Route))
	p.Part(a.Say("applies to"), dotted(n.Scope.Product, n.Scope.Suite, n.Scope.Test, place(a.Voice, &n.Scope)))
	if n.Taught == nil || n.Credit != nil && n.Credit.Runs > 0 { // a taught lesson has no evidence before it has runs
		p.Part(a.Say("confidence"), fmt.Sprintf("%.2f", n.Content.Confidence))
	}
	p.Head(a.Say("Content"))
	says := enhance.NewWording(tax).Shown(n, a.Lang).Content
	p.Part(a.Say("title"), says.Title)
	parts := ""
	for _, l := range says.Lessons {
		parts = text.Append(parts, text.Append(l.Check, l.Instead))
	}
	if n.Type == tree.Case {
		p.Part(a.Say("guidance"), said)
	} else if says.Guidance != parts { // lessons are listed below
		p.Part(a.Say("guidance"), says.Guidance)
	}
	for _, l := range says.Lessons {
		p.Part(a.Say("check"), l.Check)
		p.Part(a.Say("instead"), l.Instead)
		p.Part(a.Say("mistake"), l.Mistake)
	}
	for i := range left {
		p.Part(a.Say("left out"), a.Names().Refusal(tax, &left[i]))
	}
	p.Part(a.Say("when"), strings.Join(says.AppliesWhen, "\n"))
	p.Part(a.Say("not when"), strings.Join(says.NotWhen, "\n"))
	if checks := brief.Checks(n); n.Type == tree.Case && len(checks) > 0 {
		p.Part(a.Say("is about"), strings.Join(checks, ", "))
	}
	p.Part(a.Say("went wrong"), says.Description)
	examples(a.Voice, p, n.Taught)
	if d := n.CaseData; d != nil {
		evidence(a, p, n)
	}
	kin(a.Voice, p, n)
	historyParts(a.Voice, p, n)
	decisions(a.Voice, p, n, past)
	return a.Print(p.Lines...)
}

// evidenceRunes is how much of a long text a page shows; --json prints the whole text.
const evidenceRunes = 600

// evidence shows the evidence of a case. It omits parts of the analysis that the page has shown above.
func evidence(a *app, p *say.Output, n *tree.Node) {
	d := n.CaseData
	p.Head(a.Say("Evidence"))
	p.Part(a.Say("test case"), d.TestCase.CaseID)
	p.Part(a.Say("prompt"), text.Clip(d.TestCase.Prompt, evidenceRunes))
	p.Part(a.Say("judgment"), text.Clip(d.AgentJudgment, evidenceRunes))
	p.Part(a.Say("ground truth"), text.Clip(d.TestCase.GroundTruth.Text(), evidenceRunes))
	p.Part(a.Say("evaluator"), text.Clip(d.EvaluatorReason, evidenceRunes))
	for _, x := range evidenceParts(a, d.Evidence, "") {
		p.Part(x.name, text.Clip(x.text, evidenceRunes))
	}
	wrong := d.ActualError
	if wrong == n.Content.Description {
		wrong = ""
	}
	if wrong+d.ErrorReason == "" {
		return
	}
	p.Head(a.Say("Analysis"))
	p.Part(a.Say("error"), wrong)
	p.Part(a.Say("cause"), d.ErrorReason)
}

func kin(v *say.Voice, p *say.Output, n *tree.Node) {
	if n.Parent == "" && len(n.Children) == 0 && n.SupersededBy == "" && n.Elsewhere == nil {
		return
	}
	p.Head(v.Say("In the tree"))
	p.Part(v.Say("part of"), n.Parent)
	p.Part(v.Say("made of"), strings.Join(n.Children, " "))
	if e := n.Elsewhere; e != nil {
		p.Part(v.Say("rests on"), v.Say("%d cases of %d tests in another tree", e.Cases, e.Tests))
	}
	p.Part(v.Say("replaced by"), n.SupersededBy)
}

func historyParts(v *say.Voice, p *say.Output, n *tree.Node) {
	p.Head(v.Say("History"))
	p.Part(v.Say("learned in"), dotted(n.Origin.Label, n.Origin.ID))
	p.Part(v.Say("made by"), makers(&n.Provenance))
	p.Part(v.Say("revision"), fmt.Sprint(n.Revision))
	const most = 5
	for i, o := range n.Occurrences {
		if i == most {
			p.Part("", v.Say("... and %d more", len(n.Occurrences)-most))
			break
		}
		name := ""
		if i == 0 {
			name = v.Say("happened")
		}
		line := o.Evaluation
		if !o.At.IsZero() {
			line = o.At.UTC().Format(time.RFC3339) + " " + line
		}
		if o.Near {
			line += " " + v.Say("(nearly the same)")
		}
		p.Part(name, line)
	}
	if n.Metadata.UsageCount > 0 {
		p.Part(v.Say("used"), usedTimes(v, n.Metadata.UsageCount, n.Metadata.SuccessRate))
	}
	credit(v, p, n.Credit)
	p.Part(v.Say("archived for"), n.ArchivedFor)
}

// usedTimes describes how often a memory was included, and how many of these runs were right.
func usedTimes(v *say.Voice, n int, right float64) string {
	if n == 1 {
		return v.Say("once, %.0f right", right)
	}
	return v.Say("%d times, %.0f right", n, right*float64(n))
}

// decisions prints the decisions of people on a memory, the latest first; for a memory of another tree only the last
// one is known.
func decisions(v *say.Voice, p *say.Output, n *tree.Node, past []curation.Past) {
	if w := n.Decision; w != nil && len(past) == 0 {
		past = []curation.Past{{Action: ledger.Action{Kind: w.Kind, By: w.By, Why: w.Why}, At: w.At}}
	}
	now := tree.About{}
	if n.CaseData != nil && n.CaseData.About != nil {
		now = *n.CaseData.About
	}
	if len(past) > 0 {
		p.Head(v.Say("What people decided"))
	}
	for i := range past {
		d := &past[i]
		back, about := "", ""
		switch {
		case d.Gone:
			back = v.Say("taken back")
		case d.Kind == tree.DecisionAbout:
			was := aboutBefore(&d.Action, n.ID)
			about = aboutLine(v, was, now)
			now = was
		}
		what := ""
		switch len(d.Labels) {
		case 0:
		case 1:
			what = v.Names().Verdict(&d.Labels[0])
		default:
			what = v.Say("%d verdicts", len(d.Labels))
		}
		by, at := v.Names().Who(d.By), d.At.Format(time.RFC3339)
		p.Part(d.Kind.Name(), dotted(by, at, cmp.Or(what, about), back, d.Why))
	}
}

// credit prints the effect of a memory on its runs.
func credit(v *say.Voice, p *say.Output, c *tree.Credit) {
	if c == nil || c.Runs == 0 {
		return
	}
	e := effect.Effect{Runs: c.Runs, Tests: c.Tests, Right: c.Right, Effect: c.Effect, SD: c.SD, PHarm: c.PHarm}
	p.Part(v.Say("effect"), e.Size().In(v.Lang))
	if c.Repeated+c.Confirmed > 0 {
		p.Part(v.Say("runs"), v.Say("%d made its mistake all the same; %d were right where it had been made before",
			c.Repeated, c.Confirmed))
	}
	if len(c.NotOn) > 0 {
		p.Part(v.Say("not given on"), strings.Join(c.NotOn, ", ")+" "+v.Say("(it led them to the opposite mistake)"))
	}
	if c.Held != nil {
		p.Part(v.Say("out of use since"), dotted(c.Held.Since.Format(time.DateOnly), c.Held.Why))
	}
}

// makers names the authors of a memory. It omits an analyst that the name of the template contains.
func makers(by *tree.Provenance) string {
	analyst := by.Analyst
	if strings.HasPrefix(by.Template, analyst+"@") {
		analyst = ""
	}
	return dotted(by.By, analyst, by.Model, by.Template)
}
