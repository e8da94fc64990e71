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

func (a *app) contextCommand() *cobra.Command {
	budget := usualContext
	c := &cobra.Command{
		Use:   "context --prompt TEXT [flags]",
		Short: a.say("Print what an agent should know before a run: guidance, facts, and where things are"),
		Long: a.say(`Prints guidance as memtree guide does, with its trial id, and after it where the things are that the
prompt names and how to get to the page, from the map (memtree map). The text has at most --budget tokens;
memories and facts come first. With --json each part has its ring, its id and why it is there.`),
		Example: "  memtree context --prompt \"Change the password\" --route /settings --budget 800\n" +
			"  memtree context --prompt @task.txt --step \"Open the settings\" --json",
		Args: a.arguments(0, 0, a.say("no arguments (the prompt goes after --prompt)")),
	}
	q := a.queryFlags(c)
	c.Flags().IntVar(&budget, "budget", budget, a.say("most tokens of the text, 100 to 100,000"))
	c.RunE = func(c *cobra.Command, _ []string) error {
		query, err := q.ask(c.Context(), a)
		if err != nil {
			return err
		}
		return a.context(c.Context(), query, budget)
	}
	return c
}

func (a *app) context(ctx context.Context, q memtree.Query, budget int) error {
	var x enhance.Context
	err := a.withOrRead(ctx, func(m *memtree.Memory) (err error) {
		x, err = m.Context(ctx, q, budget)
		return err
	})
	if err != nil {
		return err
	}
	if a.json {
		return a.printJSON(x)
	}
	if x.Text != "" {
		if _, err := io.WriteString(a.stdout, strings.TrimRight(x.Text, "\n")+"\n"); err != nil {
			return err
		}
	}
	switch {
	case x.Text == "":
		a.note(a.say("Nothing fits: no memory, no fact and no place on the map."))
	case x.Trial != "":
		a.note(a.say(`Hand "trial": "%s" back with the judged run.`, x.Trial))
	}
	if x.Note != "" {
		a.note(x.Note)
	}
	return nil
}
