package main

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/curation"
	"github.com/memtree/memtree/internal/cli/screen"
	"github.com/memtree/memtree/internal/text"
	"github.com/memtree/memtree/knowledge"
	"github.com/memtree/memtree/tree"
)

func (a *app) knowCommand() *cobra.Command {
	o, s := curation.Options{}, tree.Statement{}
	c := &cobra.Command{
		Use:   `know "STATEMENT"`,
		Short: a.say("State what holds of the product under test"),
		Long: a.say(`Saves one sentence about the product or its environment that testers know and agents do not, such as
"Scores reach the student only after Publish was pressed". From now on memtree guide gives it before the tests
that it fits: those of the pages of --about, the test of --test, and without both those that mention it.

State what holds, not what to answer: a statement that orders a verdict is refused. To state it again with another
page adds that page. A statement that differs from another in its numbers only is held back with that one until
memtree know confirm keeps both, or memtree know settle which one does. memtree undo takes back
whatever was decided.`),
		Example: `  memtree know "A seat is held for 15 minutes." --kind rule --product travel \
    --about /seats --by ann
  memtree know list --product travel
  memtree know contradict f_q3ejxw --why "20 minutes since 1.3"`,
		Args: a.statement,
		RunE: func(c *cobra.Command, args []string) error {
			return a.factDecided(c.Context(), func(m *memtree.Memory) (curation.Result, error) {
				s.Text = args[0]
				return m.Curation().KnowFact(c.Context(), s, o)
			})
		},
	}
	a.statementFlags(c, &s)
	a.speaker(c, &o)
	c.AddCommand(
		a.knowListCommand(), a.knowShowCommand(), a.knowReadCommand(), a.knowImportCommand(), a.knowExportCommand(),
		a.factCommand("confirm ID", a.say("Confirm that a fact still holds"), (*curation.Curation).ConfirmFact),
		a.factCommand("contradict ID", a.say("Contradict a fact: it is given no more"),
			(*curation.Curation).ContradictFact),
		a.factCommand("settle ID", a.say("Confirm a fact against what contradicts it"),
			(*curation.Curation).SettleFact),
		a.knowForgetCommand(),
		a.knowEditCommand(),
	)
	return c
}

// statement checks that there is one statement; anything in one piece is a misspelled subcommand.
func (a *app) statement(c *cobra.Command, args []string) error {
	word := func(s string) bool { return strings.Trim(s, "abcdefghijklmnopqrstuvwxyz") == "" }
	if len(args) == 1 && word(args[0]) {
		return a.unknownCommand(c, args[0])
	}
	if len(args) != 1 {
		return &usageError{a.say("%s takes %s; given: %d", c.CommandPath(),
			a.say("what holds, in quotation marks"), len(args))}
	}
	return nil
}

// statementFlags adds the flags for where a statement holds.
func (a *app) statementFlags(c *cobra.Command, s *tree.Statement) {
	f := c.Flags()
	f.StringVar((*string)(&s.Kind), "kind", "", a.say("behaviour (default), rule, format, intended, known_bug, pattern "+
		"or preference"))
	f.StringVar(&s.Scope.Product, "product", "", a.say("only for this product"))
	f.StringArrayVar(&s.Pages, "about", nil, a.say("only on this page: its route or its name; may be repeated"))
	f.StringVar(&s.Scope.Test, "test", "", a.say("only for the test with this id"))
	f.StringVar(&s.Scope.Suite, "suite", "", a.say("only in this suite"))
	f.StringVar(&s.Agent, "agent", "", a.say("only for this agent"))
	f.StringArrayVar(&s.Builds, "build", nil, a.say("only for this build; may be repeated"))
	f.StringVar(&s.Fixed, "fixed", "", a.say("of a known bug: the build in which it is fixed"))
	completes(c, "kind", a.factKinds)
}

func (a *app) factKinds() []cobra.Completion {
	var out []cobra.Completion
	for _, k := range tree.FactKinds() {
		out = append(out, cobra.CompletionWithDesc(string(k), a.factKindName(k)))
	}
	return out
}

// factCommand returns a command that decides on one fact.
func (a *app) factCommand(
	use, short string, decide func(*curation.Curation, context.Context, string, curation.Options) (curation.Result, error),
) *cobra.Command {
	o := curation.Options{}
	c := &cobra.Command{
		Use: use, Short: short, Args: a.arguments(1, 1, a.say("the id of a fact")),
		RunE: func(c *cobra.Command, args []string) error {
			return a.factDecided(c.Context(), func(m *memtree.Memory) (curation.Result, error) {
				f, err := a.findFact(c.Context(), m, args[0])
				if err != nil {
					return curation.Result{}, err
				}
				return decide(m.Curation(), c.Context(), f.ID, o)
			})
		},
	}
	a.speaker(c, &o)
	a.over(c, &o)
	return c
}

func (a *app) knowForgetCommand() *cobra.Command {
	purge, yes := false, false
	c := a.factCommand("forget ID", a.say("Take a fact out of use"),
		func(c *curation.Curation, ctx context.Context, id string, o curation.Options) (curation.Result, error) {
			o.Purge, o.DryRun = purge, purge && !yes
			d, err := c.ForgetFact(ctx, id, o)
			if err == nil && o.DryRun {
				err = &usageError{a.say("nothing was changed; say --yes to do it")}
			}
			return d, err
		})
	c.Long = a.say(`Archives a fact with your reason; memtree undo takes that back. With --purge its statement, those
it replaced and what people wrote about them are removed from the files of the store too, which needs
--yes and cannot be taken back. It is not read again from the notes that state it. Exports, backups
and the notes themselves are not reached: see memtree forget.`)
	c.Example = "  memtree know forget f_q3ejxw --why \"gone since 1.4\"\n  memtree know forget f_q3ejxw --purge --yes"
	c.Flags().BoolVar(&purge, "purge", false, a.say("remove its bytes too: this cannot be taken back"))
	c.Flags().BoolVar(&yes, "yes", false, a.say("do it"))
	return c
}

func (a *app) knowEditCommand() *cobra.Command {
	o, s := curation.Options{}, tree.Statement{}
	c := &cobra.Command{
		Use:   `edit ID ["STATEMENT"]`,
		Short: a.say("Reword a fact, or limit where it holds"),
		Long: a.say(`With another wording, product, suite, test or agent, it is another fact, which has the
evidence of this one; this one is superseded. Flags that are not given change nothing; an empty one ("")
takes it away.`),
		Example: "  memtree know edit f_q3ejxw \"A seat is held for 20 minutes.\"\n" +
			"  memtree know edit f_q3ejxw --about /seats --about /seats/map",
		Args: a.arguments(1, 2, a.say("the id of a fact, and another wording")),
	}
	a.statementFlags(c, &s)
	a.speaker(c, &o)
	a.over(c, &o)
	c.RunE = func(c *cobra.Command, args []string) error {
		return a.factDecided(c.Context(), func(m *memtree.Memory) (curation.Result, error) {
			f, err := a.findFact(c.Context(), m, args[0])
			if err != nil {
				return curation.Result{}, err
			}
			return m.Curation().EditFact(c.Context(), f.ID, func(is *tree.Statement) {
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
func (a *app) factDecided(ctx context.Context, decide func(*memtree.Memory) (curation.Result, error)) error {
	return a.with(ctx, writing, func(m *memtree.Memory) error {
		d, err := decide(m)
		switch {
		case err != nil:
			return a.wordRefused(err)
		case a.json:
			return a.printJSON(d)
		case d.Action.Purged:
			return a.print(a.Wrap(a.say("Purged: %s", d.Action.Node))...)
		}
		p := &screen.Page{Width: a.Width}
		p.Lines = a.Wrap(a.Paint(screen.Bold, a.factHead(&d)))
		a.factParts(p, d.Fact)
		for _, id := range d.Fact.Against {
			p.Lines = append(p.Lines,
				a.Wrap(a.say("It differs from %s in its numbers only. Both are held back until memtree know "+
					"confirm keeps both, or memtree know settle which one does.", id))...)
		}
		if d.Redacted > 0 {
			p.Lines = append(p.Lines, a.Wrap(a.say("Secrets that were taken out of it: %d", d.Redacted))...)
		}
		return a.print(p.Lines...)
	})
}

// factHead describes what was decided on a fact.
func (a *app) factHead(d *curation.Result) string {
	switch d.Action.Kind {
	case curation.DecisionState:
		return a.say("Known: %s", d.Fact.ID)
	case curation.DecisionConfirm, curation.DecisionSettle:
		return a.say("Confirmed: %s", d.Fact.ID)
	case curation.DecisionContradict:
		return a.say("Contradicted: %s", d.Fact.ID)
	}
	return a.saidHead(d.Action.Kind, d.Fact.ID)
}

// findFact returns the fact with this id, or the only one whose id begins with it.
func (a *app) findFact(ctx context.Context, m *memtree.Memory, id string) (knowledge.Fact, error) {
	all, err := m.Knowledge().All(ctx)
	if err != nil {
		return knowledge.Fact{}, err
	}
	found := slices.DeleteFunc(all, func(f knowledge.Fact) bool { return !strings.HasPrefix(f.ID, id) })
	if i := slices.IndexFunc(found, func(f knowledge.Fact) bool { return f.ID == id }); i >= 0 {
		return found[i], nil
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return knowledge.Fact{}, &failure{a.say("no fact has an id that begins with %s; memtree know list lists them",
			text.Line(id)), errNoFact}
	}
	ids := make([]string, 0, mostIDs)
	for i := range found[:min(mostIDs, len(found))] {
		ids = append(ids, found[i].ID)
	}
	return knowledge.Fact{}, &failure{a.say("several ids begin with %s: %s; give more of it", text.Line(id),
		strings.Join(ids, ", ")), nil}
}

var errNoFact = errors.New("there is no such fact")
