package main

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/effect"
	"github.com/memtree/memtree/internal/cli/model"
	"github.com/memtree/memtree/internal/cli/say"
	"github.com/memtree/memtree/internal/text"
	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/llm/langchain"
	"github.com/memtree/memtree/llm/meter"
	"github.com/memtree/memtree/server"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

func statsCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:  "stats",
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
	return a.store.Read(ctx, func(m *memtree.Memory) error {
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
				Model langchain.ModelConfig `json:"model"`
			}{s, model})
		}
		if err := printStats(ctx, a, m, &s, model); err != nil {
			return err
		}
		return printDead(ctx, a.Voice, m, s.Dead)
	})
}

func printStats(ctx context.Context, a *app, m *memtree.Memory, s *stats, model langchain.ModelConfig) error {
	p := a.Page()
	held := a.store.Name() + " · " + s.Format
	if !a.store.Shared() { // the size of a tree in a database is not known
		held += " · " + say.Bytes(s.Bytes)
	}
	p.Part(a.Say("store"), held)
	levels := [4]int{0, s.Levels[string(tree.Case)], s.Levels[string(tree.Experience)], s.Levels[string(tree.Strategy)]}
	p.Part(a.Say("memories"), levelCounts(a.Voice, levels, s.Out))
	p.Part(a.Say("runs"), a.Say("%d recorded, %d wait for a label, %d not read yet, %d set aside", s.Evaluations,
		s.Unlabelled, s.Outbox, s.Dead))
	apartPart(a.Voice, p, &s.Apart)
	if s.Pictures.Kept > 0 {
		p.Part(a.Say("pictures"), a.Say("%d of runs · %s", s.Pictures.Kept, say.Bytes(s.Pictures.Bytes)))
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
	p.Raw("")
	t := &say.Table{Columns: []say.Column{{Head: ""}, {Head: "", Least: 12}, {Head: "", Least: 8}, {Right: true}}}
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
	section(a.Say("status"), s.Statuses, func(k string) string { return a.Names().Standing(tree.Status(k)) })
	switch {
	case len(t.Rows) > 0:
		p.Table(t)
	case s.Outbox > 0:
		p.Raw(unformedLines(a.Voice, s.Outbox)...)
	default:
		if err := a.Print(p.Lines...); err != nil {
			return err
		}
		return printEmpty(ctx, a.Voice, m)
	}
	return a.Print(p.Lines...)
}

// printEmbedder prints the embedder, and how many memories have its vectors.
func printEmbedder(v *say.Voice, p *say.Output, s *stats) {
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
	p := v.Page()
	p.Raw("", v.Say("Set aside, because they could not be made into cases:"))
	for d, err := range m.Tree().DeadLetters(ctx) {
		if err != nil {
			return err
		}
		if len(p.Lines) == 2+mostDead {
			p.Raw(v.Say("... and %d more", n-mostDead))
			break
		}
		p.Add("  " + text.Line(d.Evaluation.Key()+": "+d.Why))
	}
	return v.Print(p.Lines...)
}

// printTrials prints the queries of runs, and the number of outcomes.
func printTrials(v *say.Voice, p *say.Output, t *effect.Trials) {
	if t.Questions > 0 {
		p.Part(v.Say("questions"), v.Say("%d that no run followed; they count nowhere else", t.Questions))
	}
	if t.Asked == 0 {
		return
	}
	p.Part(v.Say("asked by runs"),
		v.Say("%d; memory had something for %s of them: given to %d, other memories to %d, none to %d",
			t.Asked, percentOf(t.Found, t.Asked), t.Guided, t.Other, t.None))
	p.Part(v.Say("outcomes"), v.Say("%d have come, %d not yet; memtree effect says whether memory helps",
		t.Outcomes.Known, t.Outcomes.Open))
}

// mostBlamed is the number of blamed memories that are printed; --json has all.
const mostBlamed = 5

// printLedgerStats adds the statistics of corrections and ablations, if there are any.
func printLedgerStats(v *say.Voice, p *say.Output, s *effect.LedgerStats) {
	for i := range s.Corrections {
		if r := &s.Corrections[i]; r.N > 0 {
			p.Part(remedyName(v, r.Remedy), remedied(v, r))
		}
	}
	b := &s.Ablations
	if b.N == 0 {
		return
	}
	p.Part(v.Say("failures"), v.Say("%d looked into: a memory is to blame for %d, none for %d, flaky %d, broken off %d",
		b.N, b.Blame[string(ledger.OnMemory)], b.Blame[string(ledger.NotOnMemory)], b.Blame[string(ledger.OnFlaky)],
		b.Blame[string(ledger.Unfinished)]))
	for i, x := range b.Blamed {
		if i == mostBlamed {
			p.Part("", v.Say("... and %d more", len(b.Blamed)-mostBlamed))
			break
		}
		p.Part("", v.Say("%s: all %d runs with it failed, all %d without it passed", short(x.Memory), x.With, x.Without))
	}
}

// apartPart adds how many runs show nothing about their judge, and why, if there are any.
func apartPart(v *say.Voice, p *say.Output, n *effect.Apart) {
	if n.N > 0 {
		p.Part(v.Say("excused"), v.Say("%d, from which nothing is learned: healed %d, passed after a retry %d, "+
			"environment %d", n.N, n.Healed, n.Retried, n.Environment+n.Named))
	}
}

func remedyName(v *say.Voice, r ledger.Remedy) string {
	switch r {
	case ledger.Flag:
		return v.Say("flagged")
	case ledger.Rerun:
		return v.Say("run again")
	}
	return v.Say("corrected")
}

// remedied describes the outcome of one remedy.
func remedied(v *say.Voice, r *effect.Remedied) string {
	known := max(1, r.Mended+r.Broken)
	var out string
	switch {
	case r.Known == 0:
		out = v.Say("%d verdicts likely to be wrong; what is true of them is not known yet", r.N)
	case r.Remedy == ledger.Flag:
		out = v.Say("%d verdicts likely to be wrong; the other one would have put %d right and broken %d", r.N, r.Mended,
			r.Broken)
	default:
		out = v.Say("%d verdicts likely to be wrong, %d of them changed; put right: %d, broken: %d "+
			"(%s put right, 95 %%: %.0f-%.0f)", r.N, r.Changed, r.Mended, r.Broken, percentOf(r.Mended, known),
			100*r.Low, 100*r.High)
	}
	if r.Back > 0 {
		out += v.Say("; taken back: %d", r.Back)
	}
	if r.Stopped {
		out += v.Say("; stopped, because it broke more than it put right")
	}
	return out
}

// printAnalyses prints how many analyses are by the model and by the rules, in a store where a model was used or is
// to be.
func printAnalyses(v *say.Voice, p *say.Output, n *tree.Analyses) {
	if n.ByModel+n.Again == 0 {
		return
	}
	line := v.Say("%d by the model, %d by the rules", n.ByModel, n.ByRules)
	if n.Again > 0 {
		line += v.Say("; %d of them wait to be done again by a model", n.Again)
	}
	p.Part(v.Say("analyses"), line)
}

// spentEver is the model usage since it was first recorded beside the store.
type spentEver struct {
	Since  *time.Time   `json:"since"` // null: no usage recorded
	Models []spentModel `json:"models"`
}

type spentModel struct {
	Model string `json:"model"`
	meter.Spent
	Cost any `json:"cost"` // at the prices of today, or "unknown"
}

// spentSince returns the totals with their cost, sorted by model.
func spentSince(a *app, t meter.Totals) spentEver {
	out := spentEver{Models: []spentModel{}}
	if !t.Since.IsZero() {
		out.Since = &t.Since
	}
	for _, id := range slices.Sorted(maps.Keys(t.Models)) {
		s := t.Models[id]
		_, name, _ := strings.Cut(id, ":") // provider and model
		price := a.model.PriceOf
		if c, err := a.model.Config(); err == nil && name == c.EmbedModel {
			price = a.model.EmbedPriceOf
		}
		p, known := price(name)
		out.Models = append(out.Models, spentModel{id, s, model.CostAt(p, known, s.Calls-s.Failed, s.Untold, s.Usage)})
	}
	return out
}

// printSpent prints the usage of models, a line each.
func printSpent(a *app, p *say.Output, s *spentEver) {
	for _, x := range s.Models {
		p.Part(a.Say("asked"), a.Say("%s since %s: %d calls, %d of them failed; tokens in %d, out %d; cost %s", x.Model,
			s.Since.Local().Format(time.DateOnly), x.Calls, x.Failed, x.Usage.InputTokens, x.Usage.OutputTokens,
			a.model.CostWords(x.Cost)))
	}
}
