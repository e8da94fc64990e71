package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/enhance"
	"github.com/memtree/memtree/evolution"
	"github.com/memtree/memtree/internal/cli/screen"
	"github.com/memtree/memtree/internal/text"
	"github.com/memtree/memtree/taxonomy"
)

func (a *app) pruneCommand() *cobra.Command {
	o := evolution.PruneOptions{}
	limit := mostForgotten
	c := &cobra.Command{
		Use:   "prune [flags]",
		Short: a.say("Archive what the tree can do without, each with its reason"),
		Long: a.say(`Takes memories out of use in this order: what did harm and has no evidence newer than 90 days,
what has been replaced for 30 days, cases that were seen once 90 days ago, are little trusted, stand behind no
lesson and were given to none of the 20 queries or more that they could have served, lessons with
fewer than two cases left, and beyond the budget lessons whose cases others cover. No case goes for
its age or for how many there are.

Archived memories stay in the store with their evidence and their reason, and a case whose mistake
is made again comes back into use. memtree evolve does this too; memtree evolve --dry-run says
beforehand how many would go.`),
		Example: "  memtree prune --dry-run\n  memtree prune --only edge_case_error",
		Args:    a.arguments(0, 0, a.say("no arguments")),
		RunE: func(c *cobra.Command, _ []string) error {
			if o.Experiences < 0 {
				return &usageError{a.say("a budget is a number of memories, 1 or more")}
			}
			return a.prune(c.Context(), o, limit)
		},
	}
	f := c.Flags()
	f.BoolVar(&o.DryRun, "dry-run", false, a.say("print what would be archived and why, write nothing"))
	f.StringVar(&o.Only, "only", "", a.say("this error type alone"))
	f.IntVar(&o.Experiences, "experiences", 0, a.say("experiences of an error type and direction that stay in use (30)"))
	f.IntVar(&limit, "limit", limit, a.say("how many memories to print; 0 for all"))
	return c
}

const mostForgotten = 50

func (a *app) prune(ctx context.Context, o evolution.PruneOptions, limit int) error {
	how := writing
	if o.DryRun {
		how = reading
	}
	return a.with(ctx, how, func(m *memtree.Memory) error {
		if err := a.checkType(m, o.Only); err != nil {
			return err
		}
		p, err := m.Prune(ctx, &o)
		if err != nil {
			return err
		}
		if a.json {
			return a.printJSON(p)
		}
		return a.printPruned(m.Taxonomy(), &p, o.DryRun, limit)
	})
}

func (a *app) printPruned(tax *taxonomy.Taxonomy, p *evolution.Pruned, dry bool, limit int) error {
	if len(p.Revived) > 0 {
		revived := a.say("Back in use, because the mistake was made again: %s", shortList(p.Revived))
		if err := a.print(a.Wrap(revived)...); err != nil {
			return err
		}
	}
	if len(p.Forgotten) == 0 {
		return a.print(a.say("Nothing to archive."))
	}
	head := a.say("Archived: %d. They stay in the store with their evidence.", len(p.Forgotten))
	if dry {
		head = a.say("This would be archived (nothing was written): %d", len(p.Forgotten))
	}
	out := []string{a.Paint(screen.Bold, head)}
	reason, words := evolution.ForgetReason(""), enhance.NewWording(tax)
	for i, f := range p.Forgotten {
		if limit > 0 && i == limit {
			out = append(out, "", a.say("... and %d more (--limit 0 prints all)", len(p.Forgotten)-limit))
			break
		}
		if f.Reason != reason {
			reason = f.Reason
			out = append(out, "", a.Paint(screen.Bold, a.reasonName(reason)))
		}
		branch := a.branchName(tax, f.Node.ErrorType, f.Node.Direction)
		title := text.Line(words.Shown(&f.Node, a.lang).Content.Title)
		out = append(out, a.Wrap(fmt.Sprintf("  %s  %s: %s", f.Node.ID, branch, title))...)
		out = append(out, a.Wrap("    "+f.Why)...)
	}
	return a.print(out...)
}

func (a *app) reasonName(r evolution.ForgetReason) string {
	switch r {
	case evolution.Harmful:
		return a.say("harmful")
	case evolution.Superseded:
		return a.say("replaced or out of use")
	case evolution.Unused:
		return a.say("unused and unconfirmed")
	case evolution.Thin:
		return a.say("too few cases left")
	case evolution.OverBudget:
		return a.say("over budget, covered by others")
	}
	return string(r)
}
