package main

import (
	"context"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/enhance"
)

// usualContext is the budget of context where none is set, in tokens.
const usualContext = 1500

func contextCommand(a *app) *cobra.Command {
	budget := usualContext
	c := &cobra.Command{
		Use:  "context --prompt TEXT [flags]",
		Args: arguments(a.Voice, 0, 0, a.Say("no arguments (the prompt goes after --prompt)")),
	}
	q := newQueryFlags(a.Voice, c)
	c.Flags().IntVar(&budget, "budget", budget, a.Say("most tokens of the text, 100 to 100,000"))
	c.RunE = func(c *cobra.Command, _ []string) error {
		query, err := q.ask(c.Context(), a)
		if err != nil {
			return err
		}
		return runContext(c.Context(), a, query, budget)
	}
	return c
}

func runContext(ctx context.Context, a *app, q memtree.Query, budget int) error {
	var x enhance.Context
	err := a.store.WithOrRead(ctx, func(m *memtree.Memory) (err error) {
		x, err = m.Context(ctx, q, budget)
		return err
	})
	if err != nil {
		return err
	}
	if a.JSON {
		return a.PrintJSON(x)
	}
	if x.Text != "" {
		if _, err := io.WriteString(a.Stdout, strings.TrimRight(x.Text, "\n")+"\n"); err != nil {
			return err
		}
	}
	switch {
	case x.Text == "":
		a.Note(a.Say("Nothing fits: no memory, no fact and no place on the map."))
	case x.Trial != "":
		a.Note(a.Say(`Hand "trial": "%s" back with the judged run.`, x.Trial))
	}
	if x.Note != "" {
		a.Note(x.Note)
	}
	return nil
}
