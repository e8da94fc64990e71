package main

import (
	"context"

	"github.com/spf13/cobra"
)

func moveCommand(a *app) *cobra.Command {
	to := ""
	c := &cobra.Command{
		Use:  "move --to URL",
		Args: arguments(a.Voice, 0, 0, a.Say("no arguments")),
		RunE: func(c *cobra.Command, _ []string) error { return moveStore(c.Context(), a, to) },
	}
	c.Flags().StringVar(&to, "to", "",
		a.Say("URL of a database, as postgres://user@host/db?tenant=NAME&tree=NAME, or a folder"))
	return c
}

func moveStore(ctx context.Context, a *app, to string) error {
	switch {
	case to == "":
		return a.Usage("--to is missing; give the URL of a database, such as postgres://user@host/db")
	case a.store.ReadOnly:
		return a.Usage("move writes; leave --read-only out")
	}
	m, err := a.store.Move(ctx, to, func(string) {})
	if err != nil {
		return err
	}
	if err := copyOverlay(m.FromDir, m.ToDir); err != nil {
		return err
	}
	if a.JSON {
		return a.PrintJSON(m)
	}
	lines := []string{
		a.Say("Moved to %s: %d memories, %d ledger entries, %d runs known, %d waiting, %d pictures.", m.To, m.Nodes,
			m.Entries, m.Known, m.Waiting, m.Pictures),
		a.Say("Both have the SHA-256 %s.", m.SHA256),
	}
	if !a.Quiet {
		lines = append(lines, a.Say("%s stays as it was. From now on name the new one with --store, everywhere.", m.From))
	}
	return a.Print(lines...)
}
