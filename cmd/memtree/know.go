package main

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/curation"
	"github.com/memtree/memtree/internal/cli/say"
	"github.com/memtree/memtree/ledger"
)

func knowCommand(a *app) *cobra.Command {
	o, s := curation.Options{}, ledger.Statement{}
	c := &cobra.Command{
		Use:  `know "STATEMENT"`,
		Args: oneStatement(a.Voice),
		RunE: func(c *cobra.Command, args []string) error {
			return factDecided(c.Context(), a, func(m *memtree.Memory) (curation.DecisionResult, error) {
				s.Text = args[0]
				return m.Curation().KnowFact(c.Context(), s, o)
			})
		},
	}
	statementFlags(a.Voice, c, &s)
	speaker(a.Voice, c, &o)
	c.AddCommand(
		knowListCommand(a), knowShowCommand(a), knowReadCommand(a), knowImportCommand(a), knowExportCommand(a),
		factCommand(a, "confirm ID", (*curation.Curation).ConfirmFact),
		factCommand(a, "contradict ID", (*curation.Curation).ContradictFact),
		factCommand(a, "settle ID", (*curation.Curation).SettleFact),
		knowForgetCommand(a),
		knowEditCommand(a),
	)
	return c
}

// oneStatement checks that there is one statement; anything in one piece is a misspelled subcommand.
func oneStatement(v *say.Voice) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) == 1 && strings.Trim(args[0], "abcdefghijklmnopqrstuvwxyz") == "" {
			return unknownCommand(v, c, args[0])
		}
		return counted(v, c, args, 1, 1, v.Say("what holds, in quotation marks"))
	}
}

// statementFlags adds the flags for where a statement holds.
func statementFlags(v *say.Voice, c *cobra.Command, s *ledger.Statement) {
	f := c.Flags()
	f.StringVar((*string)(&s.Kind), "kind", "", v.Say("behaviour (default), rule, format, intended, known_bug, pattern "+
		"or preference"))
	f.StringVar(&s.Scope.Product, "product", "", v.Say("only for this product"))
	f.StringArrayVar(&s.Pages, "about", nil, v.Say("only on this page: its route or its name; may be repeated"))
	f.StringVar(&s.Scope.Test, "test", "", v.Say("only for the test with this id"))
	f.StringVar(&s.Scope.Suite, "suite", "", v.Say("only in this suite"))
	f.StringVar(&s.Agent, "agent", "", v.Say("only for this agent"))
	f.StringArrayVar(&s.Builds, "build", nil, v.Say("only for this build; may be repeated"))
	f.StringVar(&s.Fixed, "fixed", "", v.Say("of a known bug: the build in which it is fixed"))
	completes(c, "kind", factKinds(v))
}

func factKinds(v *say.Voice) func() []cobra.Completion {
	return func() (out []cobra.Completion) {
		for _, k := range ledger.FactKinds() {
			out = append(out, cobra.CompletionWithDesc(string(k), v.Names().FactKind(k)))
		}
		return out
	}
}

// factCommand returns a command that decides on one fact.
func factCommand(a *app, use string, decide deciding) *cobra.Command {
	o := curation.Options{}
	c := &cobra.Command{
		Use: use, Args: arguments(a.Voice, 1, 1, a.Say("the id of a fact")),
		RunE: func(c *cobra.Command, args []string) error {
			return factDecided(c.Context(), a, func(m *memtree.Memory) (curation.DecisionResult, error) {
				f, err := findFact(c.Context(), a.Voice, m, args[0])
				if err != nil {
					return curation.DecisionResult{}, err
				}
				return decide(m.Curation(), c.Context(), f.ID, o)
			})
		},
	}
	speaker(a.Voice, c, &o)
	over(a.Voice, c, &o)
	return c
}

func knowForgetCommand(a *app) *cobra.Command {
	purge, yes := false, false
	forget := func(c *curation.Curation, ctx context.Context, id string, o curation.Options) (curation.DecisionResult,
		error) {
		o.Purge, o.DryRun = purge, purge && !yes
		d, err := c.ForgetFact(ctx, id, o)
		if err == nil && o.DryRun {
			err = a.Usage("nothing was changed; --yes removes the bytes of %s, and of what it replaced, for good", id)
		}
		return d, err
	}
	c := factCommand(a, "forget ID", forget)
	c.Flags().BoolVar(&purge, "purge", false, a.Say("remove its bytes too: this cannot be taken back"))
	c.Flags().BoolVar(&yes, "yes", false, a.Say("do it"))
	return c
}

func knowEditCommand(a *app) *cobra.Command {
	o, s := curation.Options{}, ledger.Statement{}
	c := &cobra.Command{
		Use:  `edit ID ["STATEMENT"]`,
		Args: arguments(a.Voice, 1, 2, a.Say("the id of a fact, and another wording")),
	}
	statementFlags(a.Voice, c, &s)
	speaker(a.Voice, c, &o)
	over(a.Voice, c, &o)
	c.RunE = func(c *cobra.Command, args []string) error {
		return factDecided(c.Context(), a, func(m *memtree.Memory) (curation.DecisionResult, error) {
			f, err := findFact(c.Context(), a.Voice, m, args[0])
			if err != nil {
				return curation.DecisionResult{}, err
			}
			return m.Curation().EditFact(c.Context(), f.ID, func(is *ledger.Statement) {
				if len(args) > 1 {
					is.Text = args[1]
				}
				set := map[string]func(){
					"kind": func() { is.Kind = s.Kind }, "product": func() { is.Scope.Product = s.Scope.Product },
					"about": func() { is.Pages = s.Pages }, "test": func() { is.Scope.Test = s.Scope.Test },
					"suite": func() { is.Scope.Suite = s.Scope.Suite }, "agent": func() { is.Agent = s.Agent },
					"build": func() { is.Builds = s.Builds }, "fixed": func() { is.Fixed = s.Fixed },
				}
				for name, change := range set { // each changes another field
					if c.Flags().Changed(name) {
						change()
					}
				}
			}, o)
		})
	}
	return c
}

// factDecided decides on a fact, and prints its new state.
func factDecided(ctx context.Context, a *app, decide func(*memtree.Memory) (curation.DecisionResult, error)) error {
	return a.store.Write(ctx, func(m *memtree.Memory) error {
		d, err := decide(m)
		switch {
		case err != nil:
			return decisionFailure(a.Voice, err)
		case a.JSON:
			return a.PrintJSON(d)
		case d.Action.Purged:
			return a.Print(a.Wrap(a.Say("Purged: %s", d.Action.Node))...)
		}
		p := a.Page()
		p.Bold(a.Say("%s: %s", a.Names().Decision(d.Action.Kind), d.Fact.ID))
		factParts(a.Voice, p, d.Fact)
		for _, id := range d.Fact.Against {
			p.Add(a.Say("It differs from %s in its numbers only. Both are held back until memtree know "+
				"confirm keeps both, or memtree know settle which one does.", id))
		}
		if d.Redacted > 0 {
			p.Add(a.Say("Secrets that were taken out of it: %d", d.Redacted))
		}
		return a.Print(p.Lines...)
	})
}
