package main

import (
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
	"github.com/memtree/memtree/internal/cli/screen"
	"github.com/memtree/memtree/internal/text"
	"github.com/memtree/memtree/knowledge"
	"github.com/memtree/memtree/transfer"
	"github.com/memtree/memtree/tree"
)

func (a *app) diffCommand() *cobra.Command {
	html, limit := false, 20
	c := &cobra.Command{
		Use:   "diff A B [flags]",
		Short: a.say("Show how two trees differ"),
		Long: a.say(`Compares two exports, folders or stores and prints the memories and lessons that B
has and A has not, that are gone, and what changed in those both have.`),
		Example: `  memtree diff monday.memtree tuesday.memtree
  memtree diff .memtree shop.memtree --json
  memtree diff main branch --html > diff.html`,
		Args: a.arguments(2, 2, a.say("two files, folders or stores")),
		RunE: func(c *cobra.Command, args []string) error {
			if limit < 0 {
				return &usageError{a.say("--limit is %d; use 0 for all", limit)}
			}
			return a.diff(c.Context(), args[0], args[1], html, limit)
		},
	}
	c.Flags().BoolVar(&html, "html", false, a.say("print a page for a browser, with all of it"))
	c.Flags().IntVar(&limit, "limit", limit, a.say("how many memories to print of each kind; 0 for all"))
	return c
}

func (a *app) diff(ctx context.Context, before, after string, html bool, limit int) error {
	one, other := a.source(before), a.source(after)
	d, err := transfer.Diff(one.nodes(ctx), other.nodes(ctx))
	d.Facts = transfer.DiffFacts(one.facts, other.facts)
	switch {
	case err != nil:
		return err
	case html:
		return a.diffPage(before, after, &d)
	case a.json:
		return a.printJSON(d)
	}
	return a.printDiff(&d, limit)
}

// diffSource is one side of a comparison: a file, a folder or a store. facts are those in use, once its nodes were
// read.
type diffSource struct {
	*app
	path  string
	facts []tree.Statement
}

func (a *app) source(path string) *diffSource { return &diffSource{app: a, path: path} }

// nodes reads a store, a folder or a file.
func (s *diffSource) nodes(ctx context.Context) iter.Seq2[tree.Node, error] {
	a := s.app
	return func(yield func(tree.Node, error) bool) {
		path := s.path
		_, err := os.Stat(filepath.Join(path, "FORMAT.json"))
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
			file := transfer.File{Path: path, Guess: formation.Guess}
			for n, err := range file.Nodes {
				if !yield(n, a.fileFailure(path, err)) {
					return
				}
			}
			s.facts = file.Facts
			return
		}
		other, more := *a, true
		other.store, other.readOnly = path, true
		err = other.with(ctx, reading, func(m *memtree.Memory) error {
			for n, err := range m.Tree().Scan(ctx, tree.Filter{}) {
				if err != nil {
					return err
				}
				if more = yield(n, nil); !more {
					return nil
				}
			}
			facts, err := m.Knowledge().List(ctx, knowledge.Filter{State: knowledge.Active})
			s.facts = make([]tree.Statement, len(facts))
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

func (a *app) printDiff(d *transfer.TreeDiff, limit int) error {
	if len(d.Added)+len(d.Gone)+len(d.Changed) == 0 {
		same := a.print(a.say("They are the same: %d memories.", d.Same))
		return errors.Join(same, a.print(a.factDiffLines(&d.Facts, limit)...))
	}
	out := []string{a.Paint(screen.Bold, a.say("memories: added %d, gone %d, changed %d, "+
		"the same %d · lessons: added %d, gone %d",
		len(d.Added), len(d.Gone), len(d.Changed), d.Same, d.Lessons.Added, d.Lessons.Gone))}
	for _, list := range []struct {
		sign  string
		paint screen.Style
		nodes []transfer.Differs
	}{{"+", screen.Green, d.Added}, {"-", screen.Red, d.Gone}, {"~", screen.Yellow, d.Changed}} {
		shown := list.nodes
		if limit > 0 {
			shown = shown[:min(limit, len(shown))]
		}
		for i := range shown {
			x := &shown[i]
			line := strings.Join([]string{list.sign, short(x.ID), x.ErrorType, text.Line(x.Says)}, " ")
			out = append(out, a.Paint(list.paint, text.Fit(line, a.Width)))
			for _, p := range x.Parts {
				out = append(out, a.partLines(&p)...)
			}
		}
		if rest := len(list.nodes) - len(shown); rest > 0 {
			out = append(out, list.sign+" "+a.say("... and %d more (--limit 0 prints all)", rest))
		}
	}
	return a.print(append(out, a.factDiffLines(&d.Facts, limit)...)...)
}

// factDiffLines lists the facts that one side alone has, none if there are no facts.
func (a *app) factDiffLines(d *transfer.FactsDiff, limit int) (out []string) {
	if d.Same+len(d.Added)+len(d.Gone) == 0 {
		return nil
	}
	out = append(out, a.Paint(screen.Bold,
		a.say("facts: added %d, gone %d, the same %d", len(d.Added), len(d.Gone), d.Same)))
	for _, list := range []struct {
		sign  string
		paint screen.Style
		facts []tree.Statement
	}{{"+", screen.Green, d.Added}, {"-", screen.Red, d.Gone}} {
		shown := list.facts
		if limit > 0 {
			shown = shown[:min(limit, len(shown))]
		}
		for i := range shown {
			line := strings.Join([]string{list.sign, short(shown[i].ID()), text.Line(shown[i].Text)}, " ")
			out = append(out, a.Paint(list.paint, text.Fit(line, a.Width)))
		}
		if rest := len(list.facts) - len(shown); rest > 0 {
			out = append(out, list.sign+" "+a.say("... and %d more (--limit 0 prints all)", rest))
		}
	}
	return out
}

// partLines shows one part that changed. Before and after are on one line if they fit, else one below the other.
func (a *app) partLines(p *transfer.Part) []string {
	const most = 300
	before, after := text.Clip(text.Line(p.Before), most), text.Clip(text.Line(p.After), most)
	name := a.partName(p.Name)
	line := "    " + name + ": " + before + " → " + after
	if before != "" && after != "" && text.Width(line) <= a.Width {
		return []string{line}
	}
	out := []string{"    " + name}
	add := func(sign string, st screen.Style, s string) {
		if s == "" {
			return
		}
		for i, l := range screen.Wrap(s, a.Width-8) {
			if i > 0 {
				sign = " "
			}
			out = append(out, a.Paint(st, "      "+sign+" "+l))
		}
	}
	add("-", screen.Red, before)
	add("+", screen.Green, after)
	return out
}

// partName names a part of a memory.
func (a *app) partName(name string) string {
	switch name {
	case "errorType":
		return a.say("error type")
	case "status":
		return a.say("status")
	case "mark":
		return a.say("mark")
	case "supersededBy":
		return a.say("replaced by")
	case "archivedFor":
		return a.say("archived for")
	case "title":
		return a.say("title")
	case "description":
		return a.say("went wrong")
	case "guidance":
		return a.say("guidance")
	case "appliesWhen":
		return a.say("when")
	case "notWhen":
		return a.say("not when")
	case "lesson":
		return a.say("lesson")
	case "confidence":
		return a.say("confidence")
	case "children":
		return a.say("made of")
	case "parent":
		return a.say("part of")
	case "elsewhere":
		return a.say("rests on")
	case "occurrences":
		return a.say("runs")
	case "counters":
		return a.say("used")
	case "updated":
		return a.say("updated")
	case "actualError":
		return a.say("error")
	case "errorReason":
		return a.say("cause")
	case "avoidanceHint":
		return a.say("hint")
	case "provenance":
		return a.say("made by")
	}
	return a.say("small things")
}

//go:embed diff.html.tmpl
var diffTemplate string

var diffPage = sync.OnceValues(func() (*template.Template, error) { return template.New("diff").Parse(diffTemplate) })

// diffPage prints the difference as an HTML page that loads no file and runs no script.
func (a *app) diffPage(before, after string, d *transfer.TreeDiff) error {
	t, err := diffPage()
	if err != nil {
		return err
	}
	type list struct {
		Title, Class string
		Nodes        []transfer.Differs
	}
	return t.Execute(a.stdout, map[string]any{
		"Lang": a.lang, "Title": a.say("%s compared with %s", after, before),
		"Sum": a.say("memories: added %d, gone %d, changed %d, the same %d · lessons: added %d, gone %d",
			len(d.Added), len(d.Gone), len(d.Changed), d.Same, d.Lessons.Added, d.Lessons.Gone),
		"Lists": []list{
			{a.say("Added"), "added", d.Added}, {a.say("Gone"), "gone", d.Gone}, {a.say("Changed"), "changed", d.Changed},
		},
		"Name": a.partName, "Facts": d.Facts,
		"FactsSum": a.say("facts: added %d, gone %d, the same %d", len(d.Facts.Added), len(d.Facts.Gone), d.Facts.Same),
	})
}
