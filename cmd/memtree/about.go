package main

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/memtree/memtree/brief"
	"github.com/memtree/memtree/curation"
	"github.com/memtree/memtree/internal/cli/say"
	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/tree"
)

func aboutCommand(a *app) *cobra.Command {
	o := curation.AboutOptions{}
	c := &cobra.Command{
		Use:               "about CASE",
		Args:              arguments(a.Voice, 1, 1, a.Say("the id of a case")),
		ValidArgsFunction: completeID(a),
		RunE:              func(c *cobra.Command, args []string) error { return runAbout(c.Context(), a, args[0], o) },
	}
	c.Flags().StringSliceVar(&o.Not, "not", nil, a.Say("a check that the case is not about; may be given again"))
	c.Flags().StringSliceVar(&o.Is, "is", nil, a.Say("a check that the case is about; may be given again"))
	speaker(a.Voice, c, &o.Options)
	over(a.Voice, c, &o.Options)
	return c
}

func runAbout(ctx context.Context, a *app, id string, o curation.AboutOptions) error {
	if len(o.Not)+len(o.Is) == 0 {
		return a.Usage("name a check with --not or --is")
	}
	return decide(ctx, a, id, o.Options,
		func(c *curation.Curation, ctx context.Context, id string, said curation.Options) (curation.DecisionResult, error) {
			o.Options = said
			return c.About(ctx, id, o)
		})
}

// aboutBefore returns a person's correction of which checks a case is about, as it was before an action.
func aboutBefore(act *ledger.Action, id string) tree.About {
	for i := range act.Before {
		if b := &act.Before[i]; b.ID == id && b.Case != nil && b.Case.About != nil {
			return *b.Case.About
		}
	}
	return tree.About{}
}

// aboutLine lists the checks that a correction newly includes or excludes, compared with the one before.
func aboutLine(v *say.Voice, was, now tree.About) string {
	fresh := func(list, old []string) string {
		known := func(s string) bool { return slices.Contains(old, s) }
		return strings.Join(slices.DeleteFunc(slices.Clone(list), known), ", ")
	}
	var out []string
	if not := fresh(now.Not, was.Not); not != "" {
		out = append(out, v.Say("not about %s", not))
	}
	if is := fresh(now.Is, was.Is); is != "" {
		out = append(out, v.Say("about %s", is))
	}
	return strings.Join(out, v.Say("; "))
}

// aboutDone describes what a correction changed, and lists the checks that the case is about now.
func aboutDone(v *say.Voice, d *curation.DecisionResult) string {
	n, now := &d.Changes[0].Node, tree.About{}
	if n.CaseData != nil && n.CaseData.About != nil {
		now = *n.CaseData.About
	}
	said := aboutLine(v, aboutBefore(&d.Action, n.ID), now)
	if checks := brief.Checks(n); len(checks) > 0 {
		return said + v.Say(". It is about %s now.", strings.Join(checks, ", "))
	}
	return said + v.Say(". It is about no known check now.")
}
