package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/evolution"
	"github.com/memtree/memtree/taxonomy"
)

func (a *app) pruneCommand() *cobra.Command {
	o := memtree.PruneOptions{}
	limit := mostForgotten
	c := &cobra.Command{
		Use:   "prune [flags]",
		Short: a.say("Archive what the tree can do without, each with its reason"),
		Long: a.say(`Takes memories out of use in this order: what was found to do harm, what has been replaced for 30 days, what nobody was ever given and was seen once 90 days ago with little trust, lessons with fewer than two cases left, and beyond the budget of an error type what others cover.

Archived memories stay in the store with their evidence and their reason. What a person pinned stays, and so does what is new, and of every lesson the most typical case and the two least like it. memtree evolve does this too.`),
		Example: "  memtree prune --dry-run\n  memtree prune --only edge_case_error",
		Args:    a.arguments(0, 0, a.say("no arguments")),
		RunE: func(c *cobra.Command, _ []string) error {
			if o.Budget.Cases < 0 || o.Budget.Experiences < 0 {
				return &usageError{a.say("a budget is a number of memories, 1 or more")}
			}
			return a.prune(c.Context(), o, limit)
		},
	}
	f := c.Flags()
	f.BoolVar(&o.DryRun, "dry-run", false, a.say("print what would be archived and why, write nothing"))
	f.StringVar(&o.Only, "only", "", a.say("this error type alone"))
	f.IntVar(&o.Budget.Cases, "cases", 0, a.say("cases of an error type that stay in use (200)"))
	f.IntVar(&o.Budget.Experiences, "experiences", 0, a.say("experiences of an error type that stay in use (30)"))
	f.IntVar(&limit, "limit", limit, a.say("how many memories to print; 0 for all"))
	return c
}

const mostForgotten = 50

func (a *app) prune(ctx context.Context, o memtree.PruneOptions, limit int) error {
	how := writing
	if o.DryRun {
		how = reading
	}
	return a.with(ctx, how, func(m *memory) error {
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
		if err := writeLines(a.stdout, wrap(a.say("Back in use, because the mistake was made again: %s", shortList(p.Revived)), a.width)...); err != nil {
			return err
		}
	}
	if len(p.Forgotten) == 0 {
		return writeLines(a.stdout, a.say("Nothing to archive."))
	}
	head := a.say("Archived: %d. They stay in the store with their evidence.", len(p.Forgotten))
	if dry {
		head = a.say("This would be archived (nothing was written): %d", len(p.Forgotten))
	}
	out := []string{a.paint(bold, head)}
	reason := evolution.Reason("")
	for i, f := range p.Forgotten {
		if limit > 0 && i == limit {
			out = append(out, "", a.say("... and %d more (--limit 0 prints all)", len(p.Forgotten)-limit))
			break
		}
		if f.Reason != reason {
			reason = f.Reason
			out = append(out, "", a.paint(bold, a.reasonName(reason)))
		}
		out = append(out, wrap(fmt.Sprintf("  %s  %s · %s: %s", f.Node.ID, a.typeName(tax, f.Node.ErrorType), a.directionName(f.Node.Direction), oneLine(f.Node.Content.Title)), a.width)...)
		out = append(out, wrap("    "+f.Why, a.width)...)
	}
	return writeLines(a.stdout, out...)
}

func (a *app) reasonName(r evolution.Reason) string {
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
