package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/internal/cli/say"
	"github.com/memtree/memtree/internal/text"
	"github.com/memtree/memtree/transfer"
	"github.com/memtree/memtree/tree"
)

func promoteCommand(a *app) *cobra.Command {
	o := transfer.PromoteOptions{}
	c := &cobra.Command{
		Use:  "promote ID... [flags]",
		Args: arguments(a.Voice, 0, -1, a.Say("ids of memories, or --type or --origin")),
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 0 && o.ErrorType == "" && o.Origin == "" {
				return a.Usage("say what to promote: ids of memories, --type or --origin")
			}
			return runPromote(c.Context(), a, args, o)
		},
		ValidArgsFunction: func(c *cobra.Command, _ []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
			return ids(c.Context(), a, begun), cobra.ShellCompDirectiveNoFileComp
		},
	}
	f := c.Flags()
	f.StringVar(&o.ErrorType, "type", "", a.Say("all that wait of this error type"))
	f.StringVar(&o.Origin, "origin", "", a.Say("all that wait of this origin, by its id or label"))
	f.BoolVar(&o.DryRun, "dry-run", false, a.Say("say what would change, write nothing"))
	return c
}

func runPromote(ctx context.Context, a *app, ids []string, o transfer.PromoteOptions) error {
	return a.store.WriteUnless(ctx, o.DryRun, func(m *memtree.Memory) error {
		for _, id := range ids {
			n, err := findNode(ctx, a.Voice, m, id)
			if err != nil {
				return err
			}
			if n.Mark == tree.Banned {
				return a.Fail(nil, "%s does not wait: a person banned it here; memtree undo %s takes that back", n.ID, short(n.ID))
			}
			if n.Status != tree.Quarantined {
				return a.Fail(nil, "%s does not wait in quarantine: it is %s", n.ID, string(n.Status))
			}
			o.IDs = append(o.IDs, n.ID)
		}
		p, err := m.Transfer().Promote(ctx, &o)
		if err != nil {
			return err
		}
		return a.Result(p, promotedLines(a.Voice, &p, o.DryRun)...)
	})
}

func promotedLines(v *say.Voice, p *transfer.Promotion, dry bool) []string {
	head := v.Say("Promoted, on probation from now on: %d", len(p.Changes))
	switch {
	case len(p.Changes)+len(p.Refused) == 0:
		head = v.Say("Nothing like that waits in quarantine.")
	case dry:
		head = v.Say("Would be promoted (nothing was written): %d", len(p.Changes))
	}
	out := v.Page()
	out.Bold(head)
	t := &say.Table{Indent: "  ", Columns: []say.Column{
		{Head: v.Say("memory")}, {Head: v.Say("error type"), Least: 16}, {Head: "", Least: 20},
	}}
	const most = 20
	for i := range p.Changes[:min(most, len(p.Changes))] {
		n := &p.Changes[i].Node
		t.Add(short(n.ID), n.ErrorType, text.Fit(text.Line(n.Content.Title+" "+n.Content.Description), say.FullWidth))
	}
	if len(t.Rows) > 0 {
		out.Table(t)
	}
	if rest := len(p.Changes) - most; rest > 0 {
		out.Raw(v.Say("... and %d more", rest))
	}
	for i := range p.Refused {
		if why := p.Refused[i].ArchivedFor; why != "" {
			out.Add(v.Say("%s stays in quarantine: it is out of use where it comes from (%s).", p.Refused[i].ID, text.Line(why)))
			continue
		}
		out.Add(v.Say("%s stays in quarantine: the cases it rests on did not come with it.", p.Refused[i].ID))
	}
	if len(p.Changes) > 0 && !v.Quiet {
		out.Add(v.Say("What people there banned or rejected does not hold here, and their cases can teach " +
			"it again; memtree import --trust takes their decisions along."))
	}
	return out.Lines
}
