package main

import (
	"context"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/internal/cli/say"
	"github.com/memtree/memtree/internal/cli/store"
)

// handedJSON is what evolve --print or --from did, as --json prints it.
type handedJSON struct {
	evolvedJSON
	Questions int      `json:"questions"` // still open
	Unused    []string `json:"unused"`    // ids of answers that match no open question
}

// evolveByHand evolves with the answers of a file, then writes the open questions to a file.
func evolveByHand(ctx context.Context, a *app, o memtree.EvolveOptions, f *handFlags) error {
	hand, err := byHand(ctx, a, f)
	if err != nil {
		return err
	}
	how := store.Writing
	if o.DryRun = o.DryRun || f.from == ""; o.DryRun {
		how = store.Planning
	}
	o.Reader = hand
	out := handedJSON{}
	err = a.store.With(ctx, how, func(m *memtree.Memory) error {
		v, err := m.Evolve(ctx, &o)
		if err != nil {
			return interrupted(a.Voice, err, 0, 0)
		}
		out.evolvedJSON = evolvedOf(a, &v, o.DryRun)
		if !a.JSON && !o.DryRun {
			return printEvolved(a, m.Taxonomy(), &v, &o)
		}
		return nil
	})
	if err != nil {
		return err
	}
	out.Questions, out.Unused = len(hand.Open()), append([]string{}, hand.Unused()...)
	if f.print != "" {
		if _, err := printQuestions(a, f.print, hand); err != nil || f.print == "-" {
			return err
		}
	}
	if a.JSON {
		return a.PrintJSON(out)
	}
	return printHanded(a.Voice, &out, f)
}

// printHanded prints how many questions are open.
func printHanded(v *say.Voice, h *handedJSON, f *handFlags) error {
	line := v.Say("Questions that are open: %d; write them to a file with --print.", h.Questions)
	switch {
	case h.Questions == 0:
		line = v.Say("No question is open.")
	case f.print != "":
		line = v.Say(
			"Questions written to %s: %d. Put the answers into a file, a line each: {\"id\": ..., \"answer\": {...}}, "+
				"and take them with --from.",
			f.print,
			h.Questions,
		)
	}
	out := v.Wrap(line)
	if n := len(h.Unused); n > 0 {
		out = append(
			out,
			v.Wrap(v.Say("Answers that belong to no open question: %d. Runs or lessons have changed since it was "+
				"asked; write the questions anew with --print.", n))...)
	}
	return v.Print(out...)
}
