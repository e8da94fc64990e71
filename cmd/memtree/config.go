package main

import (
	"github.com/spf13/cobra"

	"github.com/memtree/memtree/internal/cli/say"
)

func configCommand(a *app) *cobra.Command {
	c := &cobra.Command{
		Use:  "config",
		Args: arguments(a.Voice, 0, 0, a.Say("a subcommand: show")),
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(&cobra.Command{
		Use:  "show",
		RunE: func(c *cobra.Command, _ []string) error { return showConfig(a, c.Root()) },
	})
	return c
}

func showConfig(a *app, root *cobra.Command) error {
	all := a.config.Settings(root)
	t := &say.Table{Columns: []say.Column{{Head: a.Say("setting")}, {Head: a.Say("value"), Least: 12},
		{Head: a.Say("from"), Least: 12}}}
	for i, s := range all {
		if s.Key == "store" && a.store.Shared() {
			s.Value = a.store.Name()
			all[i] = s
		}
		t.Add(s.Key, s.Value, s.From)
	}
	return a.Result(map[string]any{"file": a.config.Path, "settings": all}, t.Lines(a.Width)...)
}
