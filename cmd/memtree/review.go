package main

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/evolution"
	"github.com/memtree/memtree/internal/cli/say"
	"github.com/memtree/memtree/internal/text"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

func reviewCommand(a *app) *cobra.Command {
	var accept, reject []string
	by, why := "", ""
	c := &cobra.Command{
		Use: "review [flags]",
		RunE: func(c *cobra.Command, _ []string) error {
			if len(reject) > 0 && strings.TrimSpace(why) == "" {
				return a.Usage("say why with --why: a rejection is kept with its reason")
			}
			return runReview(c.Context(), a, accept, reject, by, why)
		},
	}
	f := c.Flags()
	f.StringSliceVar(&accept, "accept", nil, a.Say("accept the lesson with this key, or all; may be given again"))
	f.StringSliceVar(&reject, "reject", nil, a.Say("reject the lesson with this key, or all; may be given again"))
	f.StringVar(&why, "why", "", a.Say("why it is rejected, a sentence"))
	f.StringVar(&by, "by", "", a.Say("who decides; it is saved"))
	return c
}

func runReview(ctx context.Context, a *app, accept, reject []string, by, why string) error {
	look := len(accept)+len(reject) == 0
	return a.store.WriteOrPlan(ctx, look, func(m *memtree.Memory) error {
		all, err := m.Review().Proposals(ctx)
		if err != nil {
			return err
		}
		if look {
			return a.Result(all, proposalsLines(a.Voice, m.Taxonomy(), all)...)
		}
		yes, err := proposalKeys(a.Voice, all, accept)
		if err != nil {
			return err
		}
		no, err := proposalKeys(a.Voice, all, reject)
		if err != nil {
			return err
		}
		v, err := m.Review().Decide(ctx, evolution.ReviewDecision{Accept: yes, Reject: no, By: by, Why: why})
		if err != nil {
			return err
		}
		return a.Result(v, decidedLines(a.Voice, m.Taxonomy(), &v, len(no))...)
	})
}

// proposalKeys returns the keys of the proposals that match the prefixes of the user.
func proposalKeys(v *say.Voice, all []evolution.Proposal, begun []string) ([]string, error) {
	var out []string
	for _, b := range begun {
		var found []string
		for _, p := range all {
			if b == "all" || strings.HasPrefix(p.Key, b) {
				found = append(found, p.Key)
			}
		}
		switch {
		case len(found) == 0:
			return nil, v.Fail(nil, "no lesson that waits has a key that begins with %s; memtree review lists them", b)
		case len(found) > 1 && b != "all":
			return nil, v.Fail(nil, "several keys begin with %s: %s; give more of it", b, strings.Join(found, ", "))
		}
		out = append(out, found...)
	}
	return out, nil
}

func proposalsLines(v *say.Voice, tax *taxonomy.Taxonomy, all []evolution.Proposal) []string {
	if len(all) == 0 {
		return v.Wrap(v.Say("No lesson waits. memtree evolve --review writes some when there are enough cases."))
	}
	out := v.Page()
	out.Bold(v.Say("Lessons that wait for your decision: %d", len(all)))
	for _, p := range all {
		why := v.Say("%d cases of %d tests missed the same check", len(p.Node.Children), p.Tests)
		switch {
		case p.Replaces == nil && p.Node.Type == tree.Strategy:
			why = grounds(v, &p.Node)
		case p.Replaces != nil:
			why = v.Say("would replace what %s says now: %s", p.Replaces.ID, text.Line(p.Replaces.Content.Guidance))
		}
		lines := lessonLines(v, tax, &p.Node, why)
		out.Raw(lines[0], v.Paint(say.Bold, p.Key))
		out.Raw(lines[1:]...)
	}
	out.Add("", v.Say("Next: memtree review --accept KEY, or --reject KEY --why \"...\"; all stands for every key."))
	return out.Lines
}

func decidedLines(v *say.Voice, tax *taxonomy.Taxonomy, x *evolution.Evolved, rejected int) []string {
	l, changed := countChanges(x)
	p := v.Page()
	p.Add(v.Say("New experiences: %d, new strategies: %d, written anew: %d. Rejected: %d.",
		l.experiences, l.strategies, l.revised, rejected))
	for _, c := range changed {
		p.Raw(changeLines(v, tax, &c)...)
	}
	if n := len(x.Proposals()); n > 0 {
		p.Add("")
		p.Raw(v.Say("Lessons that wait for your decision: %d; read them with memtree review.", n))
	}
	return p.Lines
}
