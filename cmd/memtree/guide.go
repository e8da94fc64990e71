package main

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/effect"
	"github.com/memtree/memtree/internal/text"
	"github.com/memtree/memtree/tree"
)

func (a *app) guideCommand() *cobra.Command {
	enhanced, share := false, 0.0
	c := &cobra.Command{
		Use:   "guide --prompt TEXT [flags]",
		Short: a.say("Print the guidance for a run that is about to start"),
		Long: a.say(`Prints a block of text to put after the agent's prompt: the few memories that fit, or
nothing at all when none does. Only the block goes to standard output; remarks go to standard error.

The answer has a trial id. Hand it back as "trial" with the judged run, and memory learns from the
outcome. With --run ID chance holds some runs out, so that memtree effect can say whether memory helps.`),
		Example: `  memtree guide --prompt "Check the order total" --route /orders/42
  memtree guide --prompt @prompt.txt --enhanced | my-agent
  memtree guide --prompt - --json < prompt.txt`,
		Args: a.arguments(0, 0, a.say("no arguments (the prompt goes after --prompt)")),
	}
	q := a.queryFlags(c)
	c.Flags().StringVar(&q.query.Trial, "trial", "", a.say("add to the trial of an earlier answer, "+
		"for a later step of its run"))
	c.Flags().IntVar(&q.query.StepNumber, "step-number", 0, a.say("number of the step, from 1"))
	c.Flags().Float64Var(&share, "holdout", 0, a.say("with --run: hold out this share of the runs, from 0 to 1, "+
		"in place of 0.2 of the first 200 and 0.05 of later ones"))
	c.Flags().BoolVar(&enhanced, "enhanced", false, a.say("print the prompt too, with the guidance after it"))
	c.RunE = func(c *cobra.Command, _ []string) error {
		query, err := q.ask(c.Context(), a)
		if err == nil && c.Flags().Changed("holdout") {
			err = a.holdOut(&query, share)
		}
		if err != nil {
			return err
		}
		return a.guide(c.Context(), query, enhanced)
	}
	return c
}

// holdOut sets the share of runs that are held out.
func (a *app) holdOut(q *memtree.Query, share float64) error {
	h := effect.Fixed(share)
	switch {
	case h.Check() != nil:
		return &usageError{a.say("--holdout is %g; give a share from 0 to 1, such as 0.2", share)}
	case q.RunID == "" && q.Trial == "":
		return &usageError{a.say("--holdout needs --run ID: chance decides about runs, not about questions")}
	}
	if warning := h.Warning().In(a.lang); warning != "" {
		a.note(warning)
	}
	q.Holdout = &h
	return nil
}

func (a *app) guide(ctx context.Context, q memtree.Query, enhanced bool) error {
	var g memtree.Guidance
	ask := func(m *memtree.Memory) (err error) {
		g, err = m.Guide(ctx, q)
		return err
	}
	if err := a.withOrRead(ctx, ask); err != nil {
		return err
	}
	switch {
	case a.json && enhanced:
		return a.printJSON(struct {
			memtree.Guidance
			Prompt string `json:"prompt"`
		}{g, g.Enhance(q.Prompt)})
	case a.json:
		return a.printJSON(g)
	}
	out := g.Text
	if enhanced {
		out = g.Enhance(q.Prompt)
	}
	if out != "" && !strings.HasSuffix(out, "\n") {
		out += "\n"
	}
	if _, err := io.WriteString(a.stdout, out); err != nil {
		return err
	}
	a.remarks(&g)
	return nil
}

// withOrRead opens the store for writing and calls do. If the store cannot be written, it opens the store for reading
// and calls do again. So guidance is available while another process writes, on a full disk, without permission to
// write, and from a damaged store.
func (a *app) withOrRead(ctx context.Context, do func(*memtree.Memory) error) error {
	err := a.with(ctx, asking, do)
	var locked *tree.LockedError
	var damaged *tree.CorruptError
	switch {
	case errors.As(err, &locked):
		a.note(a.say("Another process is writing to %s, so this only reads: the answer has no trial id.", a.store))
	case errors.As(err, &damaged): // reading the store reports the damage
	case errors.Is(err, tree.ErrFull), errors.Is(err, syscall.ENOSPC):
		a.note(a.say("The disk is full, so this only reads: the answer has no trial id."))
	case errors.Is(err, tree.ErrReadOnly), errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		a.note(a.say("%s cannot be written here, so this only reads: the answer has no trial id.", a.store))
	default:
		return err
	}
	return a.with(ctx, reading, do)
}

// remarks prints the notes that accompany guidance.
func (a *app) remarks(g *memtree.Guidance) {
	switch {
	case g.Withheld == effect.ByBreaker:
		a.note(a.say("A memory fits and is held back: memory did more harm than good. memtree effect says how sure " +
			"that is; after the next memtree evolve it is tried again."))
	case g.Withheld == effect.ByChance:
		a.note(a.say("A memory fits and is held back: chance holds this run out, so that runs with memory can be " +
			"compared with it (--holdout)."))
	case g.Arm == tree.ArmOther:
		a.note(a.say("These are other memories, drawn at random: chance made this run a control."))
	case g.Abstained:
		a.note(a.abstention(g))
	}
	if s := a.unformed(g.Unformed); s != "" {
		a.note(s)
	}
	if g.Note != "" {
		a.note(text.Line(g.Note))
	}
	if g.Trial != "" && (!g.Abstained || g.Withheld != "") {
		a.note(a.say(`Hand "trial": "%s" back with the judged run.`, g.Trial))
	}
}

// abstention explains that no memory is included, and why the nearest one is not.
func (a *app) abstention(g *memtree.Guidance) string {
	if near := g.Nearest; near != nil {
		return a.say("No memory fits. The nearest is %s (%s, %s). Why it is left out: %s. `memtree explain` says more.",
			short(near.ID), near.ErrorType, a.directionName(near.Direction), a.because(near.Sentence, near.Args))
	}
	if g.Unformed > 0 {
		return a.say("No memory fits.")
	}
	return a.say("No memory fits: none that is in use here has anything to do with this.")
}

// unformed reports that some recorded runs are no memories yet. It returns "" if there is none.
func (a *app) unformed(runs int) string {
	if runs == 0 {
		return ""
	}
	return a.say("Recorded and not looked at yet: %s. They are no memories so far; the next `memtree record` or "+
		"`memtree evolve` goes on with them.", a.runs(runs))
}

// unformedLines returns the sentence of unformed as lines of an answer.
func (a *app) unformedLines(runs int) []string {
	if runs == 0 {
		return nil
	}
	return a.Wrap(a.unformed(runs))
}

// short cuts an id for the screen; memtree show understands the short form.
func short(id string) string {
	const most = 10
	if len(id) > most {
		return id[:most]
	}
	return id
}
