package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/brief"
	"github.com/memtree/memtree/curation"
	"github.com/memtree/memtree/effect"
	"github.com/memtree/memtree/enhance"
	"github.com/memtree/memtree/internal/cli/screen"
	"github.com/memtree/memtree/internal/text"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

func (a *app) showCommand() *cobra.Command {
	rejected := false
	c := &cobra.Command{
		Use:   "show ID",
		Short: a.say("Print one memory whole"),
		Long: a.say(`Prints a memory with its evidence. The beginning of an id is enough where no other
begins like it. With --rejected it prints the lessons that were written and refused, and why.`),
		Example: "  memtree show c_fhb3x2\n  memtree show c_fhb3x2 --json\n  memtree show --rejected",
		Args: func(c *cobra.Command, args []string) error {
			if rejected {
				return a.arguments(0, 0, a.say("no arguments"))(c, args)
			}
			return a.arguments(1, 1, a.say("the id of a memory"))(c, args)
		},
		RunE: func(c *cobra.Command, args []string) error {
			ctx := c.Context()
			if rejected {
				return a.showRejected(ctx)
			}
			return a.with(ctx, reading, func(m *memtree.Memory) error {
				n, err := a.find(ctx, m, args[0])
				if err != nil {
					return err
				}
				if a.json {
					return a.printJSON(n)
				}
				past, err := m.Curation().History(ctx, n.ID)
				if err != nil {
					return err
				}
				said, left := m.Curation().Given(&n, a.lang)
				return a.printNode(m.Taxonomy(), &n, said, left, past)
			})
		},
		ValidArgsFunction: a.completeID,
	}
	c.Flags().BoolVar(&rejected, "rejected", false, a.say("the lessons that a gate or a person refused, with the reasons"))
	return c
}

// showRejected prints the refused drafts.
func (a *app) showRejected(ctx context.Context) error {
	return a.with(ctx, reading, func(m *memtree.Memory) error {
		all, err := m.Review().Rejected(ctx)
		if err != nil {
			return err
		}
		if a.json {
			return a.printJSON(all)
		}
		if len(all) == 0 {
			return a.print(a.say("No lesson was refused."))
		}
		out := []string{a.Paint(screen.Bold, a.say("Lessons that were refused: %d. Their cases stay in use.", len(all)))}
		for _, r := range all {
			out = append(out, "")
			branch := a.branchName(m.Taxonomy(), r.ErrorType, r.Direction)
			out = append(out, a.Wrap(branch+" · "+a.writerName(r.By))...)
			p := &screen.Page{Width: a.Width}
			p.Part("  "+a.say("title"), r.Title)
			p.Part("  "+a.say("why"), strings.Join(r.Reasons, "\n"))
			p.Part("  "+a.say("cases"), shortList(r.Members))
			out = append(out, p.Lines...)
		}
		return a.print(out...)
	})
}

// writerName names the author of a draft, or that a person refused it.
func (a *app) writerName(by string) string {
	switch by {
	case "model":
		return a.say("written by a model")
	case "rules":
		return a.say("written by rules")
	case "person":
		return a.say("refused by a person")
	}
	return by
}

// mostIDs limits the ids that are printed when several match a prefix.
const mostIDs = 5

// find returns the node with this id, or the only node whose id begins with it.
func (a *app) find(ctx context.Context, m *memtree.Memory, id string) (tree.Node, error) {
	n, err := m.Tree().Get(ctx, id)
	if !errors.Is(err, tree.ErrNotFound) {
		return n, err
	}
	var found []tree.Node
	for n, err := range m.Tree().Scan(ctx, tree.Filter{}) {
		if err != nil {
			return tree.Node{}, err
		}
		if strings.HasPrefix(n.ID, id) {
			if found = append(found, n); len(found) > mostIDs {
				break
			}
		}
	}
	switch {
	case len(found) == 1:
		return found[0], nil
	case len(found) == 0:
		return tree.Node{}, &failure{a.say("no memory has an id that begins with %s; memtree tree lists them", id), err}
	}
	ids := make([]string, 0, mostIDs)
	for _, n := range found[:min(mostIDs, len(found))] {
		ids = append(ids, n.ID)
	}
	return tree.Node{}, &failure{a.say("several ids begin with %s: %s; give more of it", id, strings.Join(ids, ", ")), nil}
}

func (a *app) printNode(
	tax *taxonomy.Taxonomy, n *tree.Node, said string, left []tree.Refusal, past []curation.Past,
) error {
	p := &screen.Page{Width: a.Width}
	p.Lines = append(p.Lines, a.Paint(screen.Bold, fmt.Sprintf("%s %s", a.levelName(n.Type), n.ID)))
	p.Part(a.say("error type"), fmt.Sprintf("%s · %s", n.ErrorType, a.typeName(tax, n.ErrorType)))
	p.Part(a.say("direction"), fmt.Sprintf("%s · %s", n.Direction, a.directionName(n.Direction)))
	p.Part(a.say("status"), dotted(string(n.Status), a.statusName(n.Status), a.markName(n.Mark)))
	p.Part(a.say("scene"), dotted(n.Scene.ID, n.Scene.Type, n.Scene.Route))
	p.Part(a.say("applies to"), dotted(n.Scope.Product, n.Scope.Suite, n.Scope.Test, a.place(&n.Scope)))
	if n.Taught == nil || n.Credit != nil && n.Credit.Runs > 0 { // a taught lesson has no evidence before it has runs
		p.Part(a.say("confidence"), fmt.Sprintf("%.2f", n.Content.Confidence))
	}
	p.Head(a.Paint(screen.Bold, a.say("Content")))
	says := enhance.NewWording(tax).Shown(n, a.lang).Content
	p.Part(a.say("title"), says.Title)
	parts := ""
	for _, l := range says.Lessons {
		parts = text.Append(parts, text.Append(l.Check, l.Instead))
	}
	if n.Type == tree.Case {
		p.Part(a.say("guidance"), said)
	} else if says.Guidance != parts { // lessons are listed below
		p.Part(a.say("guidance"), says.Guidance)
	}
	for _, l := range says.Lessons {
		p.Part(a.say("check"), l.Check)
		p.Part(a.say("instead"), l.Instead)
		p.Part(a.say("mistake"), l.Mistake)
	}
	for i := range left {
		p.Part(a.say("left out"), a.refusal(tax, &left[i]))
	}
	p.Part(a.say("when"), strings.Join(says.AppliesWhen, "\n"))
	p.Part(a.say("not when"), strings.Join(says.NotWhen, "\n"))
	if checks := brief.Checks(n); n.Type == tree.Case && len(checks) > 0 {
		p.Part(a.say("is about"), strings.Join(checks, ", "))
	}
	p.Part(a.say("went wrong"), says.Description)
	a.examples(p, n.Taught)
	if d := n.CaseData; d != nil {
		a.evidence(p, n)
	}
	a.kin(p, n)
	a.history(p, n)
	a.decisions(p, n, past)
	return a.print(p.Lines...)
}

// refusal names the check of refused advice and who refused it.
func (a *app) refusal(tax *taxonomy.Taxonomy, no *tree.Refusal) string {
	by, check := cmp.Or(no.By, a.say("a person")), ""
	if c, known := tax.Check(no.Check); known {
		check = c.Name.In(a.lang)
	}
	said := map[tree.DecisionKind]string{
		tree.DecisionBan: a.say("banned by %s", by), tree.DecisionReject: a.say("rejected by %s", by),
		tree.DecisionForget: a.say("forgotten by %s", by),
	}[no.Said]
	return dotted(said, check)
}

// place names the test that a memory applies to, and its neighbours in the suite. It returns "" if the memory applies
// to no one test.
func (a *app) place(s *tree.Scope) string {
	test, i := s.PlaceTest(), s.Position
	first, last := i == 0, i == len(s.SuiteTests)-1
	switch {
	case test == "" || first && last:
		return test
	case first:
		return a.say("%s, first, before %s", test, s.SuiteTests[i+1])
	case last:
		return a.say("%s, last, after %s", test, s.SuiteTests[i-1])
	}
	return a.say("%s, after %s and before %s", test, s.SuiteTests[i-1], s.SuiteTests[i+1])
}

// evidenceRunes is how much of a long text a page shows; --json prints the whole text.
const evidenceRunes = 600

// evidence shows the evidence of a case. It omits parts of the analysis that the page has shown above.
func (a *app) evidence(p *screen.Page, n *tree.Node) {
	d := n.CaseData
	p.Head(a.Paint(screen.Bold, a.say("Evidence")))
	p.Part(a.say("test case"), d.TestCase.CaseID)
	p.Part(a.say("prompt"), text.Clip(d.TestCase.Prompt, evidenceRunes))
	p.Part(a.say("judgment"), text.Clip(d.AgentJudgment, evidenceRunes))
	p.Part(a.say("ground truth"), text.Clip(d.TestCase.GroundTruth.Text(), evidenceRunes))
	p.Part(a.say("evaluator"), text.Clip(d.EvaluatorReason, evidenceRunes))
	for _, x := range a.evidenceParts(d.Evidence, "") {
		p.Part(x.name, text.Clip(x.text, evidenceRunes))
	}
	p.Head(a.Paint(screen.Bold, a.say("Analysis")))
	if d.ActualError != n.Content.Description {
		p.Part(a.say("error"), d.ActualError)
	}
	p.Part(a.say("cause"), d.ErrorReason)
}

func (a *app) kin(p *screen.Page, n *tree.Node) {
	if n.Parent == "" && len(n.Children) == 0 && n.SupersededBy == "" && n.Elsewhere == nil {
		return
	}
	p.Head(a.Paint(screen.Bold, a.say("In the tree")))
	p.Part(a.say("part of"), n.Parent)
	p.Part(a.say("made of"), strings.Join(n.Children, " "))
	if e := n.Elsewhere; e != nil {
		p.Part(a.say("rests on"), a.say("%d cases of %d tests in another tree", e.Cases, e.Tests))
	}
	p.Part(a.say("replaced by"), n.SupersededBy)
}

func (a *app) history(p *screen.Page, n *tree.Node) {
	p.Head(a.Paint(screen.Bold, a.say("History")))
	p.Part(a.say("learned in"), dotted(n.Origin.Label, n.Origin.ID))
	p.Part(a.say("made by"), makers(&n.Provenance))
	p.Part(a.say("revision"), fmt.Sprint(n.Revision))
	const most = 5
	for i, o := range n.Occurrences {
		if i == most {
			p.Part("", a.say("... and %d more", len(n.Occurrences)-most))
			break
		}
		name := ""
		if i == 0 {
			name = a.say("happened")
		}
		line := o.Evaluation
		if !o.At.IsZero() {
			line = o.At.UTC().Format(time.RFC3339) + " " + line
		}
		if o.Near {
			line += " " + a.say("(nearly the same)")
		}
		p.Part(name, line)
	}
	if n.Metadata.UsageCount > 0 {
		p.Part(a.say("used"), a.usedTimes(n.Metadata.UsageCount, n.Metadata.SuccessRate))
	}
	a.credit(p, n.Credit)
	p.Part(a.say("archived for"), n.ArchivedFor)
}

// usedTimes describes how often a memory was included, and how many of these runs were right.
func (a *app) usedTimes(n int, right float64) string {
	if n == 1 {
		return a.say("once, %.0f right", right)
	}
	return a.say("%d times, %.0f right", n, right*float64(n))
}

// decisions prints the decisions of people on a memory, the latest first; for a memory of another tree only the last
// one is known.
func (a *app) decisions(p *screen.Page, n *tree.Node, past []curation.Past) {
	if w := n.Decision; w != nil && len(past) == 0 {
		past = []curation.Past{{Action: tree.Action{Kind: w.Kind, By: w.By, Why: w.Why}, At: w.At}}
	}
	now := tree.About{}
	if n.CaseData != nil && n.CaseData.About != nil {
		now = *n.CaseData.About
	}
	if len(past) > 0 {
		p.Head(a.Paint(screen.Bold, a.say("What people decided")))
	}
	for i := range past {
		d := &past[i]
		back, about := "", ""
		switch {
		case d.Gone:
			back = a.say("taken back")
		case d.Kind == tree.DecisionAbout:
			was := aboutBefore(&d.Action, n.ID)
			about = a.aboutLine(was, now)
			now = was
		}
		what := ""
		switch len(d.Labels) {
		case 0:
		case 1:
			what = a.verdictName(&d.Labels[0])
		default:
			what = a.say("%d verdicts", len(d.Labels))
		}
		by, at := cmp.Or(d.By, a.say("a person")), d.At.Format(time.RFC3339)
		p.Part(d.Kind.Name(), dotted(by, at, cmp.Or(what, about), back, d.Why))
	}
}

// credit prints the effect of a memory on its runs.
func (a *app) credit(p *screen.Page, c *tree.Credit) {
	if c == nil || c.Runs == 0 {
		return
	}
	e := effect.Effect{Runs: c.Runs, Tests: c.Tests, Right: c.Right, Effect: c.Effect, SD: c.SD, PHarm: c.PHarm}
	p.Part(a.say("effect"), e.Size().In(a.lang))
	if c.Repeated+c.Confirmed > 0 {
		p.Part(a.say("runs"), a.say("%d made its mistake all the same; %d were right where it had been made before",
			c.Repeated, c.Confirmed))
	}
	if len(c.NotOn) > 0 {
		p.Part(a.say("not given on"), strings.Join(c.NotOn, ", ")+" "+a.say("(it led them to the opposite mistake)"))
	}
	if c.Held != nil {
		p.Part(a.say("out of use since"), dotted(c.Held.Since.Format(time.DateOnly), c.Held.Why))
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

// levelName names a level for people.
func (a *app) levelName(t tree.Type) string {
	switch t {
	case tree.Case:
		return a.say("case")
	case tree.Experience:
		return a.say("experience")
	case tree.Strategy:
		return a.say("strategy")
	}
	return string(t)
}

// dotted joins the parts that are not empty.
func dotted(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), " · ")
}
