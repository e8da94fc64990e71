package main

import (
	"github.com/spf13/cobra"

	"github.com/memtree/memtree/internal/cli/say"
)

func completionCommand(v *say.Voice) *cobra.Command {
	shells := []string{"bash", "zsh", "fish", "powershell"}
	return &cobra.Command{
		Use:       "completion bash|zsh|fish|powershell",
		ValidArgs: shells,
		Args:      arguments(v, 1, 1, v.Say("the name of a shell")),
		RunE: func(c *cobra.Command, args []string) error {
			root := c.Root()
			switch args[0] {
			case "bash":
				return root.GenBashCompletionV2(v.Stdout, true)
			case "zsh":
				return root.GenZshCompletion(v.Stdout)
			case "fish":
				return root.GenFishCompletion(v.Stdout, true)
			case "powershell":
				return root.GenPowerShellCompletionWithDesc(v.Stdout)
			}
			return v.Usage("%q is no shell memtree knows; use bash, zsh, fish or powershell", args[0])
		},
	}
}
