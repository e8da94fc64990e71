package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/enhance"
	"github.com/memtree/memtree/internal/cli/say"
	"github.com/memtree/memtree/tree"
)

func freezeCommand(a *app) *cobra.Command {
	out := ""
	c := &cobra.Command{
		Use:  "freeze FILE [flags]",
		Args: arguments(a.Voice, 1, 1, a.Say("the name of a file with prompts, or - for standard input")),
		RunE: func(c *cobra.Command, args []string) error { return runFreeze(c.Context(), a, args[0], out) },
	}
	c.Flags().StringVar(&out, "out", "", a.Say("the file to write; left out: standard output"))
	return c
}

// frozen is the file: guidance for prompts, in the order of their first occurrence.
type frozen struct {
	Format   string           `json:"format"`
	Version  int              `json:"version"`
	Guidance []frozenGuidance `json:"guidance"`
}

// frozenFormat identifies the file format.
const frozenFormat = "memtree.frozen"

type frozenGuidance struct {
	frozenQuestion
	Text     string   `json:"text"` // "": no guidance
	Hash     string   `json:"hash"`
	Memories []string `json:"memories"`
}

// frozenQuestion is one line of the list.
type frozenQuestion struct {
	Prompt string     `json:"prompt"`
	Scene  tree.Scene `json:"scene,omitzero"`
	Scope  tree.Scope `json:"scope,omitzero"`
	Lang   string     `json:"lang,omitempty"`
}

func (q *frozenQuestion) query() memtree.Query {
	return memtree.Query{Prompt: q.Prompt, Scene: q.Scene, Scope: q.Scope, Lang: q.Lang}
}

// Limits on the list of prompts.
const (
	mostFrozen     = 10_000
	mostFrozenLine = 4 << 20
	mostFrozenList = 256 << 20
)

func runFreeze(ctx context.Context, a *app, path, out string) error {
	s, err := a.files.Text(ctx, path, mostFrozenList)
	if err != nil {
		return err
	}
	asked, err := parseQuestions(a.Voice, a.files.Name(path), strings.NewReader(s))
	if err != nil {
		return err
	}
	file := frozen{Format: frozenFormat, Version: 1, Guidance: make([]frozenGuidance, 0, len(asked))}
	given := 0
	err = a.store.Read(ctx, func(m *memtree.Memory) error {
		for _, q := range asked {
			g, err := askFrozen(ctx, m, q)
			if err != nil {
				return err
			}
			if g.Text != "" {
				given++
			}
			file.Guidance = append(file.Guidance, g)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return writeFrozen(a, &file, given, out)
}

// askFrozen computes the guidance of now. It draws no trial arm and records no trial.
func askFrozen(ctx context.Context, m *memtree.Memory, q frozenQuestion) (frozenGuidance, error) {
	x, err := m.Explain(ctx, q.query())
	if err != nil {
		return frozenGuidance{}, err
	}
	g := frozenGuidance{frozenQuestion: q, Text: x.Text, Hash: x.Hash, Memories: []string{}}
	for _, it := range x.Items {
		g.Memories = append(g.Memories, it.ID)
	}
	return g, nil
}

// writeFrozen writes the file atomically, or to standard output.
func writeFrozen(a *app, file *frozen, given int, out string) error {
	if out == "" {
		return a.PrintJSON(file)
	}
	b, err := say.Indented(file)
	if err == nil {
		err = a.files.Write(out, b)
	}
	if err != nil {
		return err
	}
	a.Note(a.Say("%s: prompts: %d, with guidance: %d.", out, len(file.Guidance), given))
	return nil
}

// parseQuestions reads a list of prompts without repetitions. It skips empty lines.
func parseQuestions(v *say.Voice, name string, r io.Reader) ([]frozenQuestion, error) {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, mostFrozenLine)
	var out []frozenQuestion
	seen := map[frozenKey]bool{}
	n := 0
	for lines.Scan() {
		n++
		line := strings.TrimSpace(strings.TrimPrefix(lines.Text(), "\ufeff"))
		if line == "" {
			continue
		}
		q, problem := parseQuestion(v, line)
		switch {
		case problem != "":
			return nil, &say.Failure{Text: fmt.Sprintf("%s:%d: %s", name, n, problem), Cause: nil}
		case seen[q.key()]:
			continue
		case len(out) == mostFrozen:
			return nil, v.Fail(nil, "%s has more than %d prompts, which is the most", name, mostFrozen)
		}
		seen[q.key()] = true
		out = append(out, q)
	}
	switch err := lines.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return nil, v.Fail(nil, "%s:%d: the line is longer than %s", name, n+1, say.Bytes(mostFrozenLine))
	case err != nil:
		return nil, err
	case len(out) == 0:
		return nil, v.Fail(nil, "%s has no prompt; write one a line", name)
	}
	return out, nil
}

// frozenKey identifies a question: lines with equal keys are the same question.
type frozenKey struct {
	prompt, lang, product, suite, test, build string
	scene                                     tree.Scene
}

func (q *frozenQuestion) key() frozenKey {
	return frozenKey{q.Prompt, q.Lang, q.Scope.Product, q.Scope.Suite, q.Scope.Test, q.Scope.Build, q.Scene}
}

// parseQuestion reads one line. It returns the problem, or "".
func parseQuestion(v *say.Voice, line string) (q frozenQuestion, problem string) {
	switch {
	case !utf8.ValidString(line):
		return q, v.Say("the line is not UTF-8; save the file as UTF-8")
	case !strings.HasPrefix(line, "{"):
		q.Prompt = line
	default:
		if err := json.Unmarshal([]byte(line), &q); err != nil {
			return q, v.Say(`the line is no JSON object with "prompt"; a line that begins with { has to be one`)
		}
	}
	var field *tree.FieldError
	asked := q.query()
	switch err := asked.Check(); {
	case errors.As(err, &field):
		return q, field.Field + ": " + v.Mistake(field.Problem)
	case err != nil:
		return q, err.Error()
	case q.Lang != "" && q.Lang != "zh" && q.Lang != "en":
		return q, v.Say("lang is %q; use zh or en", q.Lang)
	}
	return q, ""
}

// readFrozen reads a file of memtree freeze.
func readFrozen(ctx context.Context, a *app, path string) (*frozen, error) {
	s, err := a.files.Text(ctx, path, mostFrozenList)
	if err != nil {
		return nil, err
	}
	var f frozen
	if json.Unmarshal([]byte(s), &f) != nil || f.Format != frozenFormat || f.Version != 1 {
		return nil, a.Fail(nil, "%s is no file of memtree freeze that this version reads; write it anew", path)
	}
	for i := range f.Guidance {
		g := &f.Guidance[i]
		g.Memories = emptyNotNull(g.Memories)
		if g.Text != "" && !fenced(g.Text) {
			return nil, a.Fail(nil, "%s: guidance[%d].text has no fence of memtree; write it anew", path, i)
		}
	}
	return &f, nil
}

// fenced reports whether a text is guidance: one fence around it.
func fenced(s string) bool {
	return strings.HasPrefix(s, enhance.Open) && strings.HasSuffix(s, enhance.Close) && strings.Count(s, enhance.Open) == 1
}

// find returns the guidance for a prompt, nil if there is none. An entry that names a page or a test matches only
// that one, and precedes an entry that names none. The TypeScript client uses the same order.
func (f *frozen) find(prompt, route, test string) *frozenGuidance {
	var best *frozenGuidance
	most := -1
	for i := range f.Guidance {
		g := &f.Guidance[i]
		if g.Prompt != prompt || g.Scene.Route != "" && g.Scene.Route != route || g.Scope.Test != "" && g.Scope.Test != test {
			continue
		}
		names := 0
		if g.Scene.Route != "" {
			names++
		}
		if g.Scope.Test != "" {
			names++
		}
		if names > most {
			best, most = g, names
		}
	}
	return best
}
