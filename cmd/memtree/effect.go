package main

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/effect"
	"github.com/memtree/memtree/internal/cli/store"
	"github.com/memtree/memtree/internal/plot"
)

// effectOptions are the flags of effect.
type effectOptions struct {
	arms string // file of recorded runs
	by   string // one of groupings, "" for the whole
	page string // file of the page to write
}

// groupings are the values of --by.
var groupings = []string{
	byNode, string(effect.ByType), string(effect.ByScene), string(effect.ByTeam), string(effect.ByFound),
}

// byNode is the value of --by for single memories.
const byNode = "node"

func effectCommand(a *app) *cobra.Command {
	o := effectOptions{}
	c := &cobra.Command{
		Use:  "effect [flags]",
		Args: arguments(a.Voice, 0, 0, a.Say("no arguments (a file of runs goes after --arms)")),
		RunE: func(c *cobra.Command, _ []string) error {
			switch {
			case c.Flags().Changed("arms") && (o.by != "" || o.page != ""):
				return a.Usage("--arms compares a file of runs; it goes with neither --by nor --html")
			case c.Flags().Changed("arms") && o.arms == "":
				return a.Usage("--arms is empty; name a file of runs, or - for standard input")
			case c.Flags().Changed("by") && !slices.Contains(groupings, o.by):
				return a.Usage("--by is %q; use one of: %s", o.by, strings.Join(groupings, ", "))
			case o.arms != "":
				return compareArms(c.Context(), a, o.arms)
			}
			return runEffect(c.Context(), a, &o)
		},
	}
	c.Flags().StringVar(&o.arms, "arms", "", a.Say("file of runs of an experiment, or - for standard input"))
	c.Flags().StringVar(&o.by, "by", "", a.Say("the effect of each memory (node), or the lift by error type (type), "+
		"by kind of scene (scene), or by the tree that memories come from (team)"))
	c.Flags().StringVar(&o.page, "html", "", a.Say("also write a page for a browser to this file: how the evidence grew"))
	completes(c, "by", func() []cobra.Completion { return groupings })
	return c
}

// runEffect reports on the runs of a store.
func runEffect(ctx context.Context, a *app, o *effectOptions) error {
	return a.store.With(ctx, store.Reading, func(m *memtree.Memory) error {
		r, err := m.Effect(ctx)
		if err != nil {
			return err
		}
		f := &finding{Report: r, Verdict: r.Verdict.In(a.Lang)}
		if err := f.name(ctx, m, a.Lang); err != nil {
			return err
		}
		f.Next = plot.Next(a.Say, f.Report, f.loose())
		if o.page != "" {
			if err := writeEffectPage(ctx, a, o.page, m, f); err != nil {
				return err
			}
		}
		switch {
		case o.by != "":
			return effectBy(a.Voice, m.Taxonomy(), f, o.by)
		case a.JSON:
			return a.PrintJSON(f)
		}
		return printEffect(a.Voice, m.Taxonomy(), f)
	})
}
