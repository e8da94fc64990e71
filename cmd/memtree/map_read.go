package main

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/appmap"
	"github.com/memtree/memtree/appmap/naming"
	"github.com/memtree/memtree/internal/cli/say"
	"github.com/memtree/memtree/internal/text"
)

// mapReadFlags are the flags of map read.
type mapReadFlags struct {
	handFlags
	o naming.Options
}

func mapReadCommand(a *app) *cobra.Command {
	f := mapReadFlags{}
	c := &cobra.Command{
		Use:  "read",
		RunE: func(c *cobra.Command, _ []string) error { return mapRead(c.Context(), a, &f) },
	}
	productFlag(a.Voice, c, &f.o.Product)
	c.Flags().BoolVar(&f.o.DryRun, "dry-run", false, a.Say("print what it would cost, and ask no model"))
	addHandFlags(a.Voice, c, &f.handFlags)
	a.model.Flags(c)
	return c
}

// mapReadJSON is the result, as --json prints it.
type mapReadJSON struct {
	naming.ReadResult
	readJSON
}

func mapRead(ctx context.Context, a *app, f *mapReadFlags) error {
	o := f.o
	var did naming.ReadResult
	var products []string
	hand, err := readNew(ctx, a, &f.handFlags, &o.Reading, a.Say("naming elements"),
		func(m *memtree.Memory, step func(int)) (err error) {
			o.Progress = func(r naming.ReadResult) { step(r.Calls) }
			did, err = m.Naming().Read(ctx, &o)
			return errors.Join(err, m.Map().Read(ctx, func(x *appmap.Map) { products = x.Products() }))
		})
	if err != nil {
		return err
	}
	if o.Product != "" && len(products) > 0 && !slices.Contains(products, o.Product) {
		return a.Usage("the map has no product %s; it has %s", o.Product, strings.Join(products, ", "))
	}
	out := mapReadJSON{did, readOf(a, did.ReadUsage, o.DryRun)}
	if done, err := f.end(a, hand, &out.handed); done {
		return err
	}
	lines := mapReadLines(a.Voice, &out, f)
	if len(products) == 0 {
		lines = a.Wrap(a.Say("The map is empty. Add what a test tool saw: memtree map add trace.zip"))
	}
	err = a.Result(out, lines...)
	if did.Left > 0 && out.Questions == nil {
		err = errors.Join(err, say.ErrRejected) // some elements have no names yet
	}
	return err
}

func mapReadLines(v *say.Voice, r *mapReadJSON, f *mapReadFlags) []string {
	p := v.Page()
	switch {
	case r.Questions != nil:
		p.Add(f.written(v, *r.Questions))
	case r.Elements == 0:
		p.Add(v.Say("Nothing to read: every element of the map has been named."))
	case r.Estimated:
		p.Add(v.Say("Elements to name: %d. Calls of the model: %d, about %d tokens.", r.Elements, r.Calls, r.Tokens))
	default:
		p.Add(v.Say("Elements named: %d of %d, with %d other names.", r.Elements-r.Left, r.Elements, r.Names))
		if r.Left > 0 {
			p.Add(v.Say("Elements that got no answer: %d (%s). The next memtree map read goes on with them.", r.Left,
				text.Line(r.Why)))
		}
	}
	return p.Lines
}
