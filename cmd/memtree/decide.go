package main

import (
	"context"
	"errors"
	"slices"

	"github.com/spf13/cobra"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/curation"
	"github.com/memtree/memtree/evolution"
	"github.com/memtree/memtree/internal/cli/say"
	"github.com/memtree/memtree/internal/text"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// This file has what the commands share by which a person decides on a memory or a fact.

// speaker adds the flags for who decides and why.
func speaker(v *say.Voice, c *cobra.Command, o *curation.Options) {
	c.Flags().StringVar(&o.Why, "why", "", v.Say("why, in one sentence; it is saved"))
	c.Flags().StringVar(&o.By, "by", "", v.Say("who decides; it is saved"))
}

// over adds the flag that allows a decision against another person's.
func over(v *say.Voice, c *cobra.Command, o *curation.Options) {
	c.Flags().BoolVar(&o.Over, "over", false, v.Say("decide although another person decided otherwise"))
}

// decisionCommand returns a command on one memory with the flags that all of them share.
func decisionCommand(a *app, use string, o *curation.Options, run func(*cobra.Command, string) error) *cobra.Command {
	c := &cobra.Command{
		Use:               use,
		Args:              arguments(a.Voice, 1, 1, a.Say("the id of a memory")),
		RunE:              func(c *cobra.Command, args []string) error { return run(c, args[0]) },
		ValidArgsFunction: completeID(a),
	}
	speaker(a.Voice, c, o)
	over(a.Voice, c, o)
	return c
}

// deciding is a way to decide on a memory or a fact.
type deciding = func(*curation.Curation, context.Context, string, curation.Options) (curation.DecisionResult, error)

// decide makes a decision on a memory and prints what follows from it.
func decide(ctx context.Context, a *app, id string, o curation.Options, on deciding) error {
	return a.store.WriteUnless(ctx, o.DryRun, func(m *memtree.Memory) error {
		n, err := findNode(ctx, a.Voice, m, id)
		if err != nil {
			return err
		}
		d, err := on(m.Curation(), ctx, n.ID, o)
		if err != nil {
			return decisionFailure(a.Voice, err)
		}
		if err := printDecision(a.Voice, m.Taxonomy(), &d, &n, o.DryRun); err != nil || !o.DryRun {
			return err
		}
		return a.Usage("nothing was changed; say --yes to do it")
	})
}

// decisionFailure returns the sentence for a decision that was refused.
func decisionFailure(v *say.Voice, err error) error {
	var r *curation.RefusedError
	if !errors.As(err, &r) {
		return err
	}
	switch r.Why {
	case curation.Already:
		return v.Fail(err, "%s: that was decided before, and nothing changed", r.ID)
	case curation.Uncontested:
		return v.Fail(err, "nothing contradicts %s, so there is nothing to settle; confirm it: memtree know confirm %s",
			r.ID, r.ID)
	case curation.Archived:
		return v.Fail(err, "%s is out of use (%s), and nothing changed", r.ID, text.Line(r.Now))
	case curation.Waiting:
		return v.Fail(err, "%s waits in quarantine; let it be used first: memtree promote %s", r.ID, r.ID)
	case curation.Purged:
		if r.Said == tree.DecisionTeach {
			return v.Fail(err, "this lesson was purged here (%s), and what was purged is not taken again; phrase it "+
				"differently", r.ID)
		}
		return v.Fail(err, "%s was purged: its bytes are gone, and that cannot be taken back", r.ID)
	case curation.Since:
		return v.Fail(err, "%s decided since: %s. Take that back first: memtree undo", v.Names().Who(r.By), decided(v, r))
	case curation.Theirs:
		return v.Fail(err, "%s decided: %s. Nothing was changed; --over decides all the same", v.Names().Who(r.By),
			decided(v, r))
	case curation.Several:
		return v.Fail(err, "%s is one of %d verdicts that were labelled together; memtree undo %s takes all of them back",
			r.ID, len(r.Labels), r.Now)
	case curation.Banned:
		if r.Said == tree.DecisionEdit {
			return v.Fail(err, "%s has the same advice, and %s banned or rejected it: %s Nothing was changed; memtree "+
				"undo %s takes that back, --over writes it all the same", r.ID, v.Names().Who(r.By), text.Line(r.Now), r.ID)
		}
		return v.Fail(err, "%s said the same, and %s banned or rejected it: %s Nothing was taught; memtree undo %s takes "+
			"that back", r.ID, v.Names().Who(r.By), text.Line(r.Now), r.ID)
	case curation.Alike:
		return v.Fail(err, "%s says the same: %s Word that one better (memtree edit %s), or teach it again with its own "+
			"words and more tests", r.ID, text.Line(r.Now), r.ID)
	case curation.Nothing:
		return v.Fail(err, "there is no decision of a person to take back")
	}
	return err
}

// decided describes that decision and its time.
func decided(v *say.Voice, r *curation.RefusedError) string {
	what := r.Now
	if len(r.Labels) == 1 {
		what = text.Append(r.Labels[0].Evaluation+":", v.Names().Verdict(&r.Labels[0]))
	}
	return dotted(what, r.At.UTC().Format("2006-01-02 15:04"))
}

// printDecision prints what a decision changed and what follows from it.
func printDecision(v *say.Voice, tax *taxonomy.Taxonomy, d *curation.DecisionResult, n *tree.Node, dry bool) error {
	head := v.Say("%s: %s", v.Names().Decision(d.Action.Kind), n.ID)
	if d.Action.Purged {
		head = v.Say("Purged: %s", n.ID)
	}
	if dry {
		head = v.Say("Would change (nothing was written): %s", head)
	}
	name := nameOf(v, tax, n)
	if d.Action.Kind == tree.DecisionAbout { // the correction may have changed its name
		name = aboutDone(v, d)
	}
	p := v.Page()
	p.Bold(head)
	p.Add("  " + text.Line(name))
	if d.Action.Purged {
		p.Raw(purgedLines(v, d)...)
	}
	return v.Result(d, append(p.Lines, followsLines(v, tax, d)...)...)
}

// purgedLines lists what a purge removes and what it cannot reach.
func purgedLines(v *say.Voice, d *curation.DecisionResult) []string {
	lessons := 0
	for _, c := range d.Changes {
		if c.Op == tree.OpArchive && c.Node.ID != d.Action.Node {
			lessons++
		}
	}
	return slices.Concat(
		v.Wrap(v.Say("Removed: its evidence and texts, from every file of the store, and what lessons said that were "+
			"written from it (%d). The search index is made anew; damaged bytes that were set aside are gone.",
			lessons)),
		v.Wrap(v.Say("Not reached: exports and backups elsewhere, the files it was recorded from, the history of git, and "+
			"other memories that say the same.")))
}

// followsLines lists the lessons that were derived from the changed memory, and what happens to them.
func followsLines(v *say.Voice, tax *taxonomy.Taxonomy, d *curation.DecisionResult) []string {
	if len(d.Stood) == 0 {
		return nil
	}
	p := v.Page()
	p.Add(v.Say("Lessons that stand on it: %d. They are written anew, or go, when the tree evolves next: "+
		"memtree evolve", len(d.Stood)))
	for i := range d.Stood {
		n := &d.Stood[i]
		line := "  " + n.ID + "  "
		p.Raw(line + text.Fit(text.Line(nameOf(v, tax, n)), v.Width-len(line)))
		switch {
		case !n.Kept():
		case stays(n):
			p.Raw("    " + v.Say("(stays: a person pinned or wrote it)"))
		default:
			p.Raw("    " + v.Say("(goes, though a person pinned or wrote it: too few of its cases are left)"))
		}
	}
	return p.Lines
}

// stays reports whether a lesson that a person pinned or wrote stays with the cases that it has now.
func stays(n *tree.Node) bool {
	left := 0
	for _, id := range n.Children {
		if !slices.Contains(n.Provenance.Lost, id) {
			left++
		}
	}
	return n.Type == tree.Strategy || evolution.Stays(n, left)
}
