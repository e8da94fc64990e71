package main

import (
	"github.com/spf13/cobra"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/appmap"
)

func mapPathCommand(a *app) *cobra.Command {
	product := ""
	c := &cobra.Command{
		Use:  "path FROM TO",
		Args: arguments(a.Voice, 2, 2, a.Say("two pages: addresses or routes")),
		RunE: func(c *cobra.Command, args []string) error {
			return mapped(c.Context(), a, product, func(_ *memtree.Memory, x *appmap.Map) error {
				way, ok := x.Path(product, args[0], args[1])
				result := map[string]any{"found": ok, "steps": emptyNotNull(way)}
				if !ok {
					return a.Result(result, a.Wrap(a.Say("No way from %s to %s is known.", args[0], args[1]))...)
				}
				out := a.Page()
				out.Raw(appmap.PageOf(args[0]))
				for i := range way {
					out.Add("→ " + stepLineOf(a.Voice, &way[i]))
					if way[i].Selector != "" {
						out.Add("    " + way[i].Selector)
					}
				}
				return a.Result(result, out.Lines...)
			})
		},
	}
	productFlag(a.Voice, c, &product)
	return c
}
