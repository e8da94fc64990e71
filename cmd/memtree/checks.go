package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/assertion"
	"github.com/memtree/memtree/internal/text"
)

// checkFormats are the values of --format.
var checkFormats = []string{"playwright", "aria", "json"}

func (a *app) checksCommand() *cobra.Command {
	format := checkFormats[0]
	c := &cobra.Command{
		Use:   "checks --prompt TEXT [flags]",
		Short: a.say("Print what was missed on this page before as checks that a program can run"),
		Long: a.say(`Prints what was missed on this page, or in this test, as assertions: lines of TypeScript for
Playwright, templates for its toMatchAriaSnapshot, or JSON. A line fails on a page with the
miss and passes on one without it. Where that cannot be promised, there is a remark in place
of code, and the reason.

With --observation each is held against that page too: it holds, is broken, or is unknown.`),
		Example: `  memtree checks --prompt @task.txt --route /cart > cart.checks.ts
  memtree checks --prompt @task.txt --route /cart --observation now.yaml --json`,
		Args: a.arguments(0, 0, a.say("no arguments (the prompt goes after --prompt)")),
	}
	q := a.queryFlags(c)
	c.Flags().StringVar(&format, "format", format, a.say("what to print: playwright, aria or json"))
	completes(c, "format", func() []string { return checkFormats })
	c.RunE = func(c *cobra.Command, _ []string) error {
		if !slices.Contains(checkFormats, format) {
			return &usageError{a.say("--format is %q; use playwright, aria or json", format)}
		}
		query, err := q.ask(c.Context(), a)
		if err != nil {
			return err
		}
		query.Lang = a.lang
		if a.json {
			format = "json"
		}
		return a.checks(c.Context(), query, format)
	}
	return c
}

func (a *app) checks(ctx context.Context, q memtree.Query, format string) error {
	all := []assertion.Assertion{}
	err := a.with(ctx, reading, func(m *memtree.Memory) (err error) {
		all, err = m.Checks(ctx, q)
		return err
	})
	if err != nil {
		return err
	}
	for i := range all {
		if all[i].Why != "" {
			all[i].Why = a.tell(all[i].Why, nil)
		}
	}
	if format == "json" {
		return a.printJSON(struct {
			Checks []assertion.Assertion `json:"checks"`
		}{all})
	}
	if len(all) == 0 {
		a.note(a.say("Nothing was missed here that can be checked so."))
		return nil
	}
	sign, code := "// ", func(c *assertion.Assertion) string { return c.Playwright }
	if format == "aria" {
		sign, code = "# ", func(c *assertion.Assertion) string { return c.ARIA }
	}
	for i := range all {
		if _, err := fmt.Fprint(a.stdout, a.written(&all[i], sign, code(&all[i]))); err != nil {
			return err
		}
	}
	return nil
}

// written returns an assertion as code with a comment above it, or as comments alone if it has no code.
func (a *app) written(c *assertion.Assertion, sign, code string) string {
	remark := text.Line(c.Says)
	if c.State != "" {
		remark += " [" + a.tell(c.State, nil) + "]"
	}
	if code != "" {
		return sign + remark + "\n" + code + "\n"
	}
	why := c.Why
	if why == "" {
		why = a.say("a template cannot say it")
	}
	return sign + remark + "\n" + sign + strings.Repeat(" ", 2) + a.say("No code: %s", why) + "\n"
}
