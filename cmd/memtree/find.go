package main

import (
	"context"
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/curation"
	"github.com/memtree/memtree/find"
	"github.com/memtree/memtree/tree"
)

// findFlags adds those of the flags that select runs or memories that names lists.
func (a *app) findFlags(c *cobra.Command, q *find.Query, names ...string) {
	f := c.Flags()
	for _, name := range names {
		switch name {
		case "product":
			f.StringVar(&q.Product, name, "", a.say("only of this product"))
		case "suite":
			f.StringVar(&q.Suite, name, "", a.say("only of this suite"))
		case "run":
			f.StringVar(&q.Run, name, "", a.say("only of the run with this id"))
		case "since":
			f.StringVar(&q.Since, name, "", a.say("from this day on, UTC, such as 2026-01-28"))
		case "until":
			f.StringVar(&q.Until, name, "", a.say("up to this day, UTC"))
		case "direction":
			f.StringVar((*string)(&q.Direction), name, "", a.say("only this direction: false_pass, false_fail or other"))
		case "type":
			f.StringVar(&q.ErrorType, name, "", a.say("only this error type; of a run, that its test was misjudged so before"))
			completes(c, "type", a.errorTypes)
		case "above":
			f.Float64Var(&q.Above, name, 0, a.say("only verdicts at least this likely to be wrong, 0 to 1"))
		case "words":
			f.StringVar(&q.Words, name, "", a.say("only where each of these terms occurs"))
		}
	}
}

// checkFind reports which flag of a query is invalid.
func (a *app) checkFind(q *find.Query) error {
	var field *tree.FieldError
	if err := q.Check(); !errors.As(err, &field) {
		return err
	}
	switch field.Field {
	case "since", "until":
		return &usageError{a.say("--%s cannot be used; give days such as 2026-01-28, the first one in --since", field.Field)}
	case "direction":
		return &usageError{a.say("--direction is %q; use false_pass, false_fail or other", string(q.Direction))}
	case "above":
		return &usageError{a.say("--above is %v; use a number from 0 to 1", q.Above)}
	}
	return &usageError{a.say("--%s is longer than %d bytes", field.Field, find.MaxWords)}
}

// labelMany labels all matching runs as right or wrong, in one action.
func (a *app) labelMany(ctx context.Context, f *labelFlags) error {
	return a.with(ctx, writing, func(m *memtree.Memory) error {
		if err := m.Wait(ctx); err != nil {
			return err
		}
		waiting, err := m.Inbox().Waiting(ctx, f.query)
		if err != nil {
			return err
		}
		if len(waiting) > curation.MostLabels {
			return &failure{a.say("%d verdicts match, and %d can be labelled at once at most; choose fewer, such as those of "+
				"one product or day", len(waiting), curation.MostLabels), nil}
		}
		if ok, err := a.meantSo(f, len(waiting)); err != nil || !ok {
			return err
		}
		ids := make([]string, len(waiting))
		for i := range waiting {
			ids[i] = waiting[i].Evaluation.Key()
		}
		d, err := m.Curation().Label(ctx, ids, curation.Truth{Correct: new(f.as == "right"), Reason: f.note}, f.speaker)
		if err != nil {
			return a.wordRefused(err)
		}
		if a.json {
			return a.printJSON(&d)
		}
		out := a.Wrap(a.say("Labelled as %s: %d.", a.rightName(f.as == "right"), len(d.Verdicts)))
		if len(d.Decided) > 0 {
			out = append(out, a.Wrap(a.say("Decided meanwhile, and left as they are: %d.", len(d.Decided)))...)
		}
		if len(d.Verdicts) > 0 {
			out = append(out, a.Wrap(a.say("memtree undo %s takes all of it back.", d.Action.ID))...)
		}
		return a.print(out...)
	})
}

func (a *app) rightName(right bool) string {
	if right {
		return a.say("right")
	}
	return a.say("wrong")
}

// meantSo asks the user to confirm so many labels, unless --yes is set.
func (a *app) meantSo(f *labelFlags, n int) (bool, error) {
	if f.yes {
		return true, nil
	}
	if a.json {
		return false, &usageError{a.say("%d verdicts match; --yes labels them", n)}
	}
	s := &sitting{app: a, lines: scanLines(interruptible{context.Background(), a.stdin}), echo: !a.Live}
	said, err := s.ask(a.say("Label %d verdicts as %s? y or n", n, a.rightName(f.as == "right")))
	if err != nil {
		return false, &usageError{a.say("%d verdicts match; --yes labels them", n)}
	}
	return strings.EqualFold(said, "y") || strings.EqualFold(said, "yes"), nil
}
