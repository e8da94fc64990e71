package main

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/internal/cli/screen"
	"github.com/memtree/memtree/internal/text"
	"github.com/memtree/memtree/llm/langchain"
	"github.com/memtree/memtree/server"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

func (a *app) statsCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "stats",
		Short: a.say("Count what the store holds, and show which model is set"),
		Args:  a.arguments(0, 0, a.say("no arguments")),
		RunE:  func(c *cobra.Command, _ []string) error { return a.stats(c.Context()) },
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
func (a *app) statsOf(ctx context.Context, m *memtree.Memory) (stats, error) {
	s, err := server.StatsOf(ctx, m)
	if err != nil {
		return stats{}, err
	}
	box, err := m.Inbox().List(ctx, 1)
	if err != nil {
		return stats{}, err
	}
	n, size, err := m.Pictures().Count(ctx)
	return stats{s, a.spentEver(m.Health().Spent), pictureStats{n, size}, box.Total}, err
}

func (a *app) stats(ctx context.Context) error {
	return a.with(ctx, reading, func(m *memtree.Memory) error {
		s, err := a.statsOf(ctx, m)
		if err != nil {
			return err
		}
		model, err := a.model()
		if err != nil {
			a.note(a.sentence(err))
		}
		if a.json {
			return a.printJSON(struct {
				stats
				Model langchain.Config `json:"model"`
			}{s, model})
		}
		if err := a.printStats(ctx, m, &s, model); err != nil {
			return err
		}
		return a.printDead(ctx, m, s.Dead)
	})
}

func (a *app) printStats(ctx context.Context, m *memtree.Memory, s *stats, model langchain.Config) error {
	p := &screen.Page{Width: a.Width}
	p.Part(a.say("store"), fmt.Sprintf("%s · %s · %s", a.store, s.Format, screen.Bytes(s.Bytes)))
	p.Part(a.say("memories"), a.levelCounts([...]int{0, s.Levels[string(tree.Case)], s.Levels[string(tree.Experience)],
		s.Levels[string(tree.Strategy)]}, s.Out))
	p.Part(a.say("runs"), a.say("%d recorded, %d wait for a label, %d not read yet, %d set aside", s.Evaluations,
		s.Unlabelled, s.Outbox, s.Dead))
	if s.Pictures.Kept > 0 {
		p.Part(a.say("pictures"), a.say("%d of runs · %s", s.Pictures.Kept, screen.Bytes(s.Pictures.Bytes)))
	}
	a.printTrials(p, &s.Trials)
	a.printLedgerStats(p, &s.LedgerStats)
	a.printAnalyses(p, &s.Analyses)
	if b := &s.Briefs; b.Read > 0 {
		p.Part(a.say("coming tests"),
			a.say("%d known, %d read ahead of their runs, %d with a memory", b.Tests, b.Read, b.Told))
	}
	a.printSpent(p, &s.Spent)
	a.printEmbedder(p, s)
	p.Part(a.say("model"), a.modelLine(model))
	if s.Again > 0 {
		p.Part(a.say("waiting"), a.say("%d memories that the rules wrote because it failed; record and evolve ask it again",
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
	section(a.say("error type"), s.Types, func(k string) string { return a.typeName(m.Taxonomy(), k) })
	section(a.say("direction"), s.Directions, func(k string) string { return a.directionName(taxonomy.Direction(k)) })
	section(a.say("status"), s.Statuses, func(k string) string { return a.statusName(tree.Status(k)) })
	switch {
	case len(t.Rows) > 0:
		p.Lines = append(p.Lines, t.Lines(a.Width)...)
	case s.Outbox > 0:
		p.Lines = append(p.Lines, a.unformedLines(s.Outbox)...)
	default:
		if err := a.print(p.Lines...); err != nil {
			return err
		}
		return a.printEmpty(ctx, m)
	}
	return a.print(p.Lines...)
}

// printEmbedder prints the embedder, and how many memories have its vectors.
func (a *app) printEmbedder(p *screen.Page, s *stats) {
	said := a.say("%s · vectors of %d of %d memories", s.Embedder, s.Vectors.Have, s.Vectors.Of)
	if s.Vectors.Note != "" {
		said += a.say("; the others are found by words until record or evolve gets theirs")
	}
	p.Part(a.say("meaning"), said)
}

// printDead prints the evaluations that could not be formed, with reasons. n is their number.
func (a *app) printDead(ctx context.Context, m *memtree.Memory, n int) error {
	if n == 0 {
		return nil
	}
	lines := []string{"", a.say("Set aside, because they could not be made into cases:")}
	for d, err := range m.Tree().DeadLetters(ctx) {
		if err != nil {
			return err
		}
		if len(lines) == 2+mostDead {
			lines = append(lines, a.say("... and %d more", n-mostDead))
			break
		}
		lines = append(lines, a.Wrap("  "+text.Line(d.Evaluation.Key()+": "+d.Why))...)
	}
	return a.print(lines...)
}
