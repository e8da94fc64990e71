package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/memtree/memtree/internal/cli/say"
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
	step, end := moving(a)
	m, err := a.store.Move(ctx, to, step)
	end()
	if err != nil {
		return err
	}
	if err := copyOverlay(m.FromDir, m.ToDir); err != nil {
		return err
	}
	p := a.Page()
	p.Add(a.Say("Moved to %s: %d memories, %d ledger entries, %d runs known, %d waiting, %d pictures.", m.To, m.Nodes,
		m.Entries, m.Known, m.Waiting, m.Pictures))
	p.Add(a.Say("Both have the SHA-256 %s.", m.SHA256))
	if !a.Quiet {
		p.Add(a.Say("%s stays as it was. From now on name the new one with --store, everywhere.", m.From))
	}
	return a.Result(m, p.Lines...)
}

// moving draws a bar for each step of a move. end wipes the last one.
func moving(a *app) (step func(what string, done, total int), end func()) {
	names := map[string]string{
		"memories": a.Say("copying memories"), "ledger": a.Say("copying the ledger"),
		"letters": a.Say("copying runs that were set aside"), "outbox": a.Say("copying waiting runs"),
		"known": a.Say("copying known runs"), "beside": a.Say("copying what is beside"), "verify": a.Say("comparing both"),
	}
	var bar *say.ProgressBar
	end = func() {
		if bar != nil {
			bar.End()
		}
	}
	now := ""
	return func(what string, done, total int) {
		if what != now {
			end()
			now, bar = what, a.Progress(names[what], say.Count)
		}
		bar.Step(int64(done), int64(total))
	}, end
}
