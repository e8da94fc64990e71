package main

import (
	"context"
	"errors"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/effect"
	"github.com/memtree/memtree/enhance"
	"github.com/memtree/memtree/internal/cli/access"
	"github.com/memtree/memtree/internal/cli/say"
	"github.com/memtree/memtree/internal/text"
	"github.com/memtree/memtree/ledger"
)

func guideCommand(a *app) *cobra.Command {
	share := 0.0
	c := &cobra.Command{
		Use:  "guide --prompt TEXT [flags]",
		Args: arguments(a.Voice, 0, 0, a.Say("no arguments (the prompt goes after --prompt)")),
	}
	q := newQueryFlags(a.Voice, c)
	c.Flags().StringVar(&q.query.Trial, "trial", "", a.Say("add to the trial of an earlier answer, "+
		"for a later step of its run"))
	c.Flags().IntVar(&q.query.StepNumber, "step-number", 0, a.Say("number of the step, from 1"))
	c.Flags().Float64Var(&share, "holdout", 0, a.Say("with --run: hold out this share of the runs, from 0 to 1, "+
		"in place of 0.2 of the first 200 and 0.05 of later ones"))
	c.Flags().BoolVar(&q.enhanced, "enhanced", false, a.Say("print the prompt too, with the guidance after it"))
	c.RunE = func(c *cobra.Command, _ []string) error {
		query, err := q.ask(c.Context(), a)
		if err == nil && c.Flags().Changed("holdout") {
			err = holdOut(a.Voice, &query, share)
		}
		if err != nil {
			return err
		}
		if q.unseen != nil {
			a.Complain(a.Sentence(q.unseen))
		}
		return runGuide(c.Context(), a, query, q.enhanced)
	}
	return c
}

// holdOut sets the share of runs that are held out.
func holdOut(v *say.Voice, q *memtree.Query, share float64) error {
	h := effect.Fixed(share)
	switch {
	case h.Check() != nil:
		return v.Usage("--holdout is %g; give a share from 0 to 1, such as 0.2", share)
	case q.RunID == "" && q.Trial == "":
		return v.Usage("--holdout needs --run ID: chance decides about runs, not about questions")
	}
	if warning := h.Warning().In(v.Lang); warning != "" {
		v.Note(warning)
	}
	q.Holdout = &h
	return nil
}

// goesOn reports whether a run goes on with the bare prompt after an error: it is one of memory and not of the command
// line, nobody interrupted the command, and no other process has answered it.
func goesOn(ctx context.Context, err error) bool {
	var usage *say.UsageError
	var ran *access.RanElsewhere
	return ctx.Err() == nil && !errors.As(err, &usage) && !errors.As(err, &ran)
}

// runGuide prints guidance. With enhanced it prints the prompt whatever fails in memory, because an agent reads it.
func runGuide(ctx context.Context, a *app, q memtree.Query, enhanced bool) error {
	var g memtree.Guidance
	ask := func(m *memtree.Memory) (err error) {
		g, err = m.Guide(ctx, q)
		return err
	}
	err := a.store.WithOrRead(ctx, ask)
	failed := err != nil
	if failed {
		if !enhanced || !goesOn(ctx, err) {
			return err
		}
		g = memtree.Guidance{Abstained: true, Items: []enhance.Item{}, Note: a.Say(
			"memory failed, so this is the prompt without guidance: %s", a.Sentence(err))}
	}
	switch {
	case a.JSON && enhanced:
		return a.PrintJSON(struct {
			memtree.Guidance
			Prompt string `json:"prompt"`
		}{g, g.Enhance(q.Prompt)})
	case a.JSON:
		return a.PrintJSON(g)
	}
	out := g.Text
	if enhanced {
		out = g.Enhance(q.Prompt)
	}
	if out != "" && !strings.HasSuffix(out, "\n") {
		out += "\n"
	}
	if _, err := io.WriteString(a.Stdout, out); err != nil {
		return err
	}
	if failed {
		a.Complain(g.Note)
	} else {
		remarks(a.Voice, &g)
	}
	return nil
}

// remarks prints the notes that accompany guidance.
func remarks(v *say.Voice, g *memtree.Guidance) {
	switch {
	case g.Withheld == effect.ByBreaker:
		v.Note(v.Say("A memory fits and is held back: memory did more harm than good. memtree effect says how sure " +
			"that is; after the next memtree evolve it is tried again."))
	case g.Withheld == effect.ByChance:
		v.Note(v.Say("A memory fits and is held back: chance holds this run out, so that runs with memory can be " +
			"compared with it (--holdout)."))
	case g.Arm == ledger.ArmOther:
		v.Note(v.Say("These are other memories, drawn at random: chance made this run a control."))
	case g.Abstained:
		v.Note(abstention(v, g))
	}
	if s := unformed(v, g.Unformed); s != "" {
		v.Note(s)
	}
	if g.Note != "" {
		v.Note(text.Line(g.Note))
	}
	if g.Trial != "" && (!g.Abstained || g.Withheld != "") {
		v.Note(v.Say(`Hand "trial": "%s" back with the judged run.`, g.Trial))
	}
}

// abstention explains that no memory is included, and why the nearest one is not.
func abstention(v *say.Voice, g *memtree.Guidance) string {
	if near := g.Nearest; near != nil {
		return v.Say("No memory fits. The nearest is %s (%s, %s). Why it is left out: %s. `memtree explain` says more.",
			short(near.ID), near.ErrorType, v.DirectionName(near.Direction), v.Because(near.Sentence, near.Args))
	}
	if g.Unformed > 0 {
		return v.Say("No memory fits.")
	}
	return v.Say("No memory fits: none that is in use here has anything to do with this.")
}
