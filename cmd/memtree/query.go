package main

import (
	"context"
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/find"
	"github.com/memtree/memtree/internal/cli/say"
	"github.com/memtree/memtree/tree"
)

// queryFlags are the flags that guide and explain share.
type queryFlags struct {
	prompt, observation string
	query               memtree.Query
	// enhanced is that the prompt is printed whatever memory can do with it. A prompt that no memory can be found for is
	// no mistake then, nor is an observation that cannot be read: unseen is why not.
	enhanced bool
	unseen   error
}

// mostPrinted limits the prompts that guide --enhanced prints.
const mostPrinted = 64 << 20

func newQueryFlags(v *say.Voice, c *cobra.Command) *queryFlags {
	q := &queryFlags{}
	f := c.Flags()
	f.StringVar(&q.prompt, "prompt", "", v.Say("what the agent will be asked: the text, @FILE to read it from a "+
		"file, or - for standard input"))
	f.StringVar(&q.query.Scene.ID, "scene", "", v.Say("id of the scene"))
	f.StringVar(&q.query.Scene.Type, "scene-type", "", v.Say("type of the scene, such as form, list or modal"))
	f.StringVar(&q.query.Scene.Route, "route", "", v.Say("route of the page, such as /orders/42"))
	f.StringVar(&q.query.Scope.Product, "product", "", v.Say("product under test"))
	f.StringVar(&q.query.Scope.Suite, "suite", "", v.Say("suite the test belongs to"))
	f.StringSliceVar(&q.query.Scope.SuiteTests, "suite-tests", nil,
		v.Say("all tests of the suite in order, with commas between"))
	f.StringVar(&q.query.Scope.Build, "build", "", v.Say("version or hash of what is tested; "+
		"what was found on the very same one is told"))
	f.IntVar(&q.query.Scope.Position, "position", 0, v.Say("place of the test in the suite, from 0"))
	f.StringVar(&q.query.Scope.Test, "test", "", v.Say("id of the test"))
	f.BoolVar(&q.query.Findings, "findings", false, v.Say("tell what was found before too, on whichever build"))
	f.StringVar(&q.query.Step, "step", "", v.Say("the step the agent is about to take, within a run"))
	f.StringVar(&q.observation, "observation", "", v.Say("what can be seen now: a file with an ARIA snapshot or the "+
		"page's text, or - for standard input"))
	f.StringVar(&q.query.RunID, "run", "", v.Say("id of the run, for the ledger"))
	f.StringSliceVar(&q.query.ExcludeTests, "exclude-test", nil, v.Say("use no memory of this test; may be given again"))
	completes(c, "scene-type", sceneTypes(v))
	return q
}

// ask builds the query of the flags.
func (q *queryFlags) ask(ctx context.Context, a *app) (memtree.Query, error) {
	if q.prompt == "" {
		return memtree.Query{}, a.Usage("say what the agent will be asked: --prompt TEXT, --prompt @FILE, " +
			"or --prompt - for standard input")
	}
	out := q.query
	var err error
	if q.prompt == "-" && q.observation == "-" {
		return out, a.Usage("only one of --prompt and --observation can be standard input")
	}
	if out.Prompt, err = q.promptText(ctx, a); err != nil {
		return out, err
	}
	if out.Observation, err = observationText(ctx, a, q.observation); err != nil && !q.enhanced {
		return out, err
	}
	q.unseen = err
	switch {
	case strings.TrimSpace(out.Prompt) == "":
		return out, a.Usage("the prompt is empty")
	case !utf8.ValidString(out.Prompt) && !q.enhanced:
		return out, a.Fail(nil, "the prompt is not UTF-8; save it as UTF-8")
	case out.Scope.Position < 0 || out.Scope.Position > 0 && out.Scope.Position >= len(out.Scope.SuiteTests):
		return out, a.Usage("--position is %d; it is the place in --suite-tests, from 0", out.Scope.Position)
	}
	return out, nil
}

// promptText returns the prompt: the text itself, or the content of a file or of standard
// input. It changes no byte and keeps the last line break.
func (q *queryFlags) promptText(ctx context.Context, a *app) (string, error) {
	arg, most := q.prompt, int64(tree.MaxField)
	if q.enhanced {
		most = mostPrinted
	}
	path, isFile := strings.CutPrefix(arg, "@")
	switch {
	case arg == "-" || isFile:
		return a.files.Text(ctx, path, most)
	case int64(len(arg)) > most:
		return "", a.Fail(nil, "the prompt is longer than %s, which is the most", say.Bytes(tree.MaxField))
	}
	return arg, nil
}

// observationText reads the observation. It returns "" if --observation is not set.
func observationText(ctx context.Context, a *app, path string) (string, error) {
	if path == "" {
		return "", nil
	}
	s, err := a.files.Text(ctx, strings.TrimPrefix(path, "@"), tree.MaxField)
	if err == nil && !utf8.ValidString(s) {
		err = a.Fail(nil, "the observation is not UTF-8; save it as UTF-8")
	}
	return s, err
}

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

// noTime is the mistake of a flag that is neither a day nor a time.
func noTime(v *say.Voice, flag, given string) error {
	return v.Usage("--%s is %q; use a day such as 2026-01-28, or a time such as 2026-01-28T08:00:00Z", flag, given)
}

// choices lists the values of a flag.
func choices[S ~string](all []S) string {
	out := make([]string, len(all))
	for i, one := range all {
		out[i] = string(one)
	}
	return strings.Join(out, ", ")
}

// checkFind reports which flag of a query is invalid.
func checkFind(v *say.Voice, q *find.Query) error {
	var field *tree.FieldError
	if err := q.Check(); !errors.As(err, &field) {
		return err
	}
	switch field.Field {
	case "since", "until":
		given := map[string]string{"since": q.Since, "until": q.Until}[field.Field]
		if _, _, err := find.ParseTime(field.Field, given); err != nil {
			return noTime(v, field.Field, given)
		}
		return v.Usage("--until is before --since; exchange the two")
	case "direction":
		return v.Usage("--direction is %q; use false_pass, false_fail or other", string(q.Direction))
	case "above":
		return v.Usage("--above is %v; use a number from 0 to 1", q.Above)
	}
	return v.Usage("--%s is longer than %d bytes", field.Field, find.MaxWords)
}
