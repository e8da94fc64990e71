package main

import (
	"context"
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/curation"
	"github.com/memtree/memtree/internal/cli/say"
	"github.com/memtree/memtree/internal/text"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

func teachCommand(a *app) *cobra.Command {
	o, l, direction := curation.Options{}, curation.TaughtLesson{}, ""
	c := &cobra.Command{
		Use:  `teach "WHAT TO DO" --when "FOR WHICH TESTS"`,
		Args: arguments(a.Voice, 1, 1, a.Say("what to do, in quotation marks")),
		RunE: func(c *cobra.Command, args []string) error {
			l.Lesson, l.Direction = args[0], taxonomy.Direction(direction)
			return runTeach(c.Context(), a, l, o)
		},
	}
	c.Flags().StringArrayVar(
		&l.When,
		"when",
		nil,
		a.Say("for which tests, in words that these tests use; may be repeated"),
	)
	c.Flags().StringVar(&l.Product, "product", "", a.Say("only for this product"))
	c.Flags().StringArrayVar(&l.For, "for", nil, a.Say("a test that is given it in any case: its prompt or id; "+
		"may be repeated"))
	c.Flags().StringArrayVar(&l.NotFor, "not-for", nil, a.Say("a test that is never given it; may be repeated"))
	c.Flags().StringVar(&direction, "direction", "", a.Say("what it guards against: false_pass (default), "+
		"false_fail or other"))
	speaker(a.Voice, c, &o)
	return c
}

func runTeach(ctx context.Context, a *app, l curation.TaughtLesson, o curation.Options) error {
	return a.store.Write(ctx, func(m *memtree.Memory) error {
		d, err := m.Curation().Teach(ctx, l, o)
		refused, ok := errors.AsType[*curation.GateError](err)
		switch {
		case ok:
			for _, why := range refused.Reasons {
				a.Complain(why)
			}
			return a.Fail(err, "nothing was taught: the gates refuse these words")
		case err != nil:
			return decisionFailure(a.Voice, err)
		case a.JSON:
			return a.PrintJSON(d)
		}
		lines, err := withoutRoom(ctx, a.Voice, m, &d.Changes[0].Node)
		if err != nil {
			return err
		}
		return a.Print(append(taughtLines(a.Voice, &d), lines...)...)
	})
}

// withoutRoom returns for which of the tests of a taught lesson others leave it no room.
func withoutRoom(ctx context.Context, v *say.Voice, m *memtree.Memory, n *tree.Node) (out []string, err error) {
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
				out = append(out, v.Wrap(v.Say("It has no room before “%s”: the lessons taught for that test come first; "+
					"memtree explain lists them.", text.Line(text.Clip(test, 80))))...)
			}
		}
	}
	return out, nil
}

// taughtLines describes the taught lesson and its consequences.
func taughtLines(v *say.Voice, d *curation.DecisionResult) []string {
	n := &d.Changes[0].Node
	head := v.Say("%s: %s", v.Names().Decision(tree.DecisionTeach), n.ID)
	if d.Changes[0].Op != tree.OpAdd {
		head = v.Say("Taught again: %s", n.ID)
	}
	p := v.Page()
	p.Bold(head)
	taughtParts(v, p, n)
	for i := range d.Against {
		p.Add(v.Say("It says the opposite of %s: %s Both are given where both fit; edit, "+
			"forget or ban one of them.", d.Against[i].ID, text.Line(d.Against[i].Content.Guidance)))
	}
	for i := range d.Mirrored {
		p.Add(v.Say("%s is the same lesson for the other direction.", d.Mirrored[i].ID))
	}
	if d.Redacted > 0 {
		p.Add(v.Say("Secrets that were taken out of it: %d", d.Redacted))
	}
	if !v.Quiet {
		p.Add(v.Say("From now on memtree guide gives it before tests that fit; memtree undo takes it back."))
	}
	return p.Lines
}

// taughtParts shows a taught lesson.
func taughtParts(v *say.Voice, p *say.Output, n *tree.Node) {
	p.Part(v.Say("do"), n.Content.Guidance)
	p.Part(v.Say("when"), strings.Join(n.Content.AppliesWhen, "\n"))
	p.Part(v.Say("product"), n.Scope.Product)
	examples(v, p, n.Taught)
}

// examples shows who taught a lesson, for which tests, and against which other lessons.
func examples(v *say.Voice, p *say.Output, t *tree.Taught) {
	if t == nil {
		return
	}
	p.Part(v.Say("taught by"), t.By)
	p.Part(v.Say("for"), strings.Join(t.For, "\n"))
	p.Part(v.Say("not for"), strings.Join(t.NotFor, "\n"))
	p.Part(v.Say("opposite of"), strings.Join(t.Against, " "))
}
