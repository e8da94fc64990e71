package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/assertion"
	"github.com/memtree/memtree/internal/cli/say"
	"github.com/memtree/memtree/internal/text"
)

// checkFormats are the values of --format.
var checkFormats = []string{"playwright", "aria", "json"}

func checksCommand(a *app) *cobra.Command {
	format := checkFormats[0]
	c := &cobra.Command{
		Use:  "checks --prompt TEXT [flags]",
		Args: arguments(a.Voice, 0, 0, a.Say("no arguments (the prompt goes after --prompt)")),
	}
	q := newQueryFlags(a.Voice, c)
	c.Flags().StringVar(&format, "format", format, a.Say("what to print: playwright, aria or json"))
	completes(c, "format", func() []string { return checkFormats })
	c.RunE = func(c *cobra.Command, _ []string) error {
		if !slices.Contains(checkFormats, format) {
			return a.Usage("--format is %q; use playwright, aria or json", format)
		}
		query, err := q.ask(c.Context(), a)
		if err != nil {
			return err
		}
		query.Lang = a.Lang
		if a.JSON {
			format = "json"
		}
		return runChecks(c.Context(), a, query, format)
	}
	return c
}

func runChecks(ctx context.Context, a *app, q memtree.Query, format string) error {
	all := []assertion.Assertion{}
	err := a.store.Read(ctx, func(m *memtree.Memory) (err error) {
		all, err = m.Checks(ctx, q)
		return err
	})
	if err != nil {
		return err
	}
	for i := range all {
		if all[i].Why != "" {
			all[i].Why = a.Tell(all[i].Why, nil)
		}
	}
	if format == "json" {
		return a.PrintJSON(map[string][]assertion.Assertion{"checks": all})
	}
	if len(all) == 0 {
		a.Note(a.Say("Nothing was missed here that can be checked so."))
		return nil
	}
	sign, code := "// ", func(c *assertion.Assertion) string { return c.Playwright }
	if format == "aria" {
		sign, code = "# ", func(c *assertion.Assertion) string { return c.ARIA }
	}
	for i := range all {
		if _, err := fmt.Fprint(a.Stdout, written(a.Voice, &all[i], sign, code(&all[i]))); err != nil {
			return err
		}
	}
	return nil
}

// written returns an assertion as code with a comment above it, or as comments alone if it has no code.
func written(v *say.Voice, c *assertion.Assertion, sign, code string) string {
	remark := text.Line(c.Says)
	if c.State != "" {
		remark += " [" + v.Tell(c.State, nil) + "]"
	}
	if code != "" {
		return sign + remark + "\n" + code + "\n"
	}
	why := cmp.Or(c.Why, v.Say("a template cannot say it"))
	return sign + remark + "\n" + sign + strings.Repeat(" ", 2) + v.Say("No code: %s", why) + "\n"
}
