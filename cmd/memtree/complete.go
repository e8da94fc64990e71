package main

import (
	"github.com/spf13/cobra"

	"github.com/memtree/memtree/internal/cli/say"
	"github.com/memtree/memtree/taxonomy"
)

// This file defines shell completion. It offers built-in values only, because opening a store at every keystroke
// would be slow.

// completes offers values for a flag.
func completes(c *cobra.Command, flag string, values func() []cobra.Completion) {
	offer := func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
		return values(), cobra.ShellCompDirectiveNoFileComp
	}
	// This fails only for a flag that the command does not have.
	_ = c.RegisterFlagCompletionFunc(flag, offer)
}

func errorTypes(v *say.Voice) func() []cobra.Completion {
	return func() (out []cobra.Completion) {
		for _, t := range taxonomy.Default().ErrorTypes() {
			out = append(out, cobra.CompletionWithDesc(t.ID, t.Name.In(v.Lang)))
		}
		return out
	}
}

func sceneTypes(v *say.Voice) func() []cobra.Completion {
	return func() (out []cobra.Completion) {
		for _, t := range taxonomy.Default().SceneTypes() {
			out = append(out, cobra.CompletionWithDesc(t.ID, t.Name.In(v.Lang)))
		}
		return out
	}
}

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
