package main

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/appmap"
	"github.com/memtree/memtree/internal/cli/say"
)

func mapRequirementsCommand(a *app) *cobra.Command {
	product := ""
	c := &cobra.Command{
		Use: "requirements",
		RunE: func(c *cobra.Command, _ []string) error {
			return mapped(c.Context(), a, product, func(m *memtree.Memory, x *appmap.Map) error {
				return printRequirements(a.Voice, x.Requirements(product, m.Briefs().Prompts(product)))
			})
		},
	}
	productFlag(a.Voice, c, &product)
	return c
}

func printRequirements(v *say.Voice, all []appmap.Requirement) error {
	all = emptyNotNull(all)
	if len(all) == 0 {
		return v.Result(all, v.Wrap(v.Say("No requirement is known. Add a table: memtree map add requirements.csv"))...)
	}
	t := &say.Table{Columns: []say.Column{
		{Head: v.Say("code")}, {Head: v.Say("title"), Least: 20}, {Head: v.Say("priority")},
		{Head: v.Say("checked by"), Least: 16},
	}}
	for i := range all {
		r := &all[i]
		var checks []string
		for _, c := range r.Checks[:min(3, len(r.Checks))] {
			name := c.Test
			if c.Confidence < 1 {
				name += fmt.Sprintf(" (%.2f)", c.Confidence)
			}
			checks = append(checks, name)
		}
		t.Add(r.Code, r.Title, r.Priority, cmp.Or(strings.Join(checks, ", "), "-"))
	}
	return v.Result(all, t.Painted(&v.Terminal)...)
}
