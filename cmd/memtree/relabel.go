package main

import (
	"context"
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/curation"
	"github.com/memtree/memtree/internal/cli/say"
	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// relabelFlags are the flags of relabel, before they are parsed into a Truth.
type relabelFlags struct {
	truth, correct, reason, runs string
}

func relabelCommand(a *app) *cobra.Command {
	o, f := curation.Options{}, relabelFlags{}
	c := &cobra.Command{
		Use:  "relabel EVALUATION --truth JSON",
		Args: arguments(a.Voice, 1, 1, a.Say("the id of an evaluation")),
		RunE: func(c *cobra.Command, args []string) error {
			if f.truth == "" {
				return a.Usage("say what was true with --truth, as JSON")
			}
			return runRelabel(c.Context(), a, args[0], f, o)
		},
	}
	c.Flags().StringVar(&f.truth, "truth", "", a.Say("what was true, any JSON"))
	c.Flags().StringVar(&f.correct, "correct", "", a.Say("true or false: whether the agent was right, "+
		"where the two cannot be compared"))
	c.Flags().StringVar(&f.reason, "reason", "", a.Say("what the evaluator says about it now"))
	c.Flags().StringVar(&f.runs, "runs", "", a.Say("the file that the run was recorded from"))
	speaker(a.Voice, c, &o)
	over(a.Voice, c, &o)
	return c
}

func runRelabel(ctx context.Context, a *app, id string, f relabelFlags, o curation.Options) error {
	truth := curation.Truth{GroundTruth: tree.Raw(f.truth), Reason: f.reason}
	if truth.GroundTruth.Check() != nil {
		return a.Usage("--truth is %s, which is no JSON; a word takes quotes: '\"pass\"'", f.truth)
	}
	switch f.correct {
	case "":
	case "true", "false":
		truth.Correct = new(f.correct == "true")
	default:
		return a.Usage("--correct is %q; use true or false", f.correct)
	}
	return a.store.Write(ctx, func(m *memtree.Memory) error {
		if err := m.Wait(ctx); err != nil {
			return err
		}
		was, err := m.Curation().Evaluation(ctx, id)
		if err != nil {
			return relabelFailure(a.Voice, id, err)
		}
		if f.runs != "" {
			if truth.Run, err = findRun(ctx, a, f.runs, was.Evaluation); err != nil {
				return err
			}
		}
		d, err := m.Curation().Relabel(ctx, was.Evaluation, truth, o)
		if err != nil {
			return relabelFailure(a.Voice, id, err)
		}
		return printRelabelled(a.Voice, m.Taxonomy(), &was, &d)
	})
}

// findRun finds an evaluation in a file of judged runs.
func findRun(ctx context.Context, a *app, file, id string) (found *tree.Evaluation, err error) {
	in, err := a.files.RunFiles([]string{file}, a.Say("reading"))
	if err != nil {
		return nil, err
	}
	err = in.File(ctx, file, func(e *tree.Evaluation) error {
		if e.Identify(); e.Key() == id && found == nil {
			c := *e
			found = &c
		}
		return nil
	})
	in.Bar.End()
	if err == nil && found == nil {
		err = a.Fail(nil, "there is no run %s in %s", id, file)
	}
	return found, err
}

// relabelFailure returns the sentence for a refused label.
func relabelFailure(v *say.Voice, id string, err error) error {
	var several *curation.SeveralError
	var unkept *curation.UnkeptError
	switch {
	case errors.As(err, &several):
		return v.Fail(err, "several evaluations are named %s: %s; give the whole id", id,
			strings.Join(several.Evaluations, ", "))
	case errors.As(err, &unkept):
		return v.Fail(err, "what run %s said was not kept; name the file it was recorded from with --runs, or, if it has "+
			"no label yet, record it again under the same id", unkept.Evaluation)
	case errors.Is(err, tree.ErrNotFound):
		return v.Fail(err, "no evaluation or run is named %s, or it has not been formed yet", id)
	}
	return decisionFailure(v, err)
}

func printRelabelled(v *say.Voice, tax *taxonomy.Taxonomy, was *ledger.Verdict, d *curation.DecisionResult) error {
	is := d.Verdict
	out := v.Wrap(v.Paint(say.Bold, v.Say("%s: %s", v.Names().Decision(tree.DecisionRelabel), is.Evaluation)))
	add := func(s string) { out = append(out, v.Wrap("  "+s)...) }
	add(v.Say("it was %s; now it is %s", v.Names().Verdict(was), v.Names().Verdict(is)))
	for _, c := range d.Changes {
		switch {
		case c.Node.Forgotten():
			add(v.Say("its case %s goes", c.Node.ID))
		case c.Op == tree.OpAdd:
			add(v.Say("a case appears: %s", c.Node.ID))
		case c.Node.ID == is.Node:
			add(v.Say("it is one more run of case %s", c.Node.ID))
		case c.Node.ID == was.Node:
			add(v.Say("case %s stays: other runs made its mistake", c.Node.ID))
		}
	}
	return v.Result(d, append(out, followsLines(v, tax, d)...)...)
}
