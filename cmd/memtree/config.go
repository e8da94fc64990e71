package main

import (
	"github.com/spf13/cobra"

	"github.com/memtree/memtree/internal/cli/screen"
)

func configCommand(a *app) *cobra.Command {
	c := &cobra.Command{
		Use:   "config",
		Short: a.Say("What is set, and where"),
		Long: a.Say(`A setting is given as a flag, as a variable or in the config file; each has one name, so that
--log-format, MEMTREE_LOG_FORMAT and log-format: in the file are the same. A flag wins over a
variable, and a variable over the file. The file is the one that --config or MEMTREE_CONFIG names, or
memtree/config.yaml in XDG_CONFIG_HOME or ~/.config. memtree.yaml beside a store is another file: it
holds a team's error types and checks.`),
		Args: arguments(a.Voice, 0, 0, a.Say("a subcommand: show")),
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(&cobra.Command{
		Use:   "show",
		Short: a.Say("Print every setting, its value and where it comes from"),
		Args:  arguments(a.Voice, 0, 0, a.Say("no arguments")),
		RunE:  func(c *cobra.Command, _ []string) error { return showConfig(a, c.Root()) },
	})
	return c
}

func showConfig(a *app, root *cobra.Command) error {
	all := a.config.Settings(root)
	t := &screen.Table{Columns: []screen.Column{{Head: a.Say("setting")}, {Head: a.Say("value"), Least: 12},
		{Head: a.Say("from"), Least: 12}}}
	for _, s := range all {
		t.Add(s.Key, s.Value, s.From)
	}
	return a.Result(map[string]any{"file": a.config.Path, "settings": all}, t.Lines(a.Width)...)
}
