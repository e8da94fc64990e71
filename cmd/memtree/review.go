package main

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/evolution"
	"github.com/memtree/memtree/internal/cli/screen"
	"github.com/memtree/memtree/internal/text"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

func (a *app) reviewCommand() *cobra.Command {
	var accept, reject []string
	by, why := "", ""
	c := &cobra.Command{
		Use:   "review [flags]",
		Short: a.say("Read the lessons that wait for a person, accept or reject them"),
		Long: a.say(`Prints the lessons that memtree evolve --review wrote: what each says, which cases stand
behind it, and what it would replace. An accepted one goes into the tree at once. A rejected one is
kept with your reason (memtree show --rejected): neither it nor its sentence comes back, and its cases do not
say its check. memtree undo takes that back. The beginning of a key is enough.

Without a word on it a lesson waits; its cases stay in use. memtree evolve without --review takes
all that waits.`),
		Example: `  memtree review
  memtree review --accept j_fhb3x2
  memtree review --accept all
  memtree review --reject j_fhb3x2 --why "two causes in one"`,
		Args: a.arguments(0, 0, a.say("no arguments")),
		RunE: func(c *cobra.Command, _ []string) error {
			if len(reject) > 0 && strings.TrimSpace(why) == "" {
				return &usageError{a.say("say why with --why: a rejection is kept with its reason")}
			}
			return a.review(c.Context(), accept, reject, by, why)
		},
	}
	f := c.Flags()
	f.StringSliceVar(&accept, "accept", nil, a.say("accept the lesson with this key, or all; may be given again"))
	f.StringSliceVar(&reject, "reject", nil, a.say("reject the lesson with this key, or all; may be given again"))
	f.StringVar(&why, "why", "", a.say("why it is rejected, a sentence"))
	f.StringVar(&by, "by", "", a.say("who decides; it is saved"))
	return c
}

func (a *app) review(ctx context.Context, accept, reject []string, by, why string) error {
	how := planning
	if len(accept)+len(reject) > 0 {
		how = writing
	}
	return a.with(ctx, how, func(m *memtree.Memory) error {
		all, err := m.Review().Proposals(ctx)
		if err != nil {
			return err
		}
		if len(accept)+len(reject) == 0 {
			if a.json {
				return a.printJSON(all)
			}
			return a.printProposals(m.Taxonomy(), all)
		}
		yes, err := a.keys(all, accept)
		if err != nil {
			return err
		}
		no, err := a.keys(all, reject)
		if err != nil {
			return err
		}
		v, err := m.Review().Decide(ctx, evolution.Decision{Accept: yes, Reject: no, By: by, Why: why})
		if err != nil {
			return err
		}
		if a.json {
			return a.printJSON(v)
		}
		return a.printDecided(m.Taxonomy(), &v, len(no))
	})
}

// keys returns the keys of the proposals that match the prefixes of the user.
func (a *app) keys(all []evolution.Proposal, begun []string) ([]string, error) {
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
			return nil, &failure{a.say("no lesson that waits has a key that begins with %s; memtree review lists them", b), nil}
		case len(found) > 1 && b != "all":
			return nil, &failure{a.say("several keys begin with %s: %s; give more of it", b, strings.Join(found, ", ")), nil}
		}
		out = append(out, found...)
	}
	return out, nil
}

func (a *app) printProposals(tax *taxonomy.Taxonomy, all []evolution.Proposal) error {
	if len(all) == 0 {
		return a.print(a.Wrap(a.say("No lesson waits. memtree evolve --review writes some when " +
			"there are enough cases."))...)
	}
	out := []string{a.Paint(screen.Bold, a.say("Lessons that wait for your decision: %d", len(all)))}
	for _, p := range all {
		why := a.say("%d cases of %d tests missed the same check", len(p.Node.Children), p.Tests)
		switch {
		case p.Replaces == nil && p.Node.Type == tree.Strategy:
			why = a.grounds(&p.Node)
		case p.Replaces != nil:
			why = a.say("would replace what %s says now: %s", p.Replaces.ID, text.Line(p.Replaces.Content.Guidance))
		}
		lines := a.lessonLines(tax, &p.Node, why)
		out = append(out, lines[0], a.Paint(screen.Bold, p.Key))
		out = append(out, lines[1:]...)
	}
	out = append(append(out, ""), a.Wrap(a.say("Next: memtree review --accept KEY, or --reject KEY --why \"...\"; "+
		"all stands for every key."))...)
	return a.print(out...)
}

func (a *app) printDecided(tax *taxonomy.Taxonomy, v *evolution.Evolved, rejected int) error {
	l, changed := countChanges(v)
	out := a.Wrap(a.say("New experiences: %d, new strategies: %d, written anew: %d. Rejected: %d.",
		l.experiences, l.strategies, l.revised, rejected))
	for _, c := range changed {
		out = append(out, a.changeLines(tax, &c)...)
	}
	if n := len(v.Proposals()); n > 0 {
		out = append(out, "", a.say("Lessons that wait for your decision: %d; read them with memtree review.", n))
	}
	return a.print(out...)
}
