package main

import (
	"context"
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/curation"
	"github.com/memtree/memtree/find"
	"github.com/memtree/memtree/internal/cli/input"
	"github.com/memtree/memtree/internal/cli/say"
	"github.com/memtree/memtree/internal/cli/store"
	"github.com/memtree/memtree/tree"
)

// findFlags adds those of the flags that select runs or memories that names lists.
func findFlags(v *say.Voice, c *cobra.Command, q *find.Query, names ...string) {
	f := c.Flags()
	for _, name := range names {
		switch name {
		case "product":
			f.StringVar(&q.Product, name, "", v.Say("only of this product"))
		case "suite":
			f.StringVar(&q.Suite, name, "", v.Say("only of this suite"))
		case "run":
			f.StringVar(&q.Run, name, "", v.Say("only of the run with this id"))
		case "since":
			f.StringVar(&q.Since, name, "", v.Say("from this day on, UTC, such as 2026-01-28"))
		case "until":
			f.StringVar(&q.Until, name, "", v.Say("up to this day, UTC"))
		case "direction":
			f.StringVar((*string)(&q.Direction), name, "", v.Say("only this direction: false_pass, false_fail or other"))
		case "type":
			f.StringVar(&q.ErrorType, name, "", v.Say("only this error type; of a run, that its test was misjudged so before"))
			completes(c, "type", errorTypes(v))
		case "above":
			f.Float64Var(&q.Above, name, 0, v.Say("only verdicts at least this likely to be wrong, 0 to 1"))
		case "words":
			f.StringVar(&q.Words, name, "", v.Say("only where each of these terms occurs"))
		}
	}
}

// checkFind reports which flag of a query is invalid.
func checkFind(v *say.Voice, q *find.Query) error {
	var field *tree.FieldError
	if err := q.Check(); !errors.As(err, &field) {
		return err
	}
	switch field.Field {
	case "since", "until":
		return v.Usage("--%s cannot be used; give days such as 2026-01-28, the first one in --since", field.Field)
	case "direction":
		return v.Usage("--direction is %q; use false_pass, false_fail or other", string(q.Direction))
	case "above":
		return v.Usage("--above is %v; use a number from 0 to 1", q.Above)
	}
	return v.Usage("--%s is longer than %d bytes", field.Field, find.MaxWords)
}

// labelMany labels all matching runs as right or wrong, in one action.
func labelMany(ctx context.Context, a *app, f *labelFlags) error {
	return a.store.With(ctx, store.Writing, func(m *memtree.Memory) error {
		if err := m.Wait(ctx); err != nil {
			return err
		}
		waiting, err := m.Inbox().Waiting(ctx, f.query)
		if err != nil {
			return err
		}
		if len(waiting) > curation.MostLabels {
			return a.Fail(nil, "%d verdicts match, and %d can be labelled at once at most; choose fewer, such as those of "+
				"one product or day", len(waiting), curation.MostLabels)
		}
		if ok, err := meantSo(a, f, len(waiting)); err != nil || !ok {
			return err
		}
		ids := make([]string, len(waiting))
		for i := range waiting {
			ids[i] = waiting[i].Evaluation.Key()
		}
		d, err := m.Curation().Label(ctx, ids, curation.Truth{Correct: new(f.as == "right"), Reason: f.note}, f.speaker)
		if err != nil {
			return wordRefused(a.Voice, err)
		}
		if a.JSON {
			return a.PrintJSON(&d)
		}
		out := a.Wrap(a.Say("Labelled as %s: %d.", rightName(a.Voice, f.as == "right"), len(d.Verdicts)))
		if len(d.Decided) > 0 {
			out = append(out, a.Wrap(a.Say("Decided meanwhile, and left as they are: %d.", len(d.Decided)))...)
		}
		if len(d.Verdicts) > 0 {
			out = append(out, a.Wrap(a.Say("memtree undo %s takes all of it back.", d.Action.ID))...)
		}
		return a.Print(out...)
	})
}

func rightName(v *say.Voice, right bool) string {
	if right {
		return v.Say("right")
	}
	return v.Say("wrong")
}

// meantSo asks the user to confirm so many labels, unless --yes is set.
func meantSo(a *app, f *labelFlags, n int) (bool, error) {
	if f.yes {
		return true, nil
	}
	if a.JSON {
		return false, a.Usage("%d verdicts match; --yes labels them", n)
	}
	s := &sitting{app: a, lines: scanLines(input.Until(context.Background(), a.Stdin)), echo: !a.Live}
	said, err := s.ask(a.Say("Label %d verdicts as %s? y or n", n, rightName(a.Voice, f.as == "right")))
	if err != nil {
		return false, a.Usage("%d verdicts match; --yes labels them", n)
	}
	return strings.EqualFold(said, "y") || strings.EqualFold(said, "yes"), nil
}
