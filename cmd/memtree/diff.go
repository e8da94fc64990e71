package main

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"html/template"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/formation"
	"github.com/memtree/memtree/internal/cli/access"
	"github.com/memtree/memtree/internal/cli/say"
	"github.com/memtree/memtree/internal/text"
	"github.com/memtree/memtree/knowledge"
	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/transfer"
	"github.com/memtree/memtree/tree"
)

func diffCommand(a *app) *cobra.Command {
	html, limit := false, 20
	c := &cobra.Command{
		Use:  "diff A B [flags]",
		Args: arguments(a.Voice, 2, 2, a.Say("two files, folders or stores")),
		RunE: func(c *cobra.Command, args []string) error {
			if limit < 0 {
				return a.Usage("--limit is %d; use 0 for all", limit)
			}
			return runDiff(c.Context(), a, args[0], args[1], html, limit)
		},
	}
	c.Flags().BoolVar(&html, "html", false, a.Say("print a page for a browser, with all of it"))
	c.Flags().IntVar(&limit, "limit", limit, a.Say("how many memories to print of each kind; 0 for all"))
	return c
}

func runDiff(ctx context.Context, a *app, before, after string, html bool, limit int) error {
	one, other := source(a, before), source(a, after)
	d, err := transfer.Diff(one.nodes(ctx), other.nodes(ctx))
	d.Facts = transfer.DiffFacts(one.facts, other.facts)
	switch {
	case err != nil:
		return err
	case html:
		return printDiffPage(a.Voice, before, after, &d)
	case a.JSON:
		return a.PrintJSON(d)
	}
	return printDiff(a.Voice, &d, limit)
}

// diffSource is one side of a comparison: a file, a folder or a store. facts are those in use, once its nodes were
// read.
type diffSource struct {
	door  access.Opener
	path  string
	facts []ledger.Statement
}

func source(a *app, path string) *diffSource {
	s := &diffSource{door: *a.store, path: path}
	s.door.Dir, s.door.ReadOnly = path, true
	return s
}

// nodes reads a store, a folder or a file.
func (s *diffSource) nodes(ctx context.Context) iter.Seq2[tree.Node, error] {
	return func(yield func(tree.Node, error) bool) {
		path := s.path
		_, err := os.Stat(filepath.Join(path, "FORMAT.json"))
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
			file := transfer.File{Path: path, Guess: formation.Guess}
			for n, err := range file.Nodes {
				if !yield(n, fileFailure(s.door.Voice, path, err)) {
					return
				}
			}
			s.facts = file.Facts
			return
		}
		more := true
		err = s.door.Read(ctx, func(m *memtree.Memory) error {
			for n, err := range m.Tree().Scan(ctx, store.Filter{}) {
				if err != nil {
					return err
				}
				if more = yield(n, nil); !more {
					return nil
				}
			}
			facts, err := m.Knowledge().List(ctx, knowledge.Filter{State: knowledge.Active})
			s.facts = make([]ledger.Statement, len(facts))
			for i := range facts {
				s.facts[i] = facts[i].Statement
			}
			return err
		})
		if err != nil && more {
			yield(tree.Node{}, err)
		}
	}
}

func printDiff(v *say.Voice, d *transfer.TreeDiff, limit int) error {
	if len(d.Added)+len(d.Gone)+len(d.Changed) == 0 {
		same := v.Print(v.Say("They are the same: %d memories.", d.Same))
		return errors.Join(same, v.Print(factDiffLines(v, &d.Facts, limit)...))
	}
	out := v.Page()
	out.Raw(v.Paint(say.Bold, v.Say("memories: added %d, gone %d, changed %d, "+
		"the same %d · lessons: added %d, gone %d",
		len(d.Added), len(d.Gone), len(d.Changed), d.Same, d.Lessons.Added, d.Lessons.Gone)))
	for _, list := range []struct {
		sign  string
		paint say.Style
		nodes []transfer.Differs
	}{{"+", say.Green, d.Added}, {"-", say.Red, d.Gone}, {"~", say.Yellow, d.Changed}} {
		shown := list.nodes
		if limit > 0 {
			shown = shown[:min(limit, len(shown))]
		}
		for i := range shown {
			x := &shown[i]
			line := strings.Join([]string{list.sign, short(x.ID), x.ErrorType, text.Line(x.Says)}, " ")
			out.Raw(v.Paint(list.paint, text.Fit(line, v.Width)))
			for _, p := range x.Parts {
				out.Raw(partLines(v, &p)...)
			}
		}
		if rest := len(list.nodes) - len(shown); rest > 0 {
			out.Raw(list.sign + " " + v.Say("... and %d more (--limit 0 prints all)", rest))
		}
	}
	return v.Print(append(out.Lines, factDiffLines(v, &d.Facts, limit)...)...)
}

// factDiffLines lists the facts that one side alone has, none if there are no facts.
func factDiffLines(v *say.Voice, d *transfer.FactsDiff, limit int) (out []string) {
	if d.Same+len(d.Added)+len(d.Gone) == 0 {
		return nil
	}
	out = append(out, v.Paint(say.Bold, v.Say("facts: added %d, gone %d, the same %d", len(d.Added), len(d.Gone), d.Same)))
	for _, list := range []struct {
		sign  string
		paint say.Style
		facts []ledger.Statement
	}{{"+", say.Green, d.Added}, {"-", say.Red, d.Gone}} {
		shown := list.facts
		if limit > 0 {
			shown = shown[:min(limit, len(shown))]
		}
		for i := range shown {
			line := strings.Join([]string{list.sign, short(shown[i].ID()), text.Line(shown[i].Text)}, " ")
			out = append(out, v.Paint(list.paint, text.Fit(line, v.Width)))
		}
		if rest := len(list.facts) - len(shown); rest > 0 {
			out = append(out, list.sign+" "+v.Say("... and %d more (--limit 0 prints all)", rest))
		}
	}
	return out
}

// partLines shows one part that changed. Before and after are on one line if they fit, else one below the other.
func partLines(v *say.Voice, p *transfer.Part) []string {
	const most = 300
	before, after := text.Clip(text.Line(p.Before), most), text.Clip(text.Line(p.After), most)
	name := partName(v, p.Name)
	line := "    " + name + ": " + before + " → " + after
	if before != "" && after != "" && text.Width(line) <= v.Width {
		return []string{line}
	}
	out := v.Page()
	out.Raw("    " + name)
	add := func(sign string, st say.Style, s string) {
		if s == "" {
			return
		}
		for i, l := range say.Wrap(s, v.Width-8) {
			if i > 0 {
				sign = " "
			}
			out.Raw(v.Paint(st, "      "+sign+" "+l))
		}
	}
	add("-", say.Red, before)
	add("+", say.Green, after)
	return out.Lines
}

// partName names a part of a memory.
func partName(v *say.Voice, name string) string {
	return cmp.Or(map[string]string{
		"errorType": v.Say("error type"), "status": v.Say("status"), "mark": v.Say("mark"),
		"supersededBy": v.Say("replaced by"), "archivedFor": v.Say("archived for"), "title": v.Say("title"),
		"description": v.Say("went wrong"), "guidance": v.Say("guidance"), "appliesWhen": v.Say("when"),
		"notWhen": v.Say("not when"), "lesson": v.Say("lesson"), "confidence": v.Say("confidence"),
		"children": v.Say("made of"), "parent": v.Say("part of"), "elsewhere": v.Say("rests on"),
		"occurrences": v.Say("runs"), "counters": v.Say("used"), "updated": v.Say("updated"),
		"actualError": v.Say("error"), "errorReason": v.Say("cause"), "avoidanceHint": v.Say("hint"),
		"provenance": v.Say("made by"),
	}[name], v.Say("small things"))
}

//go:embed diff.html.tmpl
var diffTemplate string

var diffPage = sync.OnceValues(func() (*template.Template, error) { return template.New("diff").Parse(diffTemplate) })

// printDiffPage prints the difference as an HTML page that loads no file and runs no script.
func printDiffPage(v *say.Voice, before, after string, d *transfer.TreeDiff) error {
	t, err := diffPage()
	if err != nil {
		return err
	}
	type list struct {
		Title, Class string
		Nodes        []transfer.Differs
	}
	return t.Execute(v.Stdout, map[string]any{
		"Lang": v.Lang, "Title": v.Say("%s compared with %s", after, before),
		"Sum": v.Say("memories: added %d, gone %d, changed %d, the same %d · lessons: added %d, gone %d",
			len(d.Added), len(d.Gone), len(d.Changed), d.Same, d.Lessons.Added, d.Lessons.Gone),
		"Lists": []list{
			{v.Say("Added"), "added", d.Added}, {v.Say("Gone"), "gone", d.Gone}, {v.Say("Changed"), "changed", d.Changed},
		},
		"Name": func(name string) string { return partName(v, name) }, "Facts": d.Facts,
		"FactsSum": v.Say("facts: added %d, gone %d, the same %d", len(d.Facts.Added), len(d.Facts.Gone), d.Facts.Same),
	})
}
