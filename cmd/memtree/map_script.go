package main

import (
	"context"
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/appmap"
)

func mapScriptCommand(a *app) *cobra.Command {
	product, file := "", "-"
	c := &cobra.Command{
		Use:  "test FROM TO",
		Args: arguments(a.Voice, 2, 2, a.Say("two pages: addresses or routes")),
		RunE: func(c *cobra.Command, args []string) error {
			return mapScript(c.Context(), a, product, args[0], args[1], file)
		},
	}
	productFlag(a.Voice, c, &product)
	c.Flags().StringVar(&file, "out", file, a.Say("file to write; -: standard output"))
	return c
}

func mapScript(ctx context.Context, a *app, product, from, to, file string) error {
	var s appmap.Script
	err := mapped(ctx, a, product, func(_ *memtree.Memory, x *appmap.Map) (err error) {
		s, err = x.Script(product, from, to)
		return err
	})
	switch {
	case errors.Is(err, appmap.ErrNoWay):
		return a.Fail(err, "No way from %s to %s is known.", from, to)
	case errors.Is(err, appmap.ErrNoStart):
		return a.Fail(err, "%s is one of many objects; begin at a page whose address has no variable", from)
	case err != nil:
		return err
	case s.Code == "" && !a.JSON: // mapped printed that the map is empty
		return nil
	case a.JSON || file == "-":
		return a.Result(s, strings.TrimRight(s.Code, "\n"))
	}
	if err := a.files.Write(file, []byte(s.Code)); err != nil {
		return err
	}
	return a.Print(a.Say("Written to %s: %d steps, %d by selectors that have proved themselves",
		file, len(s.Steps), s.Proven))
}
