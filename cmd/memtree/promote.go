package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/internal/cli/screen"
	"github.com/memtree/memtree/internal/text"
	"github.com/memtree/memtree/transfer"
	"github.com/memtree/memtree/tree"
)

func (a *app) promoteCommand() *cobra.Command {
	o := transfer.PromoteOptions{}
	c := &cobra.Command{
		Use:   "promote ID... [flags]",
		Short: a.say("Let imported memories be used"),
		Long: a.say(`Takes memories out of the quarantine that imports wait in: by id, or all of an error
type or an origin. A lesson brings the cases it rests on. From then on they are on probation and can
be part of guidance.

The beginning of an id is enough where no other begins like it.`),
		Example: `  memtree promote e_fhb3x2
  memtree promote --origin team-a --dry-run
  memtree promote --origin team-a --type form_validation_error`,
		Args: a.arguments(0, -1, a.say("ids of memories, or --type or --origin")),
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 0 && o.ErrorType == "" && o.Origin == "" {
				return &usageError{a.say("say what to promote: ids of memories, --type or --origin")}
			}
			return a.promote(c.Context(), args, o)
		},
		ValidArgsFunction: func(c *cobra.Command, _ []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
			return a.ids(c.Context(), begun), cobra.ShellCompDirectiveNoFileComp
		},
	}
	f := c.Flags()
	f.StringVar(&o.ErrorType, "type", "", a.say("all that wait of this error type"))
	f.StringVar(&o.Origin, "origin", "", a.say("all that wait of this origin, by its id or label"))
	f.BoolVar(&o.DryRun, "dry-run", false, a.say("say what would change, write nothing"))
	return c
}

func (a *app) promote(ctx context.Context, ids []string, o transfer.PromoteOptions) error {
	how := writing
	if o.DryRun {
		how = reading
	}
	return a.with(ctx, how, func(m *memtree.Memory) error {
		for _, id := range ids {
			n, err := a.find(ctx, m, id)
			if err != nil {
				return err
			}
			if n.Status != tree.Quarantined {
				return &failure{a.say("%s does not wait in quarantine: it is %s", n.ID, string(n.Status)), nil}
			}
			o.IDs = append(o.IDs, n.ID)
		}
		p, err := m.Transfer().Promote(ctx, &o)
		if err != nil {
			return err
		}
		if a.json {
			return a.printJSON(p)
		}
		return a.printPromoted(&p, o.DryRun)
	})
}

func (a *app) printPromoted(p *transfer.Promotion, dry bool) error {
	head := a.say("Promoted, on probation from now on: %d", len(p.Changes))
	switch {
	case len(p.Changes)+len(p.Refused) == 0:
		head = a.say("Nothing like that waits in quarantine.")
	case dry:
		head = a.say("Would be promoted (nothing was written): %d", len(p.Changes))
	}
	out := []string{a.Paint(screen.Bold, head)}
	t := &screen.Table{Indent: "  ", Columns: []screen.Column{
		{Head: a.say("memory")}, {Head: a.say("error type"), Least: 16}, {Head: "", Least: 20},
	}}
	const most = 20
	for i := range p.Changes[:min(most, len(p.Changes))] {
		n := &p.Changes[i].Node
		t.Add(short(n.ID), n.ErrorType, text.Fit(text.Line(n.Content.Title+" "+n.Content.Description), screen.FullWidth))
	}
	if len(t.Rows) > 0 {
		out = append(out, t.Lines(a.Width)...)
	}
	if rest := len(p.Changes) - most; rest > 0 {
		out = append(out, a.say("... and %d more", rest))
	}
	for i := range p.Refused {
		if why := p.Refused[i].ArchivedFor; why != "" {
			out = append(out, a.Wrap(a.say("%s stays in quarantine: it is out of use where it comes from (%s).",
				p.Refused[i].ID, text.Line(why)))...)
			continue
		}
		out = append(out, a.Wrap(a.say("%s stays in quarantine: the cases it rests on did not come with it.",
			p.Refused[i].ID))...)
	}
	if len(p.Changes) > 0 && !a.quiet {
		out = append(out, a.Wrap(a.say("What people there banned or rejected does not hold here, and their cases can teach "+
			"it again; memtree import --trust takes their decisions along."))...)
	}
	return a.print(out...)
}
