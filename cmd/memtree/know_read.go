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
	readJSON
}

func knowRead(ctx context.Context, a *app, f *knowReadFlags) error {
	o := f.o
	var did knowledge.ReadResult
	hand, err := readNew(ctx, a, &f.handFlags, &o.Reading, a.Say("reading notes"),
		func(m *memtree.Memory, step func(int)) (err error) {
			o.Progress = func(r knowledge.ReadResult) { step(r.Calls) }
			did, err = m.Knowledge().Read(ctx, &o)
			return err
		})
	if err != nil {
		return err
	}
	out := knowReadJSON{did, readOf(a, did.ReadUsage, o.DryRun)}
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
		p.Add(f.written(v, *r.Questions))
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
