package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/internal/cli/access"
	"github.com/memtree/memtree/internal/cli/say"
	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/tree"
)

func initCommand(a *app) *cobra.Command {
	c := &cobra.Command{
		Use: "init [flags]",
		RunE: func(c *cobra.Command, _ []string) error {
			if len(a.store.Label) > tree.MaxName {
				return a.Usage("--label is longer than %s, which is the most", say.Bytes(tree.MaxName))
			}
			return initStore(c.Context(), a, c.Flags().Changed("store"))
		},
	}
	c.Flags().StringVar(&a.store.Label, "label", "", a.Say("name of the team, told with what it exports"))
	return c
}

// initStore creates a store if there is none, and prints which it was. named is whether the command line names it.
func initStore(ctx context.Context, a *app, named bool) error {
	if a.store.ReadOnly {
		return a.Usage("init makes a store; leave --read-only out")
	}
	made := a.store.Empty(ctx)
	var info store.Info
	if err := a.store.With(ctx, access.Making, func(m *memtree.Memory) (err error) {
		info, err = m.Tree().Info(ctx)
		return err
	}); err != nil {
		return err
	}
	if a.JSON {
		return a.PrintJSON(struct {
			Store  string `json:"store"`
			Made   bool   `json:"made"`
			Format string `json:"format"`
		}{a.store.Name(), made, info.Format})
	}
	if !made {
		return a.Print(a.Say("There is a store in %s already, with %d memories; nothing was changed.",
			a.store.Name(),
			info.Nodes))
	}
	p := a.Page()
	p.Raw(a.Say("Made an empty store in %s.", a.store.Name()))
	if !a.Quiet {
		next := a.Say("Next: memtree record runs.jsonl")
		if named {
			next = a.Say("Next: memtree record runs.jsonl --store %s", shellName(a.store.Name()))
		}
		p.Raw(next)
	}
	return a.Print(p.Lines...)
}
