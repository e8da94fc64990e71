package main

import (
	"bytes"
	"context"
	"encoding/json"

	"github.com/spf13/cobra"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/internal/cli/store"
)

func mapExportCommand(a *app) *cobra.Command {
	product := ""
	c := &cobra.Command{
		Use:  "export FILE",
		Args: arguments(a.Voice, 1, 1, a.Say("the file")),
		RunE: func(c *cobra.Command, args []string) error { return mapExport(c.Context(), a, args[0], product) },
	}
	productFlag(a.Voice, c, &product)
	return c
}

func mapExport(ctx context.Context, a *app, file, product string) error {
	return a.store.With(ctx, store.Reading, func(m *memtree.Memory) error {
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
			_, err := a.Stdout.Write(out.Bytes())
			return err
		}
		if err := a.files.Write(file, out.Bytes()); err != nil {
			return err
		}
		if a.JSON {
			return a.PrintJSON(struct {
				File  string `json:"file"`
				Walks int    `json:"walks"`
			}{file, n})
		}
		return a.Print(a.Say("Walks written to %s: %d", file, n))
	})
}
