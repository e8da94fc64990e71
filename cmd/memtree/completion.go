package main

import (
	"github.com/spf13/cobra"
)

func (a *app) completionCommand() *cobra.Command {
	shells := []string{"bash", "zsh", "fish", "powershell"}
	return &cobra.Command{
		Use:       "completion bash|zsh|fish|powershell",
		Short:     a.say("Print a script that completes memtree's commands and flags"),
		Example:   "  source <(memtree completion bash)\n  memtree completion fish > ~/.config/fish/completions/memtree.fish",
		ValidArgs: shells,
		Args:      a.arguments(1, 1, a.say("the name of a shell")),
		RunE: func(c *cobra.Command, args []string) error {
			root := c.Root()
			switch args[0] {
			case "bash":
				return root.GenBashCompletionV2(a.stdout, true)
			case "zsh":
				return root.GenZshCompletion(a.stdout)
			case "fish":
				return root.GenFishCompletion(a.stdout, true)
			case "powershell":
				return root.GenPowerShellCompletionWithDesc(a.stdout)
			}
			return &usageError{a.say("%q is no shell memtree knows; use bash, zsh, fish or powershell", args[0])}
		},
	}
}
