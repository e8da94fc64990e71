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
	"github.com/memtree/memtree/tree"
)

func (a *app) guideCommand() *cobra.Command {
	enhanced := false
	c := &cobra.Command{
		Use:   "guide --prompt TEXT [flags]",
		Short: a.say("Print the guidance for a run that is about to start"),
		Long: a.say(`Prints a block of text to put after the agent's prompt: the few memories that fit, or
nothing at all when none does. Only the block goes to standard output; remarks go to standard error.

The answer has a trial id. Hand it back as "trial" with the judged run, and the ledger
keeps the two together.`),
		Example: `  memtree guide --prompt "Check the order total" --route /orders/42
  memtree guide --prompt @prompt.txt --enhanced | my-agent
  memtree guide --prompt - --json < prompt.txt`,
		Args: a.arguments(0, 0, a.say("no arguments (the prompt goes after --prompt)")),
	}
	q := a.queryFlags(c)
	c.Flags().StringVar(&q.query.Trial, "trial", "", a.say("add to the trial of an earlier answer, "+
		"for a later step of its run"))
	c.Flags().IntVar(&q.query.StepNumber, "step-number", 0, a.say("number of the step, from 1"))
	c.Flags().BoolVar(&enhanced, "enhanced", false, a.say("print the prompt too, with the guidance after it"))
	c.RunE = func(c *cobra.Command, _ []string) error {
		query, err := q.ask(c.Context(), a)
		if err != nil {
			return err
		}
		return a.guide(c.Context(), query, enhanced)
	}
	return c
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

// withOrRead opens the store for writing and calls do. If the store cannot be written, it
// opens the store for reading and calls do again: an answer can be given while another
// process writes, on a full disk, without permission to write, and from a damaged store.
func (a *app) withOrRead(ctx context.Context, do func(*memtree.Memory) error) error {
	err := a.with(ctx, asking, do)
	var locked *tree.LockedError
	var damaged *tree.CorruptError
	switch {
	case errors.As(err, &locked):
		a.note(a.say("Another process is writing to %s, so this only reads: the answer has no trial id.", a.store))
	case errors.As(err, &damaged): // reading the store says what is damaged
	case errors.Is(err, tree.ErrFull), errors.Is(err, syscall.ENOSPC):
		a.note(a.say("The disk is full, so this only reads: the answer has no trial id."))
	case errors.Is(err, tree.ErrReadOnly), errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		a.note(a.say("%s cannot be written here, so this only reads: the answer has no trial id.", a.store))
	default:
		return err
	}
	return a.with(ctx, reading, do)
}

// remarks prints what the user should know beside the guidance itself.
func (a *app) remarks(g *memtree.Guidance) {
	if g.Abstained {
		a.note(a.abstention(g))
	}
	if s := a.unformed(g.Unformed); s != "" {
		a.note(s)
	}
	if g.Note != "" {
		a.note(oneLine(g.Note))
	}
	if g.Trial != "" && !g.Abstained {
		a.note(a.say(`Hand "trial": "%s" back with the judged run.`, g.Trial))
	}
}

// abstention says that no memory is given, and why the nearest one is not.
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

// unformed says that some recorded runs are no memories yet. It returns "" if no run waits.
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
	return wrap(a.unformed(runs), a.width)
}

// short cuts an id for the screen; memtree show understands the short form.
func short(id string) string {
	const most = 10
	if len(id) > most {
		return id[:most]
	}
	return id
}
