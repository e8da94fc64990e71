package main

import (
	"context"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/internal/cli/screen"
	"github.com/memtree/memtree/tree"
)

func (a *app) initCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "init [flags]",
		Short: a.say("Make a store"),
		Long: a.say(`Makes an empty store in .memtree, or in the folder named with --store. A store that is there ` +
			`already stays as it is.`),
		Example: "  memtree init\n  memtree init --store ~/shop-memory",
		Args:    a.arguments(0, 0, a.say("no arguments")),
		RunE: func(c *cobra.Command, _ []string) error {
			if len(a.label) > tree.MaxName {
				return &usageError{a.say("--label is longer than %s, which is the most", screen.Bytes(tree.MaxName))}
			}
			return a.initStore(c.Context())
		},
	}
	c.Flags().StringVar(&a.label, "label", "", a.say("name of the team, told with what it exports"))
	return c
}

// initStore creates a store if there is none, and prints which it was.
func (a *app) initStore(ctx context.Context) error {
	if a.readOnly {
		return &usageError{a.say("init makes a store; leave --read-only out")}
	}
	_, err := os.Stat(filepath.Join(a.store, "FORMAT.json"))
	made := err != nil
	var info tree.Info
	if err := a.with(ctx, making, func(m *memtree.Memory) (err error) {
		info, err = m.Tree().Info(ctx)
		return err
	}); err != nil {
		return err
	}
	if a.json {
		return a.printJSON(struct {
			Store  string `json:"store"`
			Made   bool   `json:"made"`
			Format string `json:"format"`
		}{a.store, made, info.Format})
	}
	if !made {
		return a.print(a.say("There is a store in %s already, with %d memories; nothing was changed.",
			a.store,
			info.Nodes))
	}
	lines := []string{a.say("Made an empty store in %s.", a.store)}
	if !a.quiet {
		lines = append(lines, a.say("Next: memtree record runs.jsonl"))
	}
	return a.print(lines...)
}
