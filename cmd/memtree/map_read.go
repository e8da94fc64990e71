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
	"github.com/memtree/memtree/llm"
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
	Tokens    int  `json:"tokens"`
	Cost      any  `json:"cost"` // a number, or "unknown"
	Estimated bool `json:"estimated"`
	handed
}

func mapRead(ctx context.Context, a *app, f *mapReadFlags) error {
	o := f.o
	hand, err := byHand(ctx, a, &f.handFlags)
	if err != nil {
		return err
	}
	if hand != nil {
		o.Reader = hand
	}
	var did naming.ReadResult
	var products []string
	err = a.store.WriteOrPlan(ctx, o.DryRun, func(m *memtree.Memory) error {
		price, _ := a.model.PriceOf(a.model.Name)
		o.Price = price.Of
		o.MaxCalls, o.MaxCost = a.model.Left()
		bar := a.Progress(a.Say("naming elements"), func(n int64) string { return a.Say("%d calls", n) })
		defer bar.End()
		o.Progress = func(r naming.ReadResult) { bar.Step(int64(r.Calls), 0) }
		did, err = m.Naming().Read(ctx, &o)
		bar.End()
		a.model.Halted(m.Health().Model, 0)
		return errors.Join(err, m.Map().Read(ctx, func(x *appmap.Map) { products = x.Products() }))
	})
	if llm.KindOf(err) == llm.KindNotSet {
		return a.Fail(err, "no model is set to name the elements; set MEMTREE_LLM_MODEL and MEMTREE_LLM_API_KEY "+
			"(memtree llm check tries them)")
	}
	if err != nil {
		return err
	}
	if o.Product != "" && len(products) > 0 && !slices.Contains(products, o.Product) {
		return a.Usage("the map has no product %s; it has %s", o.Product, strings.Join(products, ", "))
	}
	out := mapReadJSON{
		ReadResult: did, Tokens: did.Usage.InputTokens + did.Usage.OutputTokens, Estimated: o.DryRun,
		Cost: a.model.CostOf(did.Calls, 0, did.Usage),
	}
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
		p.Add(v.Say("Questions written to %s: %d, on %d elements. Put the answers into a file, a line each: "+
			"{\"id\": ..., \"answer\": {...}}, and take them with --from.", f.print, *r.Questions, r.Elements))
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
