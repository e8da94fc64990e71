package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/brief"
	"github.com/memtree/memtree/effect"
	"github.com/memtree/memtree/enhance"
	"github.com/memtree/memtree/evolution"
	"github.com/memtree/memtree/internal/cli/screen"
	"github.com/memtree/memtree/internal/text"
	"github.com/memtree/memtree/knowledge"
	"github.com/memtree/memtree/llm/meter"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

func (a *app) evolveCommand() *cobra.Command {
	o := memtree.EvolveOptions{}
	explain, read, files := false, false, handFlags{}
	c := &cobra.Command{
		Use:   "evolve [flags]",
		Short: a.say("Let the tree learn: cases that missed one check become a lesson"),
		Long: a.say(`Groups the cases by their cause and writes what each group has in common as an
experience, and counts the experiences of one error type as a strategy. With a model configured
it writes, in Chinese and English at once, leaves out cases of another cause, and refuses groups
that have no one cause; without one, rules write. Every draft has to pass the same gates; one that
does not is kept with the reason, and its cases stay in use. Then what the tree can do without is
archived, see memtree prune.

Running it again with nothing new changes nothing and asks no model. Interrupted, it goes on where
it stopped.

Wrong verdicts that came before there was a model are read when there is one. Without a model of its
own memtree can be read for elsewhere: --print writes the questions that are open, one JSON object a
line, and --from takes the answers, with the same checks. Do both again until no question is left:
what groups share is asked once their runs are read.`),
		Example: `  memtree evolve --dry-run
  memtree evolve --explain
  memtree evolve --max-calls 20
  memtree evolve --review && memtree review`,
		Args: a.arguments(0, 0, a.say("no arguments")),
		RunE: func(c *cobra.Command, _ []string) error {
			o.DryRun = o.DryRun || explain
			if files != (handFlags{}) {
				return a.evolveByHand(c.Context(), o, &files)
			}
			if err := a.evolve(c.Context(), o, explain); err != nil || !read {
				return err
			}
			err := a.knowRead(c.Context(), &knowReadFlags{o: knowledge.ReadOptions{DryRun: o.DryRun}})
			if err != nil && !errors.Is(err, errRejected) {
				return err
			}
			return errors.Join(err, a.brief(c.Context(), nil, &briefFlags{o: brief.ReadOptions{DryRun: o.DryRun}}))
		},
	}
	f := c.Flags()
	f.BoolVar(&o.DryRun, "dry-run", false, a.say("print what would change, write nothing, ask no model"))
	f.BoolVar(&explain, "explain", false, a.say("say what each error type lacks for its next lesson; writes nothing"))
	f.BoolVar(&o.Review, "review", false, a.say("leave new lessons for memtree review instead of using them"))
	f.StringVar(&o.Only, "only", "", a.say("this error type alone"))
	f.BoolVar(&read, "brief", false, a.say("then have the model read notes on false alarms, as memtree know "+
		"read does, and the tests of the last 30 days, as memtree brief does"))
	f.BoolVar(&o.KeepAll, "keep-all", false, a.say("archive nothing"))
	a.handFlags(c, &files)
	c.MarkFlagsMutuallyExclusive("print", "explain")
	c.MarkFlagsMutuallyExclusive("print", "review")
	a.boundFlags(c)
	return c
}

func (a *app) evolve(ctx context.Context, o memtree.EvolveOptions, explain bool) error {
	how := writing
	if o.DryRun {
		how = planning
	}
	// A large tree stays in memory throughout; this lowers the peak by a fifth.
	defer a.collectAt(50)()
	return a.with(ctx, how, func(m *memtree.Memory) error {
		if err := a.checkType(m, o.Only); err != nil {
			return err
		}
		if err := a.boundEvolve(ctx, m, &o); err != nil {
			return err
		}
		var last evolution.Progress
		bar := a.progress(a.say("evolving"), func(int64) string { return a.stepLine(last, o.Price != meter.Price{}) })
		defer bar.End()
		o.Progress = func(s evolution.Progress) {
			last = s
			bar.Step(int64(s.Done), 0)
		}
		v, err := m.Evolve(ctx, &o)
		bar.End()
		a.halted(m, 0)
		if err != nil {
			return a.interrupted(err, last.Done, last.Of)
		}
		if a.json {
			return a.printJSON(a.evolvedJSON(&v, o.DryRun))
		}
		info, err := m.Tree().Info(ctx)
		switch {
		case err != nil:
		case explain && len(v.Plans) == 0:
			return a.printNoTree(ctx, m, &info)
		case explain:
			err = a.printLacks(m.Taxonomy(), &v)
		default:
			err = a.printEvolved(m.Taxonomy(), &v, &o)
			if err == nil && v.Changed() == 0 && !o.DryRun {
				err = a.printStillOpen(ctx, m)
			}
		}
		if err != nil {
			return err
		}
		return a.print(a.unformedLines(info.Outbox)...)
	})
}

// printStillOpen prints that memory is still switched off, after an Evolve that changed nothing.
func (a *app) printStillOpen(ctx context.Context, m *memtree.Memory) error {
	r, err := m.Effect(ctx)
	if err != nil || r.State != effect.Open {
		return err
	}
	said := a.say("No memory is given, because memory did harm and nothing has changed since. Forget or edit " +
		"what misleads (memtree effect --by node), and run memtree evolve again; half of the runs are then given memory, " +
		"on trial.")
	return a.print(append([]string{""}, a.Wrap(said)...)...)
}

// interrupted reports how far evolve had come when it was interrupted. It returns other errors unchanged. of is 0
// before there is a plan.
func (a *app) interrupted(err error, done, of int) error {
	switch {
	case !errors.Is(err, context.Canceled):
		return err
	case of == 0:
		return &failure{a.say("interrupted before the first error type was looked at; nothing was learned and nothing " +
			"is lost; give the same command again"), err}
	}
	return &failure{a.say("interrupted after %d of %d error types and directions; what was done is kept, "+
		"and so are the model's answers; give the same command again to go on", done, of), err}
}

func (a *app) checkType(m *memtree.Memory, only string) error {
	if only == "" {
		return nil
	}
	if _, ok := m.Taxonomy().ErrorType(only); !ok {
		return &usageError{a.say("--only is %q, which is no error type; memtree stats lists those there are", only)}
	}
	return nil
}

// stepLine returns the progress of evolve on one line.
func (a *app) stepLine(s evolution.Progress, priced bool) string {
	const cells = 10
	full := 0
	if s.Of > 0 {
		full = s.Done * cells / s.Of
	}
	line := fmt.Sprintf("[%s%s] %d/%d  ", strings.Repeat("#", full), strings.Repeat(".", cells-full), s.Done, s.Of) +
		a.say("groups %d, jobs %d, calls %d, tokens %d", s.Groups, s.Jobs, s.Calls, s.Usage.InputTokens+s.Usage.OutputTokens)
	if priced {
		line += a.say(", cost %.4f", s.Cost)
	}
	return line
}

// learnedCounts is the number of changes by kind.
type learnedCounts struct{ experiences, strategies, revised, out, attached, retyped, trusted int }

func countChanges(v *evolution.Evolved) (l learnedCounts, lines []tree.Change) {
	for _, p := range v.Plans {
		for _, c := range p.Changes {
			switch {
			case c.Node.Type == tree.Case && c.Op == tree.OpRevise:
				l.retyped++
			case c.Node.Type == tree.Case:
				l.attached++
			case c.Op == tree.OpAdd && c.Node.Type == tree.Strategy:
				l.strategies++
			case c.Op == tree.OpAdd:
				l.experiences++
			case !c.Node.Live():
				l.out++
			case c.Op == tree.OpRevise:
				l.revised++
			case c.Op == tree.OpCredit || c.Op == tree.OpStatus:
				l.trusted++
			}
			if c.Node.Type != tree.Case && c.Op != tree.OpAttach && c.Op != tree.OpCredit {
				lines = append(lines, c)
			}
		}
	}
	return l, lines
}

func (a *app) printEvolved(tax *taxonomy.Taxonomy, v *evolution.Evolved, o *memtree.EvolveOptions) error {
	l, changed := countChanges(v)
	var out []string
	proposals := v.Proposals()
	nothing := l == learnedCounts{} && len(v.Forgotten)+len(v.Revived)+len(v.Anew)+len(v.Judged)+v.Again == 0
	switch {
	case nothing && v.Waiting == 0 && len(proposals) == 0:
		out = append(out, a.Wrap(a.say("Nothing to do: no group of cases is enough for a new lesson yet. "+
			"memtree evolve --explain says what is missing."))...)
	case nothing:
		out = append(out, a.say("The tree is as it was."))
	case o.DryRun:
		out = append(out, a.Paint(screen.Bold, a.say("This would change (nothing was written):")))
	default:
		out = append(out, a.Paint(screen.Bold, a.say("The tree has learned:")))
	}
	add := func(n int, s string) {
		if n > 0 {
			out = append(out, "  "+s)
		}
	}
	add(l.experiences, a.say("new experiences: %d", l.experiences))
	add(l.strategies, a.say("new strategies: %d", l.strategies))
	add(l.revised, a.say("lessons written anew: %d", l.revised))
	add(l.out, a.say("out of use: %d", l.out))
	add(l.attached, a.say("cases that joined a lesson or left one: %d", l.attached))
	add(l.retyped, a.say("cases read anew for what was missed: %d", l.retyped))
	add(l.trusted, a.say("lessons trusted more or less, or no longer on probation: %d", l.trusted))
	add(v.Again, a.say("cases that had waited for a model and were read by it: %d", v.Again))
	add(len(v.Anew), a.say("lessons that went with what a person took back, or were written anew: %d", len(v.Anew)))
	add(len(v.Revived), a.say("cases back in use, because their mistake was made again: %d", len(v.Revived)))
	add(len(v.Forgotten), a.say("archived: %d (memtree show ID says why)", len(v.Forgotten)))
	out = append(out, a.judgedLines(v.Judged)...)
	for _, c := range changed {
		out = append(out, a.changeLines(tax, &c)...)
	}
	out = append(out, a.bannedLines(v)...)
	out = append(out, a.refusedLines(v)...)
	out = append(out, a.apartLines(tax, v)...)
	out = append(out, a.evolveAccount(v, o.DryRun)...)
	if len(proposals) > 0 {
		out = append(
			out,
			"",
			a.say("Lessons that wait for your decision: %d; read them with memtree review.", len(proposals)),
		)
	}
	if v.Waiting > 0 {
		out = append(out, "", a.say("Lessons that wait for the model: %d; memtree evolve asks for them.", v.Waiting))
		out = append(out, a.waitingLines(tax, v)...)
	}
	for _, p := range v.Plans {
		for _, n := range p.Notes {
			a.note(n)
		}
	}
	return a.print(out...)
}

// judgedLines lists the memories that were taken out of use, or back into it, because of their runs.
func (a *app) judgedLines(judged []effect.Revised) []string {
	var out []string
	for _, r := range judged {
		how := a.say("%s is given again", short(r.ID))
		if r.Now == tree.Quarantined || r.Now == tree.Retired {
			how = a.say("%s is given no longer", short(r.ID))
		}
		if r.Was == tree.Probation && r.Now == tree.Active {
			how = a.say("%s is no longer on probation", short(r.ID))
		}
		out = append(out, "")
		out = append(out, a.Wrap(a.Paint(screen.Bold, how)+"  "+r.Why.In(a.lang))...)
	}
	return out
}

// changeLines shows a new or changed abstraction: its content and the reason for it.
func (a *app) changeLines(tax *taxonomy.Taxonomy, c *tree.Change) []string {
	why := c.Why
	if c.Op == tree.OpAdd {
		why = a.grounds(&c.Node)
	}
	return a.lessonLines(tax, &c.Node, why)
}

// grounds returns the reason for a lesson, in the language of the user.
func (a *app) grounds(n *tree.Node) string {
	if n.Type == tree.Strategy {
		return a.say("%d experiences of one error type", len(n.Children))
	}
	return a.say("%d cases missed the same check", len(n.Children))
}

// lessonLines shows an abstraction: its content and the reason for it.
func (a *app) lessonLines(tax *taxonomy.Taxonomy, n *tree.Node, why string) []string {
	out := []string{""}
	out = append(out, a.Wrap(a.Paint(screen.Bold, n.ID)+"  "+a.branchName(tax, n.ErrorType, n.Direction))...)
	p := &screen.Page{Width: a.Width}
	p.Part("  "+a.say("why"), why)
	if n.Live() {
		says := enhance.NewWording(tax).Shown(n, a.lang).Content
		p.Part("  "+a.say("title"), says.Title)
		if n.Type == tree.Strategy {
			p.Part("  "+a.say("mistakes"), says.Description)
		}
		p.Part("  "+a.say("when"), strings.Join(says.AppliesWhen, "\n"))
		for _, l := range says.Lessons {
			p.Part("  "+a.say("check"), text.Append(l.Check, l.Instead))
			p.Part("  "+a.say("mistake"), l.Mistake)
		}
		if len(says.Lessons) == 1 && says.Lessons[0].Mistake == "" {
			p.Part("  "+a.say("mistake"), says.Description)
		}
		p.Part("  "+a.say("not when"), strings.Join(says.NotWhen, "\n"))
		p.Part("  "+a.say("rests on"), shortList(n.Children))
	}
	return append(out, p.Lines...)
}

func shortList(ids []string) string {
	const most = 3
	if len(ids) <= most {
		return strings.Join(ids, ", ")
	}
	return strings.Join(ids[:most], ", ") + fmt.Sprintf(", … (%d)", len(ids))
}

// waitingLines names the groups of cases that are enough for a lesson but have not been sent to the model yet.
func (a *app) waitingLines(tax *taxonomy.Taxonomy, v *evolution.Evolved) []string {
	var out []string
	for _, p := range v.Plans {
		for _, g := range p.Groups {
			refused := slices.ContainsFunc(p.Rejections, func(r evolution.Rejection) bool {
				return slices.Equal(r.Members, g.Cases)
			})
			if p.Waiting == 0 || len(g.Missing) > 0 || refused || g.Apart != "" || g.LeftOut != "" {
				continue
			}
			cases := a.say("%d cases of %d tests: %s", len(g.Cases), g.Tests, shortList(g.Cases))
			out = append(out, screen.Hanging("  - ", a.branchName(tax, p.ErrorType, p.Direction)+": "+cases, a.Width)...)
		}
	}
	return out
}

// apartLines names the groups for which the model wrote no lesson because their cases share no cause.
func (a *app) apartLines(tax *taxonomy.Taxonomy, v *evolution.Evolved) []string {
	var out []string
	for _, p := range v.Plans {
		for _, g := range p.Groups {
			if g.Apart == "" {
				continue
			}
			if len(out) == 0 {
				out = append(out, "", a.say("Groups without one cause; each is asked about again when its cases change:"))
			}
			out = append(out, screen.Hanging("  - ", a.say("%s: %s", a.groupName(tax, &g), text.Line(g.Apart)), a.Width)...)
		}
	}
	return out
}

// groupName names a group by its check and its cases.
func (a *app) groupName(tax *taxonomy.Taxonomy, g *evolution.Group) string {
	if c, ok := tax.Check(g.Check); ok {
		return a.say("%s (%s)", c.Name.In(a.lang), shortList(g.Cases))
	}
	if name := taxonomy.OwnName(g.Check); name != "" {
		return a.say("%s (%s)", name, shortList(g.Cases))
	}
	return shortList(g.Cases)
}

// bannedLines returns how many groups make no lesson because a person banned it.
func (a *app) bannedLines(v *evolution.Evolved) []string {
	groups, cases := 0, 0
	for i := range v.Plans {
		for j := range v.Plans[i].Groups {
			if g := &v.Plans[i].Groups[j]; g.Banned {
				groups, cases = groups+1, cases+len(g.Cases)
			}
		}
	}
	if groups == 0 {
		return nil
	}
	return a.Wrap(a.say("Not learned, because a person banned it: %d (cases: %d).", groups, cases))
}

// refusedLines names the drafts that a gate refused now, and the number of those refused before.
func (a *app) refusedLines(v *evolution.Evolved) []string {
	var out []string
	before := 0
	for _, p := range v.Plans {
		for _, r := range p.Rejections {
			if r.Known {
				before++
				continue
			}
			if len(out) == 0 {
				out = append(out, "", a.say("Drafts that a gate refused; their cases stay in use:"))
			}
			out = append(out, a.refusedLine(&r)...)
		}
	}
	if before > 0 {
		out = append(out, "", a.say("Drafts refused before: %d; memtree show --rejected says why.", before))
	}
	return out
}

func (a *app) refusedLine(r *evolution.Rejection) []string {
	title := text.Line(r.Title)
	if title == "" {
		title = a.say("no draft")
	}
	reasons := text.Line(strings.Join(r.Reasons, a.say("; ")))
	return screen.Hanging("  - ", a.say("%s: %s", a.say("%s (%s)", title, shortList(r.Members)), reasons), a.Width)
}

// mostGroups is how many groups of a partition are explained.
const mostGroups = 3

func (a *app) printLacks(tax *taxonomy.Taxonomy, v *evolution.Evolved) error {
	var out []string
	for i, p := range v.Plans {
		if i > 0 {
			out = append(out, "")
		}
		out = append(out, a.Paint(screen.Bold, a.branchName(tax, p.ErrorType, p.Direction)))
		out = append(out, screen.Hanging("  ", a.say("cases: %d; groups that are no lesson yet: %d; "+
			"a lesson takes %d cases of 2 tests within %.0f days",
			p.Cases, len(p.Groups), p.Rule.CaseThreshold, p.Rule.TimeWindow.Hours()/24), a.Width)...)
		if l, _ := countChanges(&evolution.Evolved{Plans: []evolution.Plan{p}}); l.experiences > 0 {
			out = append(out, "  "+a.say("ready to be learned: %d; memtree evolve does it", l.experiences))
		}
		for _, g := range p.Groups[:min(mostGroups, len(p.Groups))] {
			out = append(out, screen.Hanging("  - ", a.lacks(tax, &g), a.Width)...)
		}
		if rest := len(p.Groups) - mostGroups; rest > 0 {
			out = append(out, "    "+a.say("... and %d more", rest))
		}
	}
	return a.print(out...)
}

// lacks describes what a group of cases still lacks for a lesson.
func (a *app) lacks(tax *taxonomy.Taxonomy, g *evolution.Group) string {
	parts := make([]string, 0, len(g.Missing)+1)
	for _, m := range g.Missing {
		switch m.What {
		case "cases":
			parts = append(parts, a.say("%.0f of %.0f cases", m.Have, m.Need))
		case "recent":
			parts = append(parts, a.say("%.0f of %.0f cases within the time window", m.Have, m.Need))
		case "notes":
			parts = append(parts, a.say("%.0f of %.0f different notes", m.Have, m.Need))
		case "tests":
			parts = append(parts, a.say("%.0f of %.0f different tests", m.Have, m.Need))
		case "confidence":
			parts = append(parts, a.say("confidence %.2f of %.2f", m.Have, m.Need))
		case "words":
			parts = append(parts, a.say("no check of the catalogue fits, and there is no model to word a lesson"))
		}
	}
	switch {
	case g.Apart != "":
		parts = []string{a.say("the cases have no one cause: %s", text.Line(g.Apart))}
	case g.Banned:
		parts = []string{a.say("%d cases; a person banned this lesson", len(g.Cases))}
	case g.LeftOut != "":
		parts = []string{a.say("left out of %s, as of another cause", g.LeftOut)}
	}
	if len(parts) == 0 {
		parts = append(parts, a.say("%d cases; the draft was refused, see memtree show --rejected", len(g.Cases)))
	}
	return a.say("%s: %s", a.groupName(tax, g), strings.Join(parts, a.say(", ")))
}
