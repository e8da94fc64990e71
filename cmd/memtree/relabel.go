package main

import (
	"context"
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/curation"
	"github.com/memtree/memtree/internal/cli/screen"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// relabelFlags are the flags of relabel, before they are parsed into a Truth.
type relabelFlags struct {
	truth, correct, reason, runs string
}

func (a *app) relabelCommand() *cobra.Command {
	o, f := curation.Options{}, relabelFlags{}
	c := &cobra.Command{
		Use:   "relabel EVALUATION --truth JSON",
		Short: a.say("Correct the truth of a judged run"),
		Long: a.say(`Corrects the ground truth of a run that was recorded, by its id or run id. If the agent was
right after all its case goes; if it was wrong after all a case appears; if it was wrong in another way the
case changes. Lessons that stood on the case are written anew, or go, when the tree evolves next, and risk
and effect learn the new truth. memtree undo takes it back.

What a run said is kept only in its case. To relabel one that was right, hand it in as it was recorded,
with --runs.`),
		Example: `  memtree relabel run-17/cart --truth '{"verdict":"pass"}'
  memtree relabel run-17/cart --truth '"fail"' --runs runs.jsonl`,
		Args: a.arguments(1, 1, a.say("the id of an evaluation")),
		RunE: func(c *cobra.Command, args []string) error {
			if f.truth == "" {
				return &usageError{a.say("say what was true with --truth, as JSON")}
			}
			return a.relabel(c.Context(), args[0], f, o)
		},
	}
	c.Flags().StringVar(&f.truth, "truth", "", a.say("what was true, any JSON"))
	c.Flags().StringVar(&f.correct, "correct", "", a.say("true or false: whether the agent was right, "+
		"where the two cannot be compared"))
	c.Flags().StringVar(&f.reason, "reason", "", a.say("what the evaluator says about it now"))
	c.Flags().StringVar(&f.runs, "runs", "", a.say("the file that the run was recorded from"))
	a.speaker(c, &o)
	a.over(c, &o)
	return c
}

func (a *app) relabel(ctx context.Context, id string, f relabelFlags, o curation.Options) error {
	truth := curation.Truth{GroundTruth: tree.Raw(f.truth), Reason: f.reason}
	if truth.GroundTruth.Check() != nil {
		return &usageError{a.say("--truth is %s, which is no JSON; a word takes quotes: '\"pass\"'", f.truth)}
	}
	switch f.correct {
	case "":
	case "true", "false":
		truth.Correct = new(f.correct == "true")
	default:
		return &usageError{a.say("--correct is %q; use true or false", f.correct)}
	}
	return a.with(ctx, writing, func(m *memtree.Memory) error {
		if err := m.Wait(ctx); err != nil {
			return err
		}
		was, err := m.Curation().Evaluation(ctx, id)
		if err != nil {
			return a.relabelRefused(id, err)
		}
		if f.runs != "" {
			if truth.Run, err = a.findRun(ctx, f.runs, was.Evaluation); err != nil {
				return err
			}
		}
		d, err := m.Curation().Relabel(ctx, was.Evaluation, truth, o)
		if err != nil {
			return a.relabelRefused(id, err)
		}
		return a.printRelabelled(m.Taxonomy(), &was, &d)
	})
}

// findRun finds an evaluation in a file of judged runs.
func (a *app) findRun(ctx context.Context, file, id string) (found *tree.Evaluation, err error) {
	in, err := a.intake([]string{file}, a.say("reading"))
	if err != nil {
		return nil, err
	}
	err = in.file(ctx, file, func(e *tree.Evaluation) error {
		if e.Identify(); e.Key() == id && found == nil {
			c := *e
			found = &c
		}
		return nil
	})
	in.bar.End()
	if err == nil && found == nil {
		err = &failure{a.say("there is no run %s in %s", id, file), nil}
	}
	return found, err
}

// relabelRefused returns the sentence for a refused label.
func (a *app) relabelRefused(id string, err error) error {
	var several *curation.SeveralError
	var unkept *curation.UnkeptError
	switch {
	case errors.As(err, &several):
		return &failure{a.say("several evaluations are named %s: %s; give the whole id", id,
			strings.Join(several.Evaluations, ", ")), err}
	case errors.As(err, &unkept):
		return &failure{a.say("what run %s said was not kept; name the file it was recorded from with --runs",
			unkept.Evaluation), err}
	case errors.Is(err, tree.ErrNotFound):
		return &failure{a.say("no evaluation or run is named %s, or it has not been formed yet", id), err}
	}
	return a.wordRefused(err)
}

func (a *app) printRelabelled(tax *taxonomy.Taxonomy, was *tree.Verdict, d *curation.Result) error {
	if a.json {
		return a.printJSON(d)
	}
	is := d.Verdict
	out := a.Wrap(a.Paint(screen.Bold, a.saidHead(tree.DecisionRelabel, is.Evaluation)))
	add := func(s string) { out = append(out, a.Wrap("  "+s)...) }
	add(a.say("it was %s; now it is %s", a.verdictName(was), a.verdictName(is)))
	for _, c := range d.Changes {
		switch {
		case c.Node.Forgotten():
			add(a.say("its case %s goes", c.Node.ID))
		case c.Op == tree.OpAdd:
			add(a.say("a case appears: %s", c.Node.ID))
		case c.Node.ID == is.Node:
			add(a.say("it is one more run of case %s", c.Node.ID))
		case c.Node.ID == was.Node:
			add(a.say("case %s stays: other runs made its mistake", c.Node.ID))
		}
	}
	return a.print(append(out, a.followsLines(tax, d)...)...)
}

// verdictName describes a verdict as right or wrong, with its direction.
func (a *app) verdictName(v *tree.Verdict) string {
	switch {
	case !v.Labelled:
		return a.say("of no known truth")
	case v.Correct:
		return a.say("right")
	case v.Direction == taxonomy.Other || v.Direction == taxonomy.None:
		return a.say("wrong")
	}
	return a.say("wrong (%s)", a.directionName(v.Direction))
}
