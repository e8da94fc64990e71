package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/appmap"
	"github.com/memtree/memtree/ingest"
	"github.com/memtree/memtree/internal/cli/input"
	"github.com/memtree/memtree/internal/cli/say"
	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/tree"
)

func mapCommand(a *app) *cobra.Command {
	c := &cobra.Command{Use: "map"}
	c.AddCommand(mapAddCommand(a), mapCoverageCommand(a), mapShowCommand(a), mapFindCommand(a), mapPathCommand(a),
		mapGapsCommand(a), mapRequirementsCommand(a), mapScriptCommand(a), mapReadCommand(a), mapExportCommand(a))
	return c
}

func mapAddCommand(a *app) *cobra.Command {
	o := ingest.WalkOptions{}
	c := &cobra.Command{
		Use:  "add FILE...",
		Args: arguments(a.Voice, 1, -1, a.Say("one file or more")),
		RunE: func(c *cobra.Command, args []string) error { return mapAdd(c.Context(), a, args, o) },
	}
	c.Flags().StringVar(&o.Product, "product", "", a.Say("the product that was seen"))
	c.Flags().StringVar(&o.Build, "build", "", a.Say("its build"))
	c.Flags().StringVar(&o.Test, "test", "", a.Say("the test that ran, where the file does not name it"))
	c.Flags().StringVar(&o.Page, "page", "", a.Say("the page of a snapshot or of a cache of Midscene"))
	c.Flags().StringVar(&o.Format, "from", "", a.Say("the format, where its content does not tell: %s",
		strings.Join(ingest.WalkFormats(), ", ")))
	completes(c, "from", ingest.WalkFormats)
	return c
}

// mapAdded is the result of map add, as --json prints it.
type mapAdded struct {
	Files int `json:"files"`
	appmap.Added
	Coverage appmap.Coverage `json:"coverage"` // of the product, afterwards
}

func mapAdd(ctx context.Context, a *app, files []string, o ingest.WalkOptions) error {
	defer a.store.Bounded()()
	out := mapAdded{Files: len(files)}
	return a.store.Write(ctx, func(m *memtree.Memory) error {
		bar := a.Progress(a.Say("reading"), say.Count)
		defer bar.End()
		nothing := func(ledger.Walk) error { return nil }
		for _, name := range files { // a fault of the last file leaves the map as it was
			if err := eachWalk(a, name, o, nothing); err != nil {
				return err
			}
		}
		for _, name := range files {
			err := eachWalk(a, name, o, func(w ledger.Walk) error {
				added, err := m.Map().Add(ctx, w)
				out.Add(added)
				bar.Step(int64(out.Sights), 0)
				return err
			})
			if err != nil {
				return err
			}
		}
		bar.End()
		err := m.Map().Read(ctx, func(x *appmap.Map) { out.Coverage = x.Coverage(o.Product) })
		if err != nil {
			return err
		}
		added := a.Say("Added: %d walks with %d sightings; added before: %d. The map has %d pages, %d elements that one can "+
			"act on, %d selectors and %d interfaces.", out.Walks, out.Sights, out.Known, out.Coverage.Pages.All,
			out.Coverage.Elements.All, out.Coverage.Selectors, out.Coverage.Calls.All)
		return a.Result(out, a.Wrap(added)...)
	})
}

// eachWalk calls do with each walk of a file.
func eachWalk(a *app, name string, o ingest.WalkOptions, do func(ledger.Walk) error) error {
	f, err := a.files.Open(name)
	if err != nil {
		return err
	}
	defer f.Close() //nolint:errcheck // only read
	info, err := f.Stat()
	if err != nil {
		return input.AsNamed(name, err)
	}
	if info.IsDir() {
		return a.Usage("%s is a folder; name its files", name)
	}
	for w, err := range ingest.ReadWalks(name, f, info.Size(), o) {
		if err != nil {
			return walkFailed(a.Voice, err)
		}
		err = do(w)
		if fault, ok := errors.AsType[*tree.FieldError](err); ok {
			return &say.Failure{Text: name + ": " + fault.Error(), Cause: err}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// walkFailed returns the error of a file.
func walkFailed(v *say.Voice, err error) error {
	if fault, ok := errors.AsType[*ingest.WalkError](err); ok {
		return &say.Failure{Text: fault.Error(), Cause: err}
	}
	return err
}

// productFlag adds the flag that names the product.
func productFlag(v *say.Voice, c *cobra.Command, product *string) {
	c.Flags().StringVar(product, "product", "", v.Say("the product, where there are several"))
}

// mapped calls read with the map of a product, which has to be named where there are several.
func mapped(ctx context.Context, a *app, product string, read func(m *memtree.Memory, x *appmap.Map) error) error {
	return a.store.Read(ctx, func(m *memtree.Memory) (err error) {
		var products []string
		viewed := m.Map().Read(ctx, func(x *appmap.Map) {
			products = x.Products()
			if product == "" && len(products) > 1 || product != "" && !slices.Contains(products, product) ||
				len(products) == 0 && !a.JSON {
				return
			}
			err = read(m, x)
		})
		if viewed != nil {
			return viewed
		}
		switch {
		case len(products) == 0 && !a.JSON:
			return a.Print(a.Wrap(a.Say("The map is empty. Add what a test tool saw: memtree map add trace.zip"))...)
		case product == "" && len(products) > 1:
			return a.Usage("the map has several products; name one with --product: %s", strings.Join(products, ", "))
		case product != "" && !slices.Contains(products, product) && len(products) > 0:
			return a.Usage("the map has no product %s; it has %s", product, strings.Join(products, ", "))
		}
		return err
	})
}

func mapCoverageCommand(a *app) *cobra.Command {
	product := ""
	c := &cobra.Command{
		Use: "coverage",
		RunE: func(c *cobra.Command, _ []string) error {
			return mapped(c.Context(), a, product, func(_ *memtree.Memory, x *appmap.Map) error {
				v := x.Coverage(product)
				t := &say.Table{Columns: []say.Column{
					{Head: ""}, {Head: a.Say("tested"), Right: true}, {Head: a.Say("all"), Right: true},
					{Head: "%", Right: true},
				}}
				for _, row := range []struct {
					name string
					appmap.Share
				}{
					{a.Say("pages"), v.Pages}, {a.Say("elements one can act on"), v.Elements}, {a.Say("flows"), v.Flows},
					{a.Say("interfaces"), v.Calls}, {a.Say("requirements"), v.Requirements},
				} {
					share := "-"
					if row.All > 0 {
						share = fmt.Sprint(row.Tested * 100 / row.All)
					}
					t.Add(row.name, fmt.Sprint(row.Tested), fmt.Sprint(row.All), share)
				}
				out := t.Painted(&a.Terminal)
				if v.Left > 0 {
					out = append(out, a.Wrap(a.Say("Sightings that there was no room for: %d.", v.Left))...)
				}
				return a.Result(v, out...)
			})
		},
	}
	productFlag(a.Voice, c, &product)
	return c
}

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
	return a.store.Read(ctx, func(m *memtree.Memory) error {
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
		return a.Result(map[string]any{"file": file, "walks": n}, a.Say("Walks written to %s: %d", file, n))
	})
}
