package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/internal/cli/screen"
	"github.com/memtree/memtree/knowledge"
	"github.com/memtree/memtree/tree"
)

func (a *app) knowListCommand() *cobra.Command {
	x := knowledge.Filter{}
	c := &cobra.Command{
		Use:   "list [WORDS]",
		Short: a.say("Print what is known, what is disputed first"),
		Long: a.say(`Prints the facts that are in use or put to people, those that a person has to decide on first. Trust
is from 0 to 1, with the number of people, notes and runs that it rests on; below %.1f a fact is not given.`,
			knowledge.Floor),
		Example: "  memtree know list --product travel\n  memtree know list --state archived\n  memtree know list seat",
		Args:    a.arguments(0, -1, a.say("what the facts mention")),
		RunE: func(c *cobra.Command, args []string) error {
			return a.with(c.Context(), reading, func(m *memtree.Memory) error {
				x.Words = strings.Join(args, " ")
				all, err := m.Knowledge().List(c.Context(), x)
				if err != nil {
					return err
				}
				return a.printFacts(all)
			})
		},
	}
	c.Flags().StringVar(&x.Product, "product", "", a.say("only those of this product"))
	c.Flags().StringVar((*string)(&x.Kind), "kind", "", a.say("only those of this kind"))
	c.Flags().StringVar((*string)(&x.State), "state", "",
		a.say("only those that are proposed, active, disputed, superseded or archived"))
	c.Flags().BoolVar(&x.Open, "open", false, a.say("only those that a person should decide on"))
	completes(c, "kind", a.factKinds)
	return c
}

func (a *app) printFacts(all []knowledge.Fact) error {
	if a.json {
		if all == nil {
			all = []knowledge.Fact{}
		}
		return a.printJSON(all)
	}
	if len(all) == 0 {
		return a.print(a.say("Nothing is known that fits. State what holds: memtree know \"...\""))
	}
	t := &screen.Table{Columns: []screen.Column{
		{Head: a.say("fact")}, {Head: a.say("state")}, {Head: a.say("trust"), Right: true},
		{Head: a.say("product"), Least: 6},
		{Head: a.say("statement"), Least: 20},
	}}
	for i := range all {
		f := &all[i]
		t.Add(short(f.ID), a.stateName(f.State), fmt.Sprintf("%.2f (%d)", f.Trust, f.N), f.Scope.Product, f.Text)
	}
	rows := t.Lines(a.Width)
	rows[0] = a.Paint(screen.Bold, rows[0])
	return a.print(rows...)
}

func (a *app) knowShowCommand() *cobra.Command {
	return &cobra.Command{
		Use: "show ID", Short: a.say("Print one fact with its evidence"), Args: a.arguments(1, 1, a.say("the id of a fact")),
		RunE: func(c *cobra.Command, args []string) error {
			return a.with(c.Context(), reading, func(m *memtree.Memory) error {
				f, err := a.findFact(c.Context(), m, args[0])
				if err != nil {
					return err
				}
				if a.json {
					return a.printJSON(f)
				}
				return a.showFact(c.Context(), m, &f)
			})
		},
	}
}

func (a *app) showFact(ctx context.Context, m *memtree.Memory, f *knowledge.Fact) error {
	past, err := m.Curation().History(ctx, f.ID)
	if err != nil {
		return err
	}
	p := &screen.Page{Width: a.Width}
	p.Lines = append(p.Lines, a.Paint(screen.Bold, a.say("fact")+" "+f.ID))
	a.factParts(p, f)
	p.Part(a.say("stated"), dotted(f.Since.UTC().Format(time.DateOnly), f.By, a.sourceName(f.From)))
	p.Part(a.say("given"), a.say("runs: %d · right: %d · missed a defect: %d", f.Given, f.Right, f.Missed))
	p.Part(a.say("cases"), shortList(f.Cases))
	p.Part(a.say("contradicted by"), strings.Join(f.Against, " "))
	p.Part(a.say("replaced by"), f.InTheBy)
	a.decisions(p, &tree.Node{}, past)
	return a.print(p.Lines...)
}

// factParts shows a statement, where it holds and the state of its fact.
func (a *app) factParts(p *screen.Page, f *knowledge.Fact) {
	p.Part(a.say("statement"), f.Text)
	p.Part(a.say("kind"), a.factKindName(f.Kind))
	p.Part(a.say("holds for"), dotted(f.Scope.Product, f.Scope.Suite, f.Scope.Test, a.place(&f.Scope), f.Agent))
	p.Part(a.say("pages"), strings.Join(f.Pages, " · "))
	p.Part(a.say("builds"), strings.Join(f.Builds, " "))
	p.Part(a.say("fixed in"), f.Fixed)
	p.Part(a.say("state"), dotted(a.stateName(f.State), a.because(f.Why, nil)))
	p.Part(a.say("trust"), a.say("%.2f, of %d", f.Trust, f.N))
}

// knownLines list the facts about the product that are given, and why those that came near are not.
func (a *app) knownLines(x *memtree.Explanation) []string {
	out := []string{}
	for i := range x.FactsGiven {
		f := &x.FactsGiven[i]
		out = append(out, a.factLines(f, a.say("given: %s", a.howName(f)))...)
	}
	for i := range x.FactsNear {
		f := &x.FactsNear[i]
		out = append(out, a.factLines(f, a.say("left out: %s", a.because(string(f.Left), nil)))...)
	}
	if len(out) == 0 {
		return nil
	}
	return slices.Concat([]string{a.Paint(screen.Bold, a.say("Known about the product:"))}, out, []string{""})
}

func (a *app) factLines(f *knowledge.Found, why string) []string {
	return append(screen.Hanging("  "+short(f.ID)+"  ", f.Text, a.Width),
		screen.Hanging("              ", why, a.Width)...)
}

// howName describes how a fact was found.
func (a *app) howName(f *knowledge.Found) string {
	switch f.How {
	case knowledge.ByTest:
		return a.say("it was learned at this test, or holds for it")
	case knowledge.ByPage:
		return a.say("it is about this page")
	case knowledge.ByRead:
		return a.say("picked ahead of the run, because of “%s”", f.Because)
	case knowledge.ByWords:
	}
	return a.say("the question mentions %.0f %% of it", f.Share*100)
}

// kindName names a kind of fact for people.
func (a *app) factKindName(k tree.FactKind) string {
	switch k {
	case tree.Behaviour:
		return a.say("behaviour")
	case tree.Rule:
		return a.say("rule")
	case tree.Format:
		return a.say("format")
	case tree.Intended:
		return a.say("intended")
	case tree.KnownBug:
		return a.say("known bug")
	case tree.Pattern:
		return a.say("pattern")
	case tree.Preference:
		return a.say("preference")
	}
	return string(k)
}

// stateName names the state of a fact for people.
func (a *app) stateName(s knowledge.State) string {
	switch s {
	case knowledge.Proposed:
		return a.say("proposed")
	case knowledge.Active:
		return a.say("in use")
	case knowledge.Disputed:
		return a.say("disputed")
	case knowledge.Superseded:
		return a.say("superseded")
	case knowledge.Archived:
		return a.say("out of use")
	}
	return string(s)
}

// sourceName names who stated a fact first.
func (a *app) sourceName(s knowledge.Source) string {
	switch s {
	case tree.FromTeam:
		return a.say("a person")
	case tree.FromNote:
		return a.say("read in a note")
	case tree.FromAgent:
		return a.say("an agent")
	case tree.FromTransfer:
		return a.say("another tree")
	}
	return string(s)
}
