package main

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/brief"
	"github.com/memtree/memtree/internal/cli/input"
	"github.com/memtree/memtree/internal/cli/model"
	"github.com/memtree/memtree/internal/cli/say"
	"github.com/memtree/memtree/internal/text"
)

// briefFlags are the flags of brief.
type briefFlags struct {
	handFlags
	o brief.ReadOptions
}

func briefCommand(a *app) *cobra.Command {
	f := briefFlags{}
	c := &cobra.Command{
		Use:  "brief [FILE...] [flags]",
		Args: arguments(a.Voice, 0, -1, a.Say("names of files, - for standard input, or nothing")),
		RunE: func(c *cobra.Command, args []string) error { return runBrief(c.Context(), a, args, &f) },
	}
	addHandFlags(a.Voice, c, &f.handFlags)
	c.Flags().BoolVar(&f.o.DryRun, "dry-run", false, a.Say("say what it would take; ask no model, write nothing"))
	a.model.Flags(c)
	return c
}

// briefedJSON is the JSON form of what brief did, or would do. Its calls, tokens and cost are measured; those of a
// dry run are estimates.
type briefedJSON struct {
	brief.ReadResult
	Tokens    int               `json:"tokens"` // in and out
	Cost      any               `json:"cost"`   // a number, or "unknown"
	Estimated bool              `json:"estimated"`
	Model     model.UsageReport `json:"model"`
	Rejected  []input.Reject    `json:"rejected"`
	handed
}

func runBrief(ctx context.Context, a *app, files []string, f *briefFlags) error {
	o := f.o
	hand, err := byHand(ctx, a, &f.handFlags)
	if err != nil {
		return err
	}
	if hand != nil {
		o.Reader = hand
	}
	in, err := a.files.RunFiles(files, a.Say("reading"))
	if err != nil {
		return err
	}
	tests, err := in.Tests(ctx, files)
	if err != nil {
		return err
	}
	var did brief.ReadResult
	err = a.store.WriteOrPlan(ctx, o.DryRun, func(m *memtree.Memory) error {
		if len(files) > 0 && len(tests) == 0 {
			return nil // every line was refused
		}
		o.Price, _ = a.model.PriceOf(a.model.Name)
		o.MaxCalls, o.MaxCost = a.model.Left()
		bar := a.Progress(a.Say("reading tests"), func(n int64) string { return a.Say("%d tests", n) })
		defer bar.End()
		total := int64(0)
		o.Progress = func(b brief.ReadResult) {
			total = max(total, int64(b.Tests))
			bar.Step(int64(b.ReadCounts.Tests), total)
		}
		var err error
		did, err = m.Briefs().Read(ctx, tests, &o)
		bar.End()
		a.model.Halted(m.Health().Model, 0)
		return briefFailure(a.Voice, err, did.ReadCounts.Tests)
	})
	if err != nil {
		return err
	}
	if len(files) > 0 && len(tests) == 0 && !a.JSON {
		return in.Err(len(tests) > 0) // the errors of single lines were printed before
	}
	out := briefedOf(a, &did, in, o.DryRun)
	if done, err := f.end(a, hand, &out.handed); done {
		return errors.Join(err, in.Err(len(tests) > 0))
	}
	err = a.Result(out, briefedLines(a, &out, f)...)
	if did.Left > 0 && out.Questions == nil {
		err = errors.Join(err, say.ErrRejected) // part of the input was not read
	}
	return errors.Join(err, in.Err(len(tests) > 0))
}

// briefFailure returns the sentence for a reading that did not complete.
func briefFailure(v *say.Voice, err error, done int) error {
	switch {
	case errors.Is(err, context.Canceled):
		return v.Fail(err, "interrupted after %d tests; what was read is kept; give the same command again to go on", done)
	case errors.Is(err, brief.ErrFull):
		return v.Fail(err, "there are more than %d tests; name those that will run", brief.MostTests)
	}
	return modelUnset(v, err)
}

func briefedOf(a *app, b *brief.ReadResult, in *input.RunFiles, dry bool) briefedJSON {
	out := briefedJSON{ReadResult: *b, Estimated: dry, Model: a.model.Now(), Rejected: in.Rejected}
	out.Refused = emptyNotNull(out.Refused)
	out.Unsaid = emptyNotNull(out.Unsaid)
	if dry {
		out.Cost = a.model.CostOf(b.Calls, 0, b.Usage)
	} else {
		out.Calls, out.Usage, out.Cost = out.Model.Calls, out.Model.Usage, out.Model.Cost
	}
	out.Tokens = out.Usage.InputTokens + out.Usage.OutputTokens
	return out
}

func briefedLines(a *app, b *briefedJSON, f *briefFlags) []string {
	p := a.Page()
	dry := f.o.DryRun
	switch {
	case b.Book.Tests == 0:
		p.Add(a.Say("No test was asked for or recorded in the last 30 days. Name a file of coming tests: " +
			"memtree brief tests.jsonl"))
	case b.Questions != nil:
		p.Add(f.written(a.Voice, *b.Questions))
	case b.Tests == 0:
		p.Add(a.Say("Nothing to read: of %d tests %d are read, and no memory is new for them.", b.Book.Tests, b.Book.Read))
	case dry:
		p.Add(a.Say("To read: %d tests with at most %d memories. Calls: %d, some %d tokens in, %d out; cost %s. "+
			"Nothing was asked.", b.Tests, b.Memories, b.Calls, b.Usage.InputTokens, b.Usage.OutputTokens,
			a.model.CostWords(a.model.CostOf(b.Calls, 0, b.Usage))))
	case b.ReadCounts.Tests > 0:
		p.Add(a.Say("Read: %d tests; something fits %d of them.", b.ReadCounts.Tests, b.Told))
		p.Add(a.Say("Known now: %d tests, %d of them read, %d with a memory.", b.Book.Tests, b.Book.Read, b.Book.Told))
	}
	if n := len(b.Refused); n > 0 {
		p.Add(a.Say("Picks of the model that were refused: %d", n))
		for _, s := range b.Refused[:min(n, input.ShownRejects)] {
			p.Item("  - ", text.Line(s))
		}
	}
	if n := len(b.Unsaid); n > 0 {
		p.Add(a.Say("Sentences of the model that were refused: %d; the memory's own are given.", n))
		for _, s := range b.Unsaid[:min(n, input.ShownRejects)] {
			p.Item("  - ", text.Line(s))
		}
	}
	if n := len(b.Unused); n > 0 {
		p.Add(a.Say("Answers that belong to no open question: %d. Tests or memories have changed since it was asked; "+
			"write the questions anew with --print.", n))
	}
	if b.Left > 0 && b.Questions == nil {
		p.Add(a.Say("Tests that were not read: %d (%s). Words find their memories until the next memtree brief.",
			b.Left, text.Line(b.Why)))
	}
	if !dry {
		for _, l := range a.model.Lines() {
			p.Add(l)
		}
	}
	return p.Lines
}
