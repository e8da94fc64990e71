package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/appmap"
	"github.com/memtree/memtree/internal/cli/say"
)

func mapGapsCommand(a *app) *cobra.Command {
	product, limit := "", 20
	c := &cobra.Command{
		Use: "gaps",
		RunE: func(c *cobra.Command, _ []string) error {
			return mapped(c.Context(), a, product, func(m *memtree.Memory, x *appmap.Map) error {
				wrong, err := appmap.WrongOnPages(c.Context(), m.Tree(), product)
				if err != nil {
					return err
				}
				return printGaps(a.Voice, x.Gaps(product, func(page string) float64 { return wrong[page] }), limit)
			})
		},
	}
	productFlag(a.Voice, c, &product)
	c.Flags().IntVar(&limit, "limit", 20, a.Say("print this many at most; 0: all"))
	return c
}

func printGaps(v *say.Voice, gaps []appmap.Gap, limit int) error {
	all := len(gaps)
	if limit > 0 {
		gaps = gaps[:min(limit, all)]
	}
	result := map[string]any{"all": all, "gaps": emptyNotNull(gaps)}
	if all == 0 {
		return v.Result(result, v.Say("Tests touch all that the map has."))
	}
	t := &say.Table{Columns: []say.Column{
		{Head: v.Say("not tested")}, {Head: v.Say("page"), Least: 12}, {Head: v.Say("name"), Least: 20},
		{Head: v.Say("wrong verdicts"), Right: true},
	}}
	for i := range gaps {
		g := &gaps[i]
		t.Add(v.Names().Gap(g), g.Page, g.Name, fmt.Sprint(g.Risk))
	}
	out := t.Painted(&v.Terminal)
	if len(gaps) < all {
		out = append(out, v.Say("%d more; --limit 0 prints all.", all-len(gaps)))
	}
	return v.Result(result, out...)
}
