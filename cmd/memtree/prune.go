package main

import (
	"cmp"
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/enhance"
	"github.com/memtree/memtree/evolution"
	"github.com/memtree/memtree/internal/cli/say"
	"github.com/memtree/memtree/internal/text"
	"github.com/memtree/memtree/taxonomy"
)

func pruneCommand(a *app) *cobra.Command {
	o := evolution.PruneOptions{}
	limit := mostForgotten
	c := &cobra.Command{
		Use: "prune [flags]",
		RunE: func(c *cobra.Command, _ []string) error {
			if o.Experiences < 0 {
				return a.Usage("a budget is a number of memories, 1 or more")
			}
			return runPrune(c.Context(), a, o, limit)
		},
	}
	f := c.Flags()
	f.BoolVar(&o.DryRun, "dry-run", false, a.Say("print what would be archived and why, write nothing"))
	f.StringVar(&o.Only, "only", "", a.Say("this error type alone"))
	f.IntVar(&o.Experiences, "experiences", 0, a.Say("experiences of an error type and direction that stay in use (30)"))
	f.IntVar(&limit, "limit", limit, a.Say("how many memories to print; 0 for all"))
	return c
}

const mostForgotten = 50

func runPrune(ctx context.Context, a *app, o evolution.PruneOptions, limit int) error {
	return a.store.WriteUnless(ctx, o.DryRun, func(m *memtree.Memory) error {
		if err := checkType(a.Voice, m, o.Only); err != nil {
			return err
		}
		p, err := m.Prune(ctx, &o)
		if err != nil {
			return err
		}
		if a.JSON {
			return a.PrintJSON(p)
		}
		return printPruned(a.Voice, m.Taxonomy(), &p, o.DryRun, limit)
	})
}

func printPruned(v *say.Voice, tax *taxonomy.Taxonomy, p *evolution.Pruned, dry bool, limit int) error {
	if len(p.Revived) > 0 {
		revived := v.Say("Back in use, because the mistake was made again: %s", shortList(p.Revived))
		if err := v.Print(v.Wrap(revived)...); err != nil {
			return err
		}
	}
	if len(p.Forgotten) == 0 {
		return v.Print(v.Say("Nothing to archive."))
	}
	head := v.Say("Archived: %d. They stay in the store with their evidence.", len(p.Forgotten))
	if dry {
		head = v.Say("This would be archived (nothing was written): %d", len(p.Forgotten))
	}
	out := v.Page()
	out.Bold(head)
	reason, words := evolution.ForgetReason(""), enhance.NewWording(tax)
	for i, f := range p.Forgotten {
		if limit > 0 && i == limit {
			out.Add("")
			out.Raw(v.Say("... and %d more (--limit 0 prints all)", len(p.Forgotten)-limit))
			break
		}
		if f.Reason != reason {
			reason = f.Reason
			out.Head(reasonName(v, reason))
		}
		branch := branchName(v, tax, f.Node.ErrorType, f.Node.Direction)
		title := text.Line(words.Shown(&f.Node, v.Lang).Content.Title)
		out.Add(fmt.Sprintf("  %s  %s: %s", f.Node.ID, branch, title), "    "+f.Why)
	}
	return v.Print(out.Lines...)
}

func reasonName(v *say.Voice, r evolution.ForgetReason) string {
	return cmp.Or(map[evolution.ForgetReason]string{
		evolution.Harmful: v.Say("harmful"), evolution.Superseded: v.Say("replaced or out of use"),
		evolution.Unused: v.Say("unused and unconfirmed"), evolution.Thin: v.Say("too few cases left"),
		evolution.OverBudget: v.Say("over budget, covered by others"),
	}[r], string(r))
}
