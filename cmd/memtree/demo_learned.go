package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/enhance"
	"github.com/memtree/memtree/internal/cli/screen"
	"github.com/memtree/memtree/internal/cli/store"
	"github.com/memtree/memtree/internal/text"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// shownNotes is how many of the evaluators' notes the demo shows.
const shownNotes = 4

// missed shows what evaluators wrote about some of the wrong verdicts.
func (d *demonstration) missed(ctx context.Context) error {
	var cases []tree.Node
	err := d.store.With(ctx, store.Reading, func(m *memtree.Memory) error {
		for n, err := range m.Tree().Scan(ctx, tree.Filter{Level: tree.Case.Level()}) {
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
	p := &screen.Page{Width: d.Width}
	for _, n := range cases[:min(len(cases), shownNotes)] {
		p.Part("  "+n.Scene.Route, d.Say("%s: %s", d.DirectionName(n.Direction), n.CaseData.EvaluatorReason))
	}
	if err := d.heading(d.Say("What was missed, as evaluators wrote it about four of the wrong verdicts:")); err != nil {
		return err
	}
	return d.Print(p.Lines...)
}

// evolve runs evolution on the tree and shows the lessons, those supported by the most tests first.
func (d *demonstration) evolve(ctx context.Context) error {
	var lessons, strategies []tree.Node
	cases, behind := 0, map[string]bool{}
	err := d.store.With(ctx, store.Writing, func(m *memtree.Memory) error {
		if _, err := m.Evolve(ctx, &memtree.EvolveOptions{}); err != nil {
			return err
		}
		words := enhance.NewWording(m.Taxonomy())
		for n, err := range m.Tree().Scan(ctx, tree.Filter{}) {
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
	if err := errors.Join(d.command("evolve"), d.Print(d.Paint(screen.Bold, head))); err != nil {
		return err
	}
	return d.learned(lessons, strategies)
}

// learned prints the lessons, each with the number of tests that support it.
func (d *demonstration) learned(lessons, strategies []tree.Node) error {
	for i, n := range lessons {
		head := d.Say("%s (%s in %d tests)", n.Content.Title, d.DirectionName(n.Direction), n.Content.Lessons[0].Tests)
		lines := []string{fmt.Sprintf("%d. %s", i+1, head)}
		if err := d.Print(append(lines, wrapIndented(n.Content.Guidance, "   ",
			d.Width)...)...); err != nil {
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
