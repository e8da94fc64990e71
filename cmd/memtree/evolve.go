package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/evolution"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

func (a *app) evolveCommand() *cobra.Command {
	o := memtree.EvolveOptions{}
	explain, calls := false, 0
	c := &cobra.Command{
		Use:   "evolve [flags]",
		Short: a.say("Let the tree learn: cases of one cause become a lesson"),
		Long: a.say(`Groups the cases by their cause and writes what each group has in common as an experience, and what experiences of one error type have in common as a strategy. With a model configured it writes; without one, rules do. Every draft has to pass the same gates; one that does not is kept with the reason, and its cases stay in use.

Running it again with nothing new changes nothing and asks no model. Interrupted, it goes on where it stopped.`),
		Example: "  memtree evolve --dry-run\n  memtree evolve --explain\n  memtree evolve --max-calls 20",
		Args:    a.arguments(0, 0, a.say("no arguments")),
		RunE: func(c *cobra.Command, _ []string) error {
			if calls < 0 {
				return &usageError{a.say("--max-calls is %d; use 0 to ask no model, or a number of calls", calls)}
			}
			if c.Flags().Changed("max-calls") {
				if o.MaxCalls = calls; calls == 0 {
					o.MaxCalls = -1
				}
			}
			o.DryRun = o.DryRun || explain
			return a.evolve(c.Context(), o, explain)
		},
	}
	f := c.Flags()
	f.BoolVar(&o.DryRun, "dry-run", false, a.say("print what would change, write nothing, ask no model"))
	f.BoolVar(&explain, "explain", false, a.say("say what each error type lacks for its next lesson; writes nothing"))
	f.StringVar(&o.Only, "only", "", a.say("this error type alone"))
	f.IntVar(&calls, "max-calls", 0, a.say("ask the model at most so often; what is left waits for the next evolve"))
	return c
}

func (a *app) evolve(ctx context.Context, o memtree.EvolveOptions, explain bool) error {
	how := writing
	if o.DryRun {
		how = reading
	}
	return a.with(ctx, how, func(m *memory) error {
		if o.Only != "" {
			if _, ok := m.Taxonomy().ErrorType(o.Only); !ok {
				return &usageError{a.say("--only is %q, which is no error type; memtree stats lists those there are", o.Only)}
			}
		}
		bar := a.progress(a.say("evolving"), plainCount)
		defer bar.end()
		done, total, applied := int64(0), partitions(ctx, m, o.Only), 0
		o.Progress = func(p evolution.Plan) {
			done++
			applied += len(p.Changes)
			bar.step(done, total)
		}
		v, err := m.Evolve(ctx, &o)
		bar.end()
		if errors.Is(err, context.Canceled) {
			return &failure{a.say("interrupted after %d changes; what was done is kept, and so are the model's answers; give the same command again to go on", applied), err}
		}
		if err != nil {
			return err
		}
		if a.json {
			return a.printJSON(v)
		}
		if explain {
			return a.printLacks(m.Taxonomy(), &v)
		}
		return a.printEvolved(m.Taxonomy(), &v, o.DryRun)
	})
}

// partitions counts what there is to go through; what cannot be read is found
// by evolving.
func partitions(ctx context.Context, m *memory, only string) int64 {
	seen := map[evolution.Partition]bool{}
	for n, err := range m.Nodes(ctx, tree.Filter{ErrorType: only}) {
		if err != nil {
			return 0
		}
		seen[evolution.Partition{ErrorType: n.ErrorType, Direction: n.Direction}] = true
	}
	return int64(len(seen))
}

// learned counts changes as people think of them.
type learned struct{ experiences, strategies, revised, out, attached, retyped int }

func countChanges(v *memtree.Evolved) (l learned, lines []tree.Change) {
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
			}
			if c.Node.Type != tree.Case && c.Op != tree.OpAttach {
				lines = append(lines, c)
			}
		}
	}
	return l, lines
}

func (a *app) printEvolved(tax *taxonomy.Taxonomy, v *memtree.Evolved, dry bool) error {
	l, changed := countChanges(v)
	var out []string
	switch {
	case l == learned{} && v.Waiting == 0:
		out = append(out, a.say("Nothing to do: no group of cases is enough for a new lesson yet. memtree evolve --explain says what is missing."))
	case dry:
		out = append(out, a.paint(bold, a.say("This would change (nothing was written):")))
	default:
		out = append(out, a.paint(bold, a.say("The tree has learned:")))
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
	add(l.attached, a.say("cases that stand behind a lesson now, or no longer: %d", l.attached))
	add(l.retyped, a.say("cases given the error type of their cause: %d", l.retyped))
	for _, c := range changed {
		out = append(out, a.changeLines(tax, &c)...)
	}
	out = append(out, a.refusedLines(v)...)
	if v.Calls > 0 {
		out = append(out, "", a.say("Model calls: %d, tokens in %d, out %d.", v.Calls, v.Usage.InputTokens, v.Usage.OutputTokens))
	}
	if v.Waiting > 0 {
		out = append(out, "", a.say("%d lessons wait for the model; memtree evolve asks for them.", v.Waiting))
	}
	for _, p := range v.Plans {
		for _, n := range p.Notes {
			a.note(n)
		}
	}
	return writeLines(a.stdout, out...)
}

// changeLines shows a new or changed abstraction: what it says and what it rests on.
func (a *app) changeLines(tax *taxonomy.Taxonomy, c *tree.Change) []string {
	n := &c.Node
	out := []string{""}
	out = append(out, wrap(fmt.Sprintf("%s  %s · %s", a.paint(bold, n.ID), a.typeName(tax, n.ErrorType), a.directionName(n.Direction)), a.width)...)
	p := &page{width: a.width}
	p.part("  "+a.say("why"), c.Why)
	if n.Live() {
		p.part("  "+a.say("title"), n.Content.Title)
		p.part("  "+a.say("when"), strings.Join(n.Content.AppliesWhen, "; "))
		for _, l := range n.Content.Lessons {
			p.part("  "+a.say("check"), strings.TrimSpace(l.Check+" "+l.Instead))
		}
		p.part("  "+a.say("not when"), strings.Join(n.Content.NotWhen, "; "))
		p.part("  "+a.say("stands on"), shortList(n.Children))
	}
	return append(out, p.lines...)
}

func shortList(ids []string) string {
	const most = 6
	if len(ids) <= most {
		return strings.Join(ids, ", ")
	}
	return strings.Join(ids[:most], ", ") + fmt.Sprintf(", … (%d)", len(ids))
}

func (a *app) refusedLines(v *memtree.Evolved) []string {
	var out []string
	for _, p := range v.Plans {
		for _, r := range p.Rejections {
			if len(out) == 0 {
				out = append(out, "", a.say("Drafts that a gate refused; their cases stay in use:"))
			}
			s := fmt.Sprintf("- %s (%d): %s", oneLine(r.Title), len(r.Members), strings.Join(r.Reasons, "; "))
			out = append(out, wrap("  "+oneLine(s), a.width)...)
		}
	}
	return out
}

// mostGroups is how many groups of a partition are explained.
const mostGroups = 3

func (a *app) printLacks(tax *taxonomy.Taxonomy, v *memtree.Evolved) error {
	if len(v.Plans) == 0 {
		return writeLines(a.stdout, a.say("No memories here yet. Next: memtree record runs.jsonl"))
	}
	var out []string
	for i, p := range v.Plans {
		if i > 0 {
			out = append(out, "")
		}
		out = append(out, a.paint(bold, fmt.Sprintf("%s · %s", a.typeName(tax, p.ErrorType), a.directionName(p.Direction))))
		out = append(out, wrap("  "+a.say("cases: %d; groups that are no lesson yet: %d; a lesson takes %d cases of 2 tests within %.0f days", p.Cases, len(p.Groups), p.Rule.CaseThreshold, p.Rule.TimeWindow.Hours()/24), a.width)...)
		if l, _ := countChanges(&memtree.Evolved{Plans: []evolution.Plan{p}}); l.experiences > 0 {
			out = append(out, "  "+a.say("ready to be learned: %d; memtree evolve does it", l.experiences))
		}
		for _, g := range p.Groups[:min(mostGroups, len(p.Groups))] {
			out = append(out, wrap("  - "+a.lacks(&g), a.width)...)
		}
	}
	return writeLines(a.stdout, out...)
}

// lacks says of a group what it is short of.
func (a *app) lacks(g *evolution.Group) string {
	parts := make([]string, 0, len(g.Missing)+1)
	for _, m := range g.Missing {
		switch m.What {
		case "cases":
			parts = append(parts, a.say("%.0f of %.0f cases", m.Have, m.Need))
		case "recent":
			parts = append(parts, a.say("%.0f of %.0f cases within the time window", m.Have, m.Need))
		case "tests":
			parts = append(parts, a.say("%.0f of %.0f different tests", m.Have, m.Need))
		case "confidence":
			parts = append(parts, a.say("confidence %.2f of %.2f", m.Have, m.Need))
		case "cohesion":
			parts = append(parts, a.say("likeness %.2f of %.2f", m.Have, m.Need))
		case "type":
			parts = append(parts, a.say("no error type: such cases are not made into lessons"))
		}
	}
	if len(parts) == 0 {
		parts = append(parts, a.say("%d cases; the draft was refused, see --dry-run", len(g.Cases)))
	}
	return shortList(g.Cases[:min(3, len(g.Cases))]) + ": " + strings.Join(parts, ", ")
}
