package main

import (
	"bytes"
	"context"
	"encoding/json"

	"github.com/spf13/cobra"

	"github.com/memtree/memtree"
)

func (a *app) mapExportCommand() *cobra.Command {
	product := ""
	c := &cobra.Command{
		Use:   "export FILE",
		Short: a.say("Write what was seen to a file that map add reads"),
		Long: a.say(`Writes the walks of the map, a line of JSON each: routes, names of elements and parameters, selectors and
whether they worked. Values and bodies are not in the map. memtree map add takes the file into another map,
where a walk that is there counts once; so the maps of two teams become one. - is standard output.`),
		Example: "  memtree map export shop.walks.jsonl --product shop\n" +
			"  memtree map add shop.walks.jsonl --store other",
		Args: a.arguments(1, 1, a.say("the file")),
		RunE: func(c *cobra.Command, args []string) error { return a.mapExport(c.Context(), args[0], product) },
	}
	a.productFlag(c, &product)
	return c
}

func (a *app) mapExport(ctx context.Context, file, product string) error {
	return a.with(ctx, reading, func(m *memtree.Memory) error {
		var out bytes.Buffer
		lines := json.NewEncoder(&out)
		lines.SetEscapeHTML(false)
		n, there := 0, map[string]bool{}
		for e, err := range m.Tree().Ledger(ctx, 0) {
			if err != nil {
				return err
			}
			if e.Walk == nil || product != "" && e.Walk.Product != product || there[e.Walk.ID] {
				continue
			}
			if err := lines.Encode(e.Walk); err != nil {
				return err
			}
			n, there[e.Walk.ID] = n+1, true
		}
		if file == "-" {
			_, err := a.stdout.Write(out.Bytes())
			return err
		}
		if err := a.writeWhole(file, out.Bytes()); err != nil {
			return err
		}
		if a.json {
			return a.printJSON(struct {
				File  string `json:"file"`
				Walks int    `json:"walks"`
			}{file, n})
		}
		return a.print(a.say("Walks written to %s: %d", file, n))
	})
}
