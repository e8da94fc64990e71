package main

import (
	"bytes"
	"context"
	_ "embed"
	"fmt"
	"html/template"
	"sync"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/internal/cli/screen"
	"github.com/memtree/memtree/internal/plot"
	"github.com/memtree/memtree/internal/stat"
	"github.com/memtree/memtree/taxonomy"
)

//go:embed effect.html.tmpl
var effectPageText string

var effectPage = sync.OnceValues(func() (*template.Template, error) {
	t, err := template.New("effect").Parse(effectPageText)
	if err == nil {
		_, err = t.New("plots").Parse(plot.Template)
	}
	return t, err
})

// writeEffectPage writes a self-contained page with a report and its history. The write is atomic.
func (a *app) writeEffectPage(ctx context.Context, path string, m *memtree.Memory, f *finding) error {
	g, err := plot.Grown(ctx, m.Tree())
	if err != nil {
		return err
	}
	b, err := a.effectPage(m.Taxonomy(), f, &g)
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return a.writeWhole(path, b)
}

// grid is a table of the page.
type grid struct {
	Title string
	Heads []string
	Rows  [][]string
}

// gridOf converts a table of the terminal to one of the page.
func gridOf(title string, t *screen.Table) grid {
	g := grid{Title: title, Rows: t.Rows}
	for _, c := range t.Columns {
		g.Heads = append(g.Heads, c.Head)
	}
	return g
}

// memoryRow is a memory on the page: its effect in numbers, and as a line with a dot.
type memoryRow struct {
	ID, Says, Points, Range, Runs, Tests, Right, Standing string
	Low, At, High                                         float64 // 0 to 120; 60 is no effect
	Class                                                 string  // "few": too few runs to draw anything
}

// shownMemories is how many memories the page lists, from either end.
const shownMemories = 30

func (a *app) effectPage(tax *taxonomy.Taxonomy, f *finding, g *plot.Growth) ([]byte, error) {
	t, err := effectPage()
	if err != nil {
		return nil, err
	}
	data := map[string]any{
		"Lang": a.lang, "Title": a.say("Does memory help?"), "Verdict": f.Verdict,
		"NextHead": a.say("Next: "), "Next": f.Next,
		"Style":     template.CSS(plot.Style), //nolint:gosec // our own
		"Charts":    plot.Charts(a.say, f.Report, g),
		"ListTitle": a.say("What single memories do"),
		"ListNote": a.say("By how many more runs of a hundred are right with it, on tests of equal difficulty; " +
			"the line is the 95-percent interval, its middle no effect."),
		"ListHeads": []string{
			a.say("memory"), a.say("points"), "95 %", "", a.say("runs"), a.say("tests"), a.say("right"), a.say("status"),
		},
		"Rows": a.memoryRows(f.all),
	}
	var facts []string
	var grids []grid
	if f.Runs > 0 {
		facts = a.breakerSaid(tax, f.Report)
		grids = append(grids, gridOf(a.say("Runs"), a.armTable(f.Report)))
	}
	if f.None > 0 {
		facts = append([]string{plot.EvidenceLine(a.say, f.Report), plot.SameTests(a.say, f.Report)}, facts...)
		grids = append(grids, gridOf(a.say("With memory and without"), a.liftTable(f.Report)))
	}
	if f.Asked+f.Questions > 0 {
		facts = append(facts, a.joinedLine(f.Report))
	}
	data["Facts"], data["Grids"] = facts, grids
	var page bytes.Buffer
	err = t.Execute(&page, data)
	return page.Bytes(), err
}

func (a *app) memoryRows(all []effective) []memoryRow {
	all = byEffect(all)
	if len(all) > 2*shownMemories {
		all = append(all[:shownMemories:shownMemories], all[len(all)-shownMemories:]...)
	}
	at := func(v float64) float64 { return 120 * max(0, min(1, v+0.5)) }
	out := make([]memoryRow, 0, len(all))
	for i := range all {
		x := &all[i]
		low, high := x.Effect.Effect-stat.Z*x.SD, x.Effect.Effect+stat.Z*x.SD
		row := memoryRow{
			ID: short(x.ID), Says: x.Title, Points: "-", Range: a.say("too few runs"), Runs: fmt.Sprint(x.Runs),
			Tests: fmt.Sprint(x.Tests), Right: fmt.Sprint(x.Right), Standing: a.standing(x), Class: "few",
		}
		if x.Enough() {
			row.Points, row.Range, row.Class = plot.Points(x.Effect.Effect), a.range95(low, high), ""
			row.Low, row.At, row.High = at(low), at(x.Effect.Effect), at(high)
		}
		switch {
		case !x.Enough():
		case x.PHarm <= 1-isSure:
			row.Class = "good"
		case x.PHarm >= isSure:
			row.Class = "bad"
		}
		out = append(out, row)
	}
	return out
}

// isSure is the probability from which a memory is listed as one that helps or harms.
const isSure = 0.95
