package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/memtree/memtree/curation"
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
lists the checks of a case, docs/checks.md all there are. memtree undo takes it back.`),
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
		func(c *curation.Curation, ctx context.Context, id string, said curation.Options) (curation.Done, error) {
			o.Options = said
			return c.About(ctx, id, o)
		})
}
