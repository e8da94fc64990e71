package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/enhance/midscene"
	"github.com/memtree/memtree/internal/cli/say"
	"github.com/memtree/memtree/tree"
)

// enhanceFlags are the flags of enhance.
type enhanceFlags struct {
	out, frozen string
	remove      bool
	scope       tree.Scope
}

func enhanceCommand(a *app) *cobra.Command {
	f := enhanceFlags{}
	c := &cobra.Command{
		Use:  "enhance FILE [flags]",
		Args: arguments(a.Voice, 1, 1, a.Say("the name of a script, or - for standard input")),
		RunE: func(c *cobra.Command, args []string) error { return runEnhance(c.Context(), a, args[0], &f) },
	}
	c.Flags().StringVar(&f.out, "out", "", a.Say("the file to write, which may be the script itself; "+
		"left out: standard output"))
	c.Flags().BoolVar(&f.remove, "remove", false, a.Say("take the guidance out again"))
	c.Flags().StringVar(&f.frozen, "frozen", "", a.Say("a file of memtree freeze: write its guidance, ask no store"))
	c.Flags().StringVar(&f.scope.Product, "product", "", a.Say("product under test"))
	c.Flags().StringVar(&f.scope.Suite, "suite", "", a.Say("suite the test belongs to"))
	c.Flags().StringVar(&f.scope.Test, "test", "", a.Say("id of the test"))
	c.Flags().StringVar(&f.scope.Build, "build", "", a.Say("version or hash of what is tested; "+
		"what was found on the very same one is told"))
	return c
}

// enhanced is the result, as --json prints it.
type enhanced struct {
	File   string         `json:"file"`
	Told   int            `json:"told"` // steps with guidance
	Steps  []enhancedStep `json:"steps"`
	Script string         `json:"script,omitempty"` // unless --out names a file
}

// enhancedStep is a step and its guidance.
type enhancedStep struct {
	Task     string   `json:"task"`
	Step     int      `json:"step"` // in the task, from 1
	Line     int      `json:"line"` // in the file that was read
	API      string   `json:"api"`
	Prompt   string   `json:"prompt"`
	Route    string   `json:"route,omitempty"`
	Text     string   `json:"text"` // "": no guidance
	Hash     string   `json:"hash,omitempty"`
	Memories []string `json:"memories"`
	Left     string   `json:"left,omitempty"` // why no guidance can be written
}

func runEnhance(ctx context.Context, a *app, path string, f *enhanceFlags) error {
	if f.remove && f.frozen != "" {
		return a.Usage("--remove takes guidance out; it does not go with --frozen")
	}
	src, err := a.files.Text(ctx, path, midscene.MaxScript)
	if err != nil {
		return err
	}
	s, err := midscene.Read(a.files.Name(path), []byte(src))
	if err != nil {
		return scriptError(a.Voice, err)
	}
	out, result := s.Plain(), &enhanced{File: a.files.Name(path), Steps: stepsOf(s)}
	if !f.remove {
		if err := askSteps(ctx, a, s, f, result); err != nil {
			return err
		}
		told := make([]string, len(result.Steps))
		for i := range result.Steps {
			told[i] = result.Steps[i].Text
		}
		if out, err = s.Write(told); err != nil {
			return scriptError(a.Voice, err)
		}
	}
	return printEnhanced(a, result, out, f)
}

func stepsOf(s *midscene.YAMLScript) []enhancedStep {
	out := make([]enhancedStep, len(s.Steps))
	for i := range s.Steps {
		st := &s.Steps[i]
		out[i] = enhancedStep{
			Task: st.Task, Step: st.Number, Line: st.Line, API: st.API, Prompt: st.Prompt, Route: st.Route,
			Memories: []string{}, Left: st.Left,
		}
	}
	return out
}

// askSteps looks up the guidance of each step, in the store or in a file of frozen guidance.
func askSteps(ctx context.Context, a *app, s *midscene.YAMLScript, f *enhanceFlags, to *enhanced) error {
	if f.frozen != "" {
		file, err := readFrozen(ctx, a, f.frozen)
		if err != nil {
			return err
		}
		for i := range to.Steps {
			if g := file.find(to.Steps[i].Prompt, to.Steps[i].Route, f.scope.Test); g != nil && to.Steps[i].Left == "" {
				to.Steps[i].Text, to.Steps[i].Hash, to.Steps[i].Memories = g.Text, g.Hash, g.Memories
			}
		}
		return nil
	}
	return a.store.Read(ctx, func(m *memtree.Memory) error {
		for i := range to.Steps {
			st := &to.Steps[i]
			if st.Left != "" {
				continue
			}
			g, err := askFrozen(ctx, m, frozenQuestion{Prompt: st.Prompt, Scene: tree.Scene{Route: st.Route}, Scope: f.scope})
			if err != nil {
				return fmt.Errorf("%s:%d: %w", s.Steps[i].Field, st.Line, err)
			}
			st.Text, st.Hash, st.Memories = g.Text, g.Hash, g.Memories
		}
		return nil
	})
}

// printEnhanced prints the script, or the result with --json, and notes the steps that were skipped.
func printEnhanced(a *app, r *enhanced, script []byte, f *enhanceFlags) error {
	for i := range r.Steps {
		st := &r.Steps[i]
		switch {
		case st.Text != "":
			r.Told++
		case st.Left != "" && !f.remove:
			a.Note(a.Say("%s:%d: left as it is: %s", r.File, st.Line, a.Mistake(st.Left)))
		}
	}
	switch {
	case f.out != "":
		if err := a.files.Write(f.out, script); err != nil {
			return err
		}
	case a.JSON:
		r.Script = string(script)
	default:
		if _, err := a.Stdout.Write(script); err != nil {
			return err
		}
	}
	if !f.remove {
		a.Note(a.Say("%s: %d steps, guidance for %d of them.", r.File, len(r.Steps), r.Told))
	}
	if a.JSON {
		return a.PrintJSON(r)
	}
	return nil
}

// scriptError translates an error of a script into the language of the user.
func scriptError(v *say.Voice, err error) error {
	var e *midscene.ScriptError
	if !errors.As(err, &e) {
		return err
	}
	said := *e
	said.Problem = v.Mistake(e.Problem)
	if v.Lang == "zh" {
		return &say.Failure{Text: strings.Replace(said.Error(), ": ", "：", 1), Cause: err}
	}
	return &say.Failure{Text: said.Error(), Cause: err}
}
