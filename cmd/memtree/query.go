package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/internal/cli/screen"
	"github.com/memtree/memtree/tree"
)

// queryFlags are the flags that guide and explain share.
type queryFlags struct {
	prompt, observation string
	query               memtree.Query
}

func (a *app) queryFlags(c *cobra.Command) *queryFlags {
	q := &queryFlags{}
	f := c.Flags()
	f.StringVar(&q.prompt, "prompt", "", a.say("what the agent will be asked: the text, @FILE to read it from a "+
		"file, or - for standard input"))
	f.StringVar(&q.query.Scene.ID, "scene", "", a.say("id of the scene"))
	f.StringVar(&q.query.Scene.Type, "scene-type", "", a.say("type of the scene, such as form, list or modal"))
	f.StringVar(&q.query.Scene.Route, "route", "", a.say("route of the page, such as /orders/42"))
	f.StringVar(&q.query.Scope.Product, "product", "", a.say("product under test"))
	f.StringVar(&q.query.Scope.Suite, "suite", "", a.say("suite the test belongs to"))
	f.StringSliceVar(&q.query.Scope.SuiteTests, "suite-tests", nil,
		a.say("all tests of the suite in order, with commas between"))
	f.StringVar(&q.query.Scope.Build, "build", "", a.say("version or hash of what is tested; "+
		"what was found on the very same one is told"))
	f.IntVar(&q.query.Scope.Position, "position", 0, a.say("place of the test in the suite, from 0"))
	f.StringVar(&q.query.Scope.Test, "test", "", a.say("id of the test"))
	f.BoolVar(&q.query.Findings, "findings", false, a.say("tell what was found before too, on whichever build"))
	f.StringVar(&q.query.Step, "step", "", a.say("the step the agent is about to take, within a run"))
	f.StringVar(&q.observation, "observation", "", a.say("what can be seen now: a file with an ARIA snapshot or the "+
		"page's text, or - for standard input"))
	f.StringVar(&q.query.RunID, "run", "", a.say("id of the run, for the ledger"))
	f.StringSliceVar(&q.query.ExcludeTests, "exclude-test", nil, a.say("use no memory of this test; may be given again"))
	completes(c, "scene-type", a.sceneTypes)
	return q
}

// ask builds the query of the flags.
func (q *queryFlags) ask(ctx context.Context, a *app) (memtree.Query, error) {
	if q.prompt == "" {
		return memtree.Query{}, &usageError{a.say("say what the agent will be asked: --prompt TEXT, --prompt @FILE, " +
			"or --prompt - for standard input")}
	}
	out := q.query
	var err error
	if q.prompt == "-" && q.observation == "-" {
		return out, &usageError{a.say("only one of --prompt and --observation can be standard input")}
	}
	if out.Prompt, err = a.promptText(ctx, q.prompt); err != nil {
		return out, err
	}
	if out.Observation, err = a.observationText(ctx, q.observation); err != nil {
		return out, err
	}
	switch {
	case strings.TrimSpace(out.Prompt) == "":
		return out, &usageError{a.say("the prompt is empty")}
	case !utf8.ValidString(out.Prompt):
		return out, &failure{a.say("the prompt is not UTF-8; save it as UTF-8"), nil}
	case out.Scope.Position < 0 || out.Scope.Position > 0 && out.Scope.Position >= len(out.Scope.SuiteTests):
		return out, &usageError{a.say("--position is %d; it is the place in --suite-tests, from 0", out.Scope.Position)}
	}
	return out, nil
}

// promptText returns the prompt: the text itself, or the content of a file or of standard
// input. It changes no byte and keeps the last line break.
func (a *app) promptText(ctx context.Context, arg string) (string, error) {
	path, isFile := strings.CutPrefix(arg, "@")
	if arg != "-" && !isFile {
		return arg, a.promptSize(len(arg))
	}
	s, err := a.textOf(ctx, path, tree.MaxField)
	if err != nil {
		return "", err
	}
	return s, a.promptSize(len(s))
}

// observationText reads the observation. It returns "" if --observation is not set.
func (a *app) observationText(ctx context.Context, path string) (string, error) {
	if path == "" {
		return "", nil
	}
	s, err := a.textOf(ctx, strings.TrimPrefix(path, "@"), tree.MaxField)
	switch {
	case err != nil:
		return "", err
	case len(s) > tree.MaxField:
		return "", &failure{a.say("the observation is longer than %s, which is the most", screen.Bytes(tree.MaxField)), nil}
	case !utf8.ValidString(s):
		return "", &failure{a.say("the observation is not UTF-8; save it as UTF-8"), nil}
	}
	return s, nil
}

// textOf reads a file, or standard input for "-". It returns at most most+1 bytes, so that the caller can detect a
// longer one.
func (a *app) textOf(ctx context.Context, path string, most int64) (string, error) {
	var in io.Reader = interruptible{ctx, a.stdin}
	if path != "-" {
		f, err := a.openNamed(path)
		if err != nil {
			return "", err
		}
		defer f.Close() //nolint:errcheck // only read
		in = f
	}
	b, err := io.ReadAll(io.LimitReader(in, most+1))
	if err != nil {
		return "", fmt.Errorf("read %s: %w", a.fileName(path), err)
	}
	return string(b), nil
}

func (a *app) promptSize(n int) error {
	if n > tree.MaxField {
		return &failure{a.say("the prompt is longer than %s, which is the most", screen.Bytes(tree.MaxField)), nil}
	}
	return nil
}
