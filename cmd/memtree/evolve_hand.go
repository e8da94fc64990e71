package main

import (
	"context"

	"github.com/memtree/memtree"
)

// handedJSON is what evolve --print or --from did, as --json prints it.
type handedJSON struct {
	evolvedJSON
	Questions int      `json:"questions"` // still open
	Unused    []string `json:"unused"`    // ids of answers that match no open question
}

// evolveByHand evolves with the answers of a file, then writes the open questions to a file.
func (a *app) evolveByHand(ctx context.Context, o memtree.EvolveOptions, f *handFlags) error {
	hand, err := a.byHand(ctx, f)
	if err != nil {
		return err
	}
	how := writing
	if o.DryRun = o.DryRun || f.from == ""; o.DryRun {
		how = planning
	}
	o.Reader = hand
	out := handedJSON{}
	err = a.with(ctx, how, func(m *memtree.Memory) error {
		v, err := m.Evolve(ctx, &o)
		if err != nil {
			return a.interrupted(err, 0, 0)
		}
		out.evolvedJSON = a.evolvedJSON(&v, o.DryRun)
		if !a.json && !o.DryRun {
			return a.printEvolved(m.Taxonomy(), &v, &o)
		}
		return nil
	})
	if err != nil {
		return err
	}
	out.Questions, out.Unused = len(hand.Open()), append([]string{}, hand.Unused()...)
	if f.print != "" {
		if _, err := a.printQuestions(f.print, hand); err != nil || f.print == "-" {
			return err
		}
	}
	if a.json {
		return a.printJSON(out)
	}
	return a.printHanded(&out, f)
}

// printHanded prints how many questions are open.
func (a *app) printHanded(h *handedJSON, f *handFlags) error {
	line := a.say("Questions that are open: %d; write them to a file with --print.", h.Questions)
	switch {
	case h.Questions == 0:
		line = a.say("No question is open.")
	case f.print != "":
		line = a.say(
			"Questions written to %s: %d. Put the answers into a file, a line each: {\"id\": ..., \"answer\": {...}}, "+
				"and take them with --from.",
			f.print,
			h.Questions,
		)
	}
	out := a.Wrap(line)
	if n := len(h.Unused); n > 0 {
		out = append(
			out,
			a.Wrap(a.say("Answers that belong to no open question: %d. Runs or lessons have changed since it was "+
				"asked; write the questions anew with --print.", n))...)
	}
	return a.print(out...)
}
