package main

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/memtree/memtree/brief"
	"github.com/memtree/memtree/curation"
	"github.com/memtree/memtree/tree"
)

func (a *app) aboutCommand() *cobra.Command {
	o := curation.AboutOptions{}
	c := &cobra.Command{
		Use:   "about CASE",
		Short: a.say("Say which checks a case is about, and which not"),
		Long: a.say(`Corrects what was read from a wrong judgement: which checks were missed in it. From then on
the case says nothing of a check named with --not, and counts for one named with --is; what people wrote of
the run stays, and no model reads the case again. Lessons that stand on it are written anew, or go, when the
tree evolves next; one that would be left with too few cases is not given until then. memtree show CASE
lists the checks of a case, docs/checks.md those of the catalogue. memtree undo takes it back.`),
		Example: "  memtree about c_fhb3x2 --not reload\n" +
			"  memtree about c_fhb3x2 --not reload --is recompute --why \"a wrong sum\"",
		Args:              a.arguments(1, 1, a.say("the id of a case")),
		ValidArgsFunction: a.completeID,
		RunE:              func(c *cobra.Command, args []string) error { return a.about(c.Context(), args[0], o) },
	}
	c.Flags().StringSliceVar(&o.Not, "not", nil, a.say("a check that the case is not about; may be given again"))
	c.Flags().StringSliceVar(&o.Is, "is", nil, a.say("a check that the case is about; may be given again"))
	a.speaker(c, &o.Options)
	a.over(c, &o.Options)
	return c
}

func (a *app) about(ctx context.Context, id string, o curation.AboutOptions) error {
	if len(o.Not)+len(o.Is) == 0 {
		return &usageError{a.say("name a check with --not or --is")}
	}
	return a.word(ctx, id, o.Options,
		func(c *curation.Curation, ctx context.Context, id string, said curation.Options) (curation.Result, error) {
			o.Options = said
			return c.About(ctx, id, o)
		})
}

// aboutBefore returns a person's correction of which checks a case is about, as it was before an action.
func aboutBefore(act *tree.Action, id string) tree.About {
	for i := range act.Before {
		if b := &act.Before[i]; b.ID == id && b.Case != nil && b.Case.About != nil {
			return *b.Case.About
		}
	}
	return tree.About{}
}

// aboutLine lists the checks that a correction newly includes or excludes, compared with the one before.
func (a *app) aboutLine(was, now tree.About) string {
	fresh := func(list, old []string) string {
		known := func(s string) bool { return slices.Contains(old, s) }
		return strings.Join(slices.DeleteFunc(slices.Clone(list), known), ", ")
	}
	var out []string
	if not := fresh(now.Not, was.Not); not != "" {
		out = append(out, a.say("not about %s", not))
	}
	if is := fresh(now.Is, was.Is); is != "" {
		out = append(out, a.say("about %s", is))
	}
	return strings.Join(out, a.say("; "))
}

// aboutDone describes what a correction changed, and lists the checks that the case is about now.
func (a *app) aboutDone(d *curation.Result) string {
	n, now := &d.Changes[0].Node, tree.About{}
	if n.CaseData != nil && n.CaseData.About != nil {
		now = *n.CaseData.About
	}
	said := a.aboutLine(aboutBefore(&d.Action, n.ID), now)
	if checks := brief.Checks(n); len(checks) > 0 {
		return said + a.say(". It is about %s now.", strings.Join(checks, ", "))
	}
	return said + a.say(". It is about no known check now.")
}
