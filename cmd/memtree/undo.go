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
	"github.com/memtree/memtree/tree"
)

func (a *app) undoCommand() *cobra.Command {
	o := curation.Options{}
	c := &cobra.Command{
		Use:   "undo [ID]",
		Short: a.say("Take back the last forget, pin, ban, about, relabel, edit or rejection"),
		Long: a.say(`Takes back your own latest decision (of the name in --by), and prints what that was; with an id,
the latest one on that memory or evaluation, or the decision of that id (a_…). Called again it takes back the
one before: it never takes back an undo. The decision of another person is named and stays, but with --over.
A purge cannot be taken back.`),
		Example:           "  memtree undo --by ann\n  memtree undo c_fhb3x2",
		Args:              a.arguments(0, 1, a.say("nothing, or the id of a memory or evaluation")),
		ValidArgsFunction: a.completeID,
		RunE: func(c *cobra.Command, args []string) error {
			id := ""
			if len(args) > 0 {
				id = args[0]
			}
			return a.undo(c.Context(), id, o)
		},
	}
	a.speaker(c, &o)
	a.over(c, &o)
	return c
}

func (a *app) undo(ctx context.Context, id string, o curation.Options) error {
	return a.with(ctx, writing, func(m *memtree.Memory) error {
		if strings.HasPrefix(id, tree.FactPrefix) {
			if f, err := a.findFact(ctx, m, id); err == nil { // else it was stated and that taken back
				id = f.ID
			}
		} else if id != "" {
			var said *failure
			switch n, err := a.find(ctx, m, id); {
			case err == nil:
				id = n.ID
			case !errors.As(err, &said): // otherwise the id may be that of an evaluation
				return err
			}
		}
		d, err := m.Curation().Undo(ctx, id, o)
		if err != nil {
			return a.wordRefused(err)
		}
		if a.json {
			return a.printJSON(d)
		}
		about := d.Undone.Node
		if d.Undone.Evaluation != "" {
			about = d.Undone.Evaluation
		}
		if n := len(d.Undone.Verdicts); n > 0 {
			about = a.say("%d verdicts", n)
		}
		out := a.Wrap(a.Paint(screen.Bold, a.say("Taken back: %s", d.Undone.Kind.Name()+" "+about)))
		if d.Undone.Why != "" {
			out = append(out, a.Wrap("  "+a.say("the reason given: %s", text.Line(d.Undone.Why)))...)
		}
		return a.print(append(out, a.followsLines(m.Taxonomy(), &d)...)...)
	})
}
