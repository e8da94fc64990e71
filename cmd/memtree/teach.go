package main

import (
	"context"
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/curation"
	"github.com/memtree/memtree/internal/cli/screen"
	"github.com/memtree/memtree/internal/text"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

func (a *app) teachCommand() *cobra.Command {
	o, l, direction := curation.Options{}, curation.Lesson{}, ""
	c := &cobra.Command{
		Use:   `teach "WHAT TO DO" --when "FOR WHICH TESTS"`,
		Short: a.say("Teach a lesson that no run has shown yet"),
		Long: a.say(`Adds a lesson in your words. From now on memtree guide gives it before the tests that it fits: those
with the words of --when, so use the words that tests use; those named with --for, by their prompt or id; and
never those named with --not-for. It is measured as every lesson is, and taken out of use if it harms.

A lesson says what to do or to look at; one that orders a verdict is refused. One that another lesson says
already is refused by the name of that one; one that says the opposite is taken, and both are named. To teach
the same again, with its own words of --when or none, adds tests to --for and --not-for. memtree undo
takes it back, memtree edit words it better.`),
		Example: `  memtree teach "Compare the unit with that of the order." \
    --when "a test sets an infusion rate" --for PUMP_3
  memtree teach "Reload the page, then count the rows." --when "an import" \
    --product ledger --not-for "Import an empty file"`,
		Args: a.arguments(1, 1, a.say("what to do, in quotation marks")),
		RunE: func(c *cobra.Command, args []string) error {
			l.Lesson, l.Direction = args[0], taxonomy.Direction(direction)
			return a.teach(c.Context(), l, o)
		},
	}
	c.Flags().StringArrayVar(
		&l.When,
		"when",
		nil,
		a.say("for which tests, in words that these tests use; may be repeated"),
	)
	c.Flags().StringVar(&l.Product, "product", "", a.say("only for this product"))
	c.Flags().StringArrayVar(&l.For, "for", nil, a.say("a test that is given it in any case: its prompt or id; "+
		"may be repeated"))
	c.Flags().StringArrayVar(&l.NotFor, "not-for", nil, a.say("a test that is never given it; may be repeated"))
	c.Flags().StringVar(&direction, "direction", "", a.say("what it guards against: false_pass (default), "+
		"false_fail or other"))
	a.speaker(c, &o)
	return c
}

func (a *app) teach(ctx context.Context, l curation.Lesson, o curation.Options) error {
	return a.with(ctx, writing, func(m *memtree.Memory) error {
		d, err := m.Curation().Teach(ctx, l, o)
		refused, ok := errors.AsType[*curation.GateError](err)
		switch {
		case ok:
			for _, why := range refused.Reasons {
				a.complain(why)
			}
			return &failure{a.say("nothing was taught: the gates refuse these words"), err}
		case err != nil:
			return a.wordRefused(err)
		case a.json:
			return a.printJSON(d)
		}
		lines, err := a.withoutRoom(ctx, m, &d.Changes[0].Node)
		if err != nil {
			return err
		}
		return a.print(append(a.taughtLines(&d), lines...)...)
	})
}

// withoutRoom returns for which of the tests of a taught lesson others leave it no room.
func (a *app) withoutRoom(ctx context.Context, m *memtree.Memory, n *tree.Node) (out []string, err error) {
	if n.Taught == nil {
		return nil, nil
	}
	for _, test := range n.Taught.For {
		scope := tree.Scope{Product: n.Scope.Product, Test: test}
		x, err := m.Explain(ctx, memtree.Query{Prompt: test, Scope: scope})
		if err != nil {
			return nil, err
		}
		for _, c := range x.Considered {
			if c.ID == n.ID && c.Left.NoRoom() {
				out = append(out, a.Wrap(a.say("It has no room before “%s”: the lessons taught for that test come first; "+
					"memtree explain lists them.", text.Line(text.Clip(test, 80))))...)
			}
		}
	}
	return out, nil
}

// taughtLines describes the taught lesson and its consequences.
func (a *app) taughtLines(d *curation.Result) []string {
	n := &d.Changes[0].Node
	head := a.saidHead(tree.DecisionTeach, n.ID)
	if d.Changes[0].Op != tree.OpAdd {
		head = a.say("Taught again: %s", n.ID)
	}
	p := &screen.Page{Width: a.Width, Lines: a.Wrap(a.Paint(screen.Bold, head))}
	a.taughtParts(p, n)
	for i := range d.Against {
		p.Lines = append(p.Lines, a.Wrap(a.say("It says the opposite of %s: %s Both are given where both fit; edit, "+
			"forget or ban one of them.", d.Against[i].ID, text.Line(d.Against[i].Content.Guidance)))...)
	}
	for i := range d.Mirrored {
		p.Lines = append(p.Lines, a.Wrap(a.say("%s is the same lesson for the other direction.", d.Mirrored[i].ID))...)
	}
	if d.Redacted > 0 {
		p.Lines = append(p.Lines, a.Wrap(a.say("Secrets that were taken out of it: %d", d.Redacted))...)
	}
	if !a.quiet {
		p.Lines = append(
			p.Lines,
			a.Wrap(a.say("From now on memtree guide gives it before tests that fit; memtree undo takes it "+
				"back."))...)
	}
	return p.Lines
}

// taughtParts shows a taught lesson.
func (a *app) taughtParts(p *screen.Page, n *tree.Node) {
	p.Part(a.say("do"), n.Content.Guidance)
	p.Part(a.say("when"), strings.Join(n.Content.AppliesWhen, "\n"))
	p.Part(a.say("product"), n.Scope.Product)
	a.examples(p, n.Taught)
}

// examples shows who taught a lesson, for which tests, and against which other lessons.
func (a *app) examples(p *screen.Page, t *tree.Taught) {
	if t == nil {
		return
	}
	p.Part(a.say("taught by"), t.By)
	p.Part(a.say("for"), strings.Join(t.For, "\n"))
	p.Part(a.say("not for"), strings.Join(t.NotFor, "\n"))
	p.Part(a.say("opposite of"), strings.Join(t.Against, " "))
}
