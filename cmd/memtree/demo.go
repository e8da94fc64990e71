package main

import (
	"bytes"
	"cmp"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/enhance"
	"github.com/memtree/memtree/internal/cli/access"
	"github.com/memtree/memtree/internal/cli/say"
	"github.com/memtree/memtree/internal/text"
	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

func demoCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:  "demo",
		RunE: func(c *cobra.Command, _ []string) error { return runDemo(c.Context(), a) },
	}
}

// demoFile is the sample: 16 runs of an agent that tests a product, in both languages, with evaluators' notes. All of
// it is made up.
const demoFile = "rooms.jsonl"

//go:embed rooms.jsonl
var demoRuns []byte

func runDemo(ctx context.Context, a *app) (err error) {
	if a.JSON {
		return a.Usage("demo prints a story, no JSON; the commands it shows do")
	}
	dir, err := os.MkdirTemp("", "memtree-demo-")
	if err != nil {
		return fmt.Errorf("make a temporary folder: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	d := &demoRun{app: a, file: filepath.Join(dir, demoFile)}
	a.store.Dir = filepath.Join(dir, "store")
	a.store.ReadOnly = false
	a.Getenv = func(string) string { return "" } // the demo uses no model
	for _, part := range []func(context.Context) error{d.record, d.missed, d.evolve, d.guide, d.next} {
		if err := part(ctx); err != nil {
			return err
		}
	}
	return nil
}

// demoRun is a demo that runs; it calls the commands as a user would.
type demoRun struct {
	*app
	file string
}

func (d *demoRun) heading(s string) error {
	return d.Print("", d.Paint(say.Bold, s))
}

func (d *demoRun) command(line string) error {
	return d.Print("", d.Paint(say.Cyan, "$ memtree "+line))
}

// quietly runs a command without its remarks and returns what it prints.
func (d *demoRun) quietly(do func() error) (string, error) {
	var out bytes.Buffer
	defer func(aloud say.Voice) { *d.Voice = aloud }(*d.Voice)
	d.Quiet, d.Stdout, d.Stderr = true, &out, io.Discard
	err := do()
	return strings.TrimRight(out.String(), "\n"), err
}

// record records the sample and shows its summary up to the first table.
func (d *demoRun) record(ctx context.Context) error {
	if err := os.WriteFile(d.file, demoRuns, 0o600); err != nil {
		return err
	}
	if err := d.Print(d.Wrap(d.Say("An agent tested Rooms, a made-up app to book meeting rooms, " +
		"and evaluators checked its verdicts. No model, no network; the store is temporary."))...); err != nil {
		return err
	}
	if err := d.command("record " + demoFile); err != nil {
		return err
	}
	if err := d.store.With(ctx, access.Making, func(*memtree.Memory) error { return nil }); err != nil {
		return err
	}
	out, err := d.quietly(func() error { return runRecord(ctx, d.app, []string{d.file}, "", false) })
	out, _, _ = strings.Cut(out, "\n\n")
	return errors.Join(err, d.Print(out))
}

func wrapIndented(s, indent string, width int) []string {
	lines := say.Wrap(s, width-len(indent))
	for i, l := range lines {
		lines[i] = indent + l
	}
	return lines
}

// guide requests guidance for two pages that no run has seen. A lesson fits the first; no lesson fits the second.
func (d *demoRun) guide(ctx context.Context) error {
	for _, p := range []struct{ head, prompt string }{
		{
			d.Say("A page that none of the runs was on. This goes into the agent's prompt:"),
			d.Say("Check the parking page: the number of free spaces must match the list"),
		},
		{
			d.Say("A page that nothing learned has to do with. The agent gets no guidance:"),
			d.Say("Check the imprint: the address must be spelled as in the contract"),
		},
	} {
		if err := d.heading(p.head); err != nil {
			return err
		}
		lines := d.Page()
		lines.Raw(d.Paint(say.Cyan, `$ memtree guide --prompt \`))
		lines.Raw(wrapIndented("'"+p.prompt+"'", "    ", d.Width)...)
		block, err := d.quietly(func() error { return runGuide(ctx, d.app, memtree.Query{Prompt: p.prompt}, false) })
		if err != nil {
			return err
		}
		block = cmp.Or(block, d.Say("(nothing fits, so there is no guidance)"))
		if err := d.Print(append(lines.Lines, d.Wrap(block)...)...); err != nil {
			return err
		}
	}
	return nil
}

func (d *demoRun) next(context.Context) error {
	if err := d.Print("", d.Paint(say.Bold,
		d.Say("Now with your own runs, one JSON object a line:")),
		`  {"prompt": "…", "judgment": "pass", "ground_truth": "fail", "reason": "…"}`); err != nil {
		return err
	}
	t := &say.Table{Indent: "  ", Columns: []say.Column{{}, {Least: 10}}}
	t.Add("memtree init", d.Say("make a store in .memtree"))
	t.Add("memtree record runs.jsonl", d.Say("judged runs in, cases out"))
	t.Add("memtree evolve", d.Say("cases of one cause become a lesson"))
	t.Add("memtree guide --prompt \"…\"", d.Say("what the next run should be told"))
	t.Add("memtree replay runs.jsonl", d.Say("would it have warned? your own history"))
	if err := d.Print(t.Painted(&d.Terminal)...); err != nil {
		return err
	}
	ahead := d.Say("All of this went by words alone. On four measured suites words warned before nearly half of the " +
		"tests that invite a known mistake; a large model that read the tests ahead of their runs, before nearly all: " +
		"set MEMTREE_LLM_MODEL, then memtree brief tests.jsonl.")
	return d.Print(append([]string{""}, d.Wrap(ahead)...)...)
}

// shownNotes is how many of the evaluators' notes the demo shows.
const shownNotes = 4

// missed shows what evaluators wrote about some of the wrong verdicts.
func (d *demoRun) missed(ctx context.Context) error {
	var cases []tree.Node
	err := d.store.Read(ctx, func(m *memtree.Memory) error {
		for n, err := range m.Tree().Scan(ctx, store.Filter{Level: tree.Case.Level()}) {
			if err != nil {
				return err
			}
			if note := n.CaseData.EvaluatorReason; note != "" && text.Lang(note) == d.Lang {
				cases = append(cases, n)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	slices.SortFunc(cases, func(a, b tree.Node) int { return a.Metadata.CreatedAt.Compare(b.Metadata.CreatedAt) })
	p := d.Page()
	for _, n := range cases[:min(len(cases), shownNotes)] {
		p.Part("  "+n.Scene.Route, d.Say("%s: %s", d.DirectionName(n.Direction), n.CaseData.EvaluatorReason))
	}
	if err := d.heading(d.Say("What was missed, as evaluators wrote it about four of the wrong verdicts:")); err != nil {
		return err
	}
	return d.Print(p.Lines...)
}

// evolve runs evolution on the tree and shows the lessons, those supported by the most tests first.
func (d *demoRun) evolve(ctx context.Context) error {
	var lessons, strategies []tree.Node
	cases, behind := 0, map[string]bool{}
	err := d.store.Write(ctx, func(m *memtree.Memory) error {
		if _, err := m.Evolve(ctx, &memtree.EvolveOptions{}); err != nil {
			return err
		}
		words := enhance.NewWording(m.Taxonomy())
		for n, err := range m.Tree().Scan(ctx, store.Filter{}) {
			switch {
			case err != nil:
				return err
			case n.Type == tree.Case:
				cases++
			case n.Type == tree.Experience:
				for _, id := range n.Children {
					behind[id] = true
				}
				w := words.In(&n, d.Lang)
				w.Content.Lessons[0].Tests = n.Content.Lessons[0].Tests
				lessons = append(lessons, w)
			case n.Type == tree.Strategy:
				strategies = append(strategies, words.In(&n, d.Lang))
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	slices.SortFunc(lessons, func(a, b tree.Node) int {
		return cmp.Or(b.Content.Lessons[0].Tests-a.Content.Lessons[0].Tests, cmp.Compare(a.ID, b.ID))
	})
	head := d.Say("Lessons learned: %d. Strategies: %d. Cases behind them: %d of %d.",
		len(lessons), len(strategies), len(behind), cases)
	if err := errors.Join(d.command("evolve"), d.Print(d.Paint(say.Bold, head))); err != nil {
		return err
	}
	return d.learned(lessons, strategies)
}

// learned prints the lessons, each with the number of tests that support it.
func (d *demoRun) learned(lessons, strategies []tree.Node) error {
	for i, n := range lessons {
		head := d.Say("%s (%s in %d tests)", n.Content.Title, d.DirectionName(n.Direction), n.Content.Lessons[0].Tests)
		lines := []string{fmt.Sprintf("%d. %s", i+1, head)}
		if err := d.Print(append(lines, wrapIndented(n.Content.Guidance, "   ", d.Width)...)...); err != nil {
			return err
		}
	}
	for _, s := range strategies {
		var names []string
		for i, n := range lessons {
			if n.Parent == s.ID {
				names = append(names, fmt.Sprint(i+1))
			}
		}
		line := d.Say("Strategy (%s): look at %s first.",
			typeName(d.Voice, taxonomy.Default(), s.ErrorType), strings.Join(names, d.Say(" and ")))
		if err := d.Print(d.Wrap(line)...); err != nil {
			return err
		}
	}
	return nil
}
