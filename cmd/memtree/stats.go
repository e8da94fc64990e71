package main

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/internal/cli/say"
	"github.com/memtree/memtree/internal/cli/screen"
	"github.com/memtree/memtree/internal/cli/store"
	"github.com/memtree/memtree/internal/text"
	"github.com/memtree/memtree/llm/langchain"
	"github.com/memtree/memtree/server"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

func statsCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:  "stats",
		Args: arguments(a.Voice, 0, 0, a.Say("no arguments")),
		RunE: func(c *cobra.Command, _ []string) error { return runStats(c.Context(), a) },
	}
}

// mostDead limits the printed evaluations that could not be formed.
const mostDead = 5

// stats is the numbers of a store, as --json prints them.
type stats struct {
	server.Stats
	Spent    spentEver    `json:"spent"`
	Pictures pictureStats `json:"pictures"`

	Unlabelled int `json:"unlabelled"` // unlabelled runs
}

// pictureStats is the number and total size of the pictures of runs.
type pictureStats struct {
	Kept  int   `json:"kept"`
	Bytes int64 `json:"bytes"`
}

// statsOf collects the numbers of a store.
func statsOf(ctx context.Context, a *app, m *memtree.Memory) (stats, error) {
	s, err := server.StatsOf(ctx, m)
	if err != nil {
		return stats{}, err
	}
	box, err := m.Inbox().List(ctx, 1)
	if err != nil {
		return stats{}, err
	}
	n, size, err := m.Pictures().Count(ctx)
	return stats{s, spentSince(a, m.Health().Spent), pictureStats{n, size}, box.Total}, err
}

func runStats(ctx context.Context, a *app) error {
	return a.store.With(ctx, store.Reading, func(m *memtree.Memory) error {
		s, err := statsOf(ctx, a, m)
		if err != nil {
			return err
		}
		model, err := a.model.Config()
		if err != nil {
			a.Note(a.Sentence(err))
		}
		if a.JSON {
			return a.PrintJSON(struct {
				stats
				Model langchain.Config `json:"model"`
			}{s, model})
		}
		if err := printStats(ctx, a, m, &s, model); err != nil {
			return err
		}
		return printDead(ctx, a.Voice, m, s.Dead)
	})
}

func printStats(ctx context.Context, a *app, m *memtree.Memory, s *stats, model langchain.Config) error {
	p := &screen.Page{Width: a.Width}
	p.Part(a.Say("store"), fmt.Sprintf("%s · %s · %s", a.store.Dir, s.Format, screen.Bytes(s.Bytes)))
	p.Part(a.Say("memories"), levelCounts(a.Voice, [...]int{0, s.Levels[string(tree.Case)], s.Levels[string(tree.Experience)],
		s.Levels[string(tree.Strategy)]}, s.Out))
	p.Part(a.Say("runs"), a.Say("%d recorded, %d wait for a label, %d not read yet, %d set aside", s.Evaluations,
		s.Unlabelled, s.Outbox, s.Dead))
	if s.Pictures.Kept > 0 {
		p.Part(a.Say("pictures"), a.Say("%d of runs · %s", s.Pictures.Kept, screen.Bytes(s.Pictures.Bytes)))
	}
	printTrials(a.Voice, p, &s.Trials)
	printLedgerStats(a.Voice, p, &s.LedgerStats)
	printAnalyses(a.Voice, p, &s.Analyses)
	if b := &s.Briefs; b.Read > 0 {
		p.Part(a.Say("coming tests"),
			a.Say("%d known, %d read ahead of their runs, %d with a memory", b.Tests, b.Read, b.Told))
	}
	printSpent(a, p, &s.Spent)
	printEmbedder(a.Voice, p, s)
	p.Part(a.Say("model"), a.model.Line(model))
	if s.Again > 0 {
		p.Part(a.Say("waiting"), a.Say("%d memories that the rules wrote because it failed; record and evolve ask it again",
			s.Again))
	}
	p.Lines = append(p.Lines, "")
	t := &screen.Table{Columns: []screen.Column{{Head: ""}, {Head: "", Least: 12}, {Head: "", Least: 8}, {Right: true}}}
	section := func(head string, counts map[string]int, name func(string) string) {
		keys := slices.SortedFunc(maps.Keys(counts), func(x, y string) int {
			return cmp.Or(counts[y]-counts[x], cmp.Compare(x, y))
		})
		for _, k := range keys {
			t.Add(head, k, name(k), fmt.Sprint(counts[k]))
			head = ""
		}
	}
	section(a.Say("error type"), s.Types, func(k string) string { return typeName(a.Voice, m.Taxonomy(), k) })
	section(a.Say("direction"), s.Directions, func(k string) string { return a.DirectionName(taxonomy.Direction(k)) })
	section(a.Say("status"), s.Statuses, func(k string) string { return statusName(a.Voice, tree.Status(k)) })
	switch {
	case len(t.Rows) > 0:
		p.Lines = append(p.Lines, t.Lines(a.Width)...)
	case s.Outbox > 0:
		p.Lines = append(p.Lines, unformedLines(a.Voice, s.Outbox)...)
	default:
		if err := a.Print(p.Lines...); err != nil {
			return err
		}
		return printEmpty(ctx, a.Voice, m)
	}
	return a.Print(p.Lines...)
}

// printEmbedder prints the embedder, and how many memories have its vectors.
func printEmbedder(v *say.Voice, p *screen.Page, s *stats) {
	said := v.Say("%s · vectors of %d of %d memories", s.Embedder, s.Vectors.Have, s.Vectors.Of)
	if s.Vectors.Note != "" {
		said += v.Say("; the others are found by words until record or evolve gets theirs")
	}
	p.Part(v.Say("meaning"), said)
}

// printDead prints the evaluations that could not be formed, with reasons. n is their number.
func printDead(ctx context.Context, v *say.Voice, m *memtree.Memory, n int) error {
	if n == 0 {
		return nil
	}
	lines := []string{"", v.Say("Set aside, because they could not be made into cases:")}
	for d, err := range m.Tree().DeadLetters(ctx) {
		if err != nil {
			return err
		}
		if len(lines) == 2+mostDead {
			lines = append(lines, v.Say("... and %d more", n-mostDead))
			break
		}
		lines = append(lines, v.Wrap("  "+text.Line(d.Evaluation.Key()+": "+d.Why))...)
	}
	return v.Print(lines...)
}
