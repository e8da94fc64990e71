package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/internal/cli/say"
	"github.com/memtree/memtree/knowledge"
	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/tree"
)

func knowListCommand(a *app) *cobra.Command {
	x := knowledge.Filter{}
	c := &cobra.Command{
		Use:  "list [WORDS]",
		Args: arguments(a.Voice, 0, -1, a.Say("what the facts mention")),
		RunE: func(c *cobra.Command, args []string) error {
			switch {
			case x.Kind != "" && !slices.Contains(ledger.FactKinds(), x.Kind):
				return a.Usage("--kind is %q; use %s", x.Kind, choices(ledger.FactKinds()))
			case x.State != "" && !slices.Contains(knowledge.FactStates(), x.State):
				return a.Usage("--state is %q; use %s", x.State, choices(knowledge.FactStates()))
			}
			return a.store.Read(c.Context(), func(m *memtree.Memory) error {
				x.Words = strings.Join(args, " ")
				all, err := m.Knowledge().List(c.Context(), x)
				if err != nil {
					return err
				}
				return printFacts(a.Voice, all)
			})
		},
	}
	c.Flags().StringVar(&x.Product, "product", "", a.Say("only those of this product"))
	c.Flags().StringVar((*string)(&x.Kind), "kind", "", a.Say("only those of this kind"))
	c.Flags().StringVar((*string)(&x.State), "state", "",
		a.Say("only those that are proposed, active, disputed, superseded or archived"))
	c.Flags().BoolVar(&x.Open, "open", false, a.Say("only those that a person should decide on"))
	completes(c, "kind", factKinds(a.Voice))
	return c
}

func printFacts(v *say.Voice, all []knowledge.Fact) error {
	all = emptyNotNull(all)
	if len(all) == 0 {
		return v.Result(all, v.Say("Nothing is known that fits. State what holds: memtree know \"...\""))
	}
	t := &say.Table{Columns: []say.Column{
		{Head: v.Say("fact")}, {Head: v.Say("state")}, {Head: v.Say("trust"), Right: true},
		{Head: v.Say("product"), Least: 6},
		{Head: v.Say("statement"), Least: 20},
	}}
	for i := range all {
		f := &all[i]
		t.Add(short(f.ID), v.Names().FactState(f), fmt.Sprintf("%.2f (%d)", f.Trust, f.N), f.Scope.Product, f.Text)
	}
	return v.Result(all, t.Painted(&v.Terminal)...)
}

func knowShowCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "show ID", Args: arguments(a.Voice, 1, 1, a.Say("the id of a fact")),
		RunE: func(c *cobra.Command, args []string) error {
			return a.store.Read(c.Context(), func(m *memtree.Memory) error {
				f, err := findFact(c.Context(), a.Voice, m, args[0])
				if err != nil {
					return err
				}
				if a.JSON {
					return a.PrintJSON(f)
				}
				return showFact(c.Context(), a.Voice, m, &f)
			})
		},
	}
}

func showFact(ctx context.Context, v *say.Voice, m *memtree.Memory, f *knowledge.Fact) error {
	past, err := m.Curation().History(ctx, f.ID)
	if err != nil {
		return err
	}
	p := v.Page()
	p.Bold(v.Say("fact") + " " + f.ID)
	factParts(v, p, f)
	p.Part(v.Say("stated"), dotted(f.Since.UTC().Format(time.DateOnly), f.By, sourceName(v, f.From)))
	p.Part(v.Say("given"), v.Say("runs: %d · right: %d · missed a defect: %d", f.Given, f.Right, f.Missed))
	p.Part(v.Say("cases"), shortList(f.Cases))
	p.Part(v.Say("contradicted by"), strings.Join(f.Against, " "))
	p.Part(v.Say("replaced by"), f.SupersededBy)
	decisions(v, p, &tree.Node{}, past)
	return v.Print(p.Lines...)
}

// factParts shows a statement, where it holds and the state of its fact.
func factParts(v *say.Voice, p *say.Output, f *knowledge.Fact) {
	p.Part(v.Say("statement"), f.Text)
	p.Part(v.Say("kind"), v.Names().FactKind(f.Kind))
	p.Part(v.Say("holds for"), dotted(f.Scope.Product, f.Scope.Suite, f.Scope.Test, place(v, &f.Scope), f.Agent))
	p.Part(v.Say("pages"), strings.Join(f.Pages, " · "))
	p.Part(v.Say("builds"), strings.Join(f.Builds, " "))
	p.Part(v.Say("fixed in"), f.Fixed)
	p.Part(v.Say("state"), dotted(v.Names().FactState(f), v.Because(f.Why, nil)))
	p.Part(v.Say("trust"), v.Say("%.2f, of %d", f.Trust, f.N))
}

// knownLines list the facts about the product that are given, and why those that came near are not.
func knownLines(v *say.Voice, x *memtree.Explanation) []string {
	out := []string{}
	for i := range x.FactsGiven {
		f := &x.FactsGiven[i]
		out = append(out, factLines(v, f, v.Say("given: %s", howName(v, f)))...)
	}
	for i := range x.FactsNear {
		f := &x.FactsNear[i]
		out = append(out, factLines(v, f, v.Say("left out: %s", v.Because(string(f.Left), nil)))...)
	}
	if len(out) == 0 {
		return nil
	}
	return slices.Concat([]string{v.Paint(say.Bold, v.Say("Known about the product:"))}, out, []string{""})
}

func factLines(v *say.Voice, f *knowledge.FoundFact, why string) []string {
	return append(say.Hanging("  "+short(f.ID)+"  ", f.Text, v.Width), say.Hanging("              ", why, v.Width)...)
}

// howName describes how a fact was found.
func howName(v *say.Voice, f *knowledge.FoundFact) string {
	switch f.How {
	case knowledge.ByTest:
		return v.Say("it was learned at this test, or holds for it")
	case knowledge.ByPage:
		return v.Say("it is about this page")
	case knowledge.ByRead:
		return v.Say("picked ahead of the run, because of “%s”", f.Because)
	case knowledge.ByWords:
	}
	return v.Say("the question mentions %.0f %% of it", f.Share*100)
}

// sourceName names who stated a fact first.
func sourceName(v *say.Voice, s knowledge.Source) string {
	return cmp.Or(map[knowledge.Source]string{
		ledger.FromTeam: v.Say("a person"), ledger.FromNote: v.Say("read in a note"), ledger.FromAgent: v.Say("an agent"),
		ledger.FromTransfer: v.Say("another tree"),
	}[s], string(s))
}
