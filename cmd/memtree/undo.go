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
	"github.com/memtree/memtree/ledger"
)

func undoCommand(a *app) *cobra.Command {
	o := curation.Options{}
	c := &cobra.Command{
		Use:               "undo [ID]",
		Args:              arguments(a.Voice, 0, 1, a.Say("nothing, or the id of a memory or evaluation")),
		ValidArgsFunction: completeID(a),
		RunE: func(c *cobra.Command, args []string) error {
			id := ""
			if len(args) > 0 {
				id = args[0]
			}
			return runUndo(c.Context(), a, id, o)
		},
	}
	speaker(a.Voice, c, &o)
	over(a.Voice, c, &o)
	return c
}

func runUndo(ctx context.Context, a *app, id string, o curation.Options) error {
	return a.store.Write(ctx, func(m *memtree.Memory) error {
		if strings.HasPrefix(id, ledger.FactPrefix) {
			if f, err := findFact(ctx, a.Voice, m, id); err == nil { // else it was stated and that taken back
				id = f.ID
			}
		} else if id != "" {
			var said *say.Failure
			switch n, err := findNode(ctx, a.Voice, m, id); {
			case err == nil:
				id = n.ID
			case !errors.As(err, &said): // otherwise the id may be that of an evaluation
				return err
			}
		}
		d, err := m.Curation().Undo(ctx, id, o)
		if err != nil {
			return decisionFailure(a.Voice, err)
		}
		about := d.Undone.Node
		if d.Undone.Evaluation != "" {
			about = d.Undone.Evaluation
		}
		if n := len(d.Undone.Verdicts); n > 0 {
			about = a.Say("%d verdicts", n)
		}
		out := a.Page()
		out.Bold(a.Say("Taken back: %s", dotted(a.Names().Decision(d.Undone.Kind), about)))
		if d.Undone.Why != "" {
			out.Add("  " + a.Say("the reason given: %s", text.Line(d.Undone.Why)))
		}
		return a.Result(d, append(out.Lines, followsLines(a.Voice, m.Taxonomy(), &d)...)...)
	})
}
