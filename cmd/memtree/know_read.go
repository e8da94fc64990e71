package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/internal/cli/say"
	"github.com/memtree/memtree/internal/text"
	"github.com/memtree/memtree/knowledge"
	"github.com/memtree/memtree/llm"
)

// knowReadFlags are the flags of know read.
type knowReadFlags struct {
	handFlags
	o knowledge.ReadOptions
}

func knowReadCommand(a *app) *cobra.Command {
	f := knowReadFlags{}
	c := &cobra.Command{
		Use:  "read",
		RunE: func(c *cobra.Command, _ []string) error { return knowRead(c.Context(), a, &f) },
	}
	c.Flags().BoolVar(&f.o.DryRun, "dry-run", false, a.Say("print what it would cost, and ask no model"))
	addHandFlags(a.Voice, c, &f.handFlags)
	a.model.Flags(c)
	return c
}

// knowReadJSON is the result, as --json prints it.
type knowReadJSON struct {
	knowledge.ReadResult
	Tokens    int  `json:"tokens"`
	Cost      any  `json:"cost"` // a number, or "unknown"
	Estimated bool `json:"estimated"`
	handed
}

func knowRead(ctx context.Context, a *app, f *knowReadFlags) error {
	o := f.o
	hand, err := byHand(ctx, a, &f.handFlags)
	if err != nil {
		return err
	}
	if hand != nil {
		o.Reader = hand
	}
	var did knowledge.ReadResult
	err = a.store.WriteOrPlan(ctx, o.DryRun, func(m *memtree.Memory) error {
		price, _ := a.model.PriceOf(a.model.Name)
		o.Price = price.Of
		o.MaxCalls, o.MaxCost = a.model.Left()
		bar := a.Progress(a.Say("reading notes"), func(n int64) string { return a.Say("%d calls", n) })
		defer bar.End()
		o.Progress = func(r knowledge.ReadResult) { bar.Step(int64(r.Calls), 0) }
		did, err = m.Knowledge().Read(ctx, &o)
		bar.End()
		a.model.Halted(m.Health().Model, 0)
		return err
	})
	if llm.KindOf(err) == llm.KindNotSet {
		return a.Fail(err, "no model is set to read the notes; set MEMTREE_LLM_MODEL and MEMTREE_LLM_API_KEY "+
			"(memtree llm check tries them)")
	}
	if err != nil {
		return err
	}
	out := knowReadJSON{
		ReadResult: did, Tokens: did.Usage.InputTokens + did.Usage.OutputTokens, Estimated: o.DryRun,
		Cost: a.model.CostOf(did.Calls, 0, did.Usage),
	}
	if done, err := f.end(a, hand, &out.handed); done {
		return err
	}
	err = a.Result(out, knowReadLines(a.Voice, &out, f)...)
	if did.Left > 0 && out.Questions == nil {
		err = errors.Join(err, say.ErrRejected) // some notes were not read
	}
	return err
}

func knowReadLines(v *say.Voice, r *knowReadJSON, f *knowReadFlags) []string {
	p := v.Page()
	switch {
	case r.Questions != nil:
		p.Add(v.Say("Questions written to %s: %d, on %d notes. Put the answers into a file, a line each: "+
			"{\"id\": ..., \"answer\": {...}}, and take them with --from.", f.print, *r.Questions, r.Runs))
		return p.Lines
	case r.Runs == 0:
		p.Add(v.Say("Nothing to read: no false alarm has a note that was not read before."))
		return p.Lines
	case r.Estimated:
		p.Add(v.Say("Notes to read: %d. Calls of the model: %d, about %d tokens.", r.Runs, r.Calls, r.Tokens))
		return p.Lines
	}
	p.Add(v.Say("Notes read: %d of %d. New facts: %d. Notes that state a known fact: %d.", r.Runs-r.Left, r.Runs,
		len(r.Facts), r.Confirmed))
	if r.Disputed > 0 {
		p.Add(v.Say("Notes that a known fact does not hold: %d. Both are held back until somebody settles it: "+
			"memtree know list", r.Disputed))
	}
	for i := range r.Facts {
		p.Add(fmt.Sprintf("  %s  %s", short(r.Facts[i].ID), r.Facts[i].Text))
	}
	if len(r.Refused) > 0 {
		p.Add(v.Say("Statements that were refused: %d. The first: %s", len(r.Refused), text.Line(r.Refused[0])))
	}
	if r.Left > 0 {
		p.Add(v.Say("Notes that got no answer: %d (%s). The next memtree know read goes on with them.", r.Left,
			text.Line(r.Why)))
	}
	return p.Lines
}
