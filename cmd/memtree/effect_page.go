package main

import (
	"bytes"
	"context"
	_ "embed"
	"fmt"
	"html/template"
	"sync"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/internal/cli/say"
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
func writeEffectPage(ctx context.Context, a *app, path string, m *memtree.Memory, f *finding) error {
	g, err := plot.Grown(ctx, m.Tree())
	if err != nil {
		return err
	}
	b, err := renderEffect(a.Voice, m.Taxonomy(), f, &g)
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return a.files.Write(path, b)
}

// grid is a table of the page.
type grid struct {
	Title string
	Heads []string
	Rows  [][]string
}

// gridOf converts a table of the terminal to one of the page.
func gridOf(title string, t *say.Table) grid {
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

func renderEffect(v *say.Voice, tax *taxonomy.Taxonomy, f *finding, g *plot.Growth) ([]byte, error) {
	t, err := effectPage()
	if err != nil {
		return nil, err
	}
	data := map[string]any{
		"Lang": v.Lang, "Title": v.Say("Does memory help?"), "Verdict": f.Verdict,
		"NextHead": v.Say("Next: "), "Next": f.Next,
		"Style":     template.CSS(plot.Style), //nolint:gosec // our own
		"Charts":    plot.Charts(v.Say, f.Report, g),
		"ListTitle": v.Say("What single memories do"),
		"ListNote": v.Say("By how many more runs of a hundred are right with it, on tests of equal difficulty; " +
			"the line is the 95-percent interval, its middle no effect."),
		"ListHeads": []string{
			v.Say("memory"), v.Say("points"), "95 %", "", v.Say("runs"), v.Say("tests"), v.Say("right"), v.Say("status"),
		},
		"Rows": memoryRows(v, f.all),
	}
	var facts []string
	var grids []grid
	if f.Runs > 0 {
		facts = breakerLines(v, tax, f.Report)
		grids = append(grids, gridOf(v.Say("Runs"), armTable(v, f.Report)))
	}
	if f.None > 0 {
		facts = append([]string{plot.EvidenceLine(v.Say, f.Report), plot.SameTests(v.Say, f.Report)}, facts...)
		grids = append(grids, gridOf(v.Say("With memory and without"), liftTable(v, f.Report)))
	}
	if f.Asked+f.Questions > 0 {
		facts = append(facts, joinedLine(v, f.Report))
	}
	data["Facts"], data["Grids"] = facts, grids
	var page bytes.Buffer
	err = t.Execute(&page, data)
	return page.Bytes(), err
}

func memoryRows(v *say.Voice, all []effective) []memoryRow {
	all = byEffect(all)
	if len(all) > 2*shownMemories {
		all = append(all[:shownMemories:shownMemories], all[len(all)-shownMemories:]...)
	}
	at := func(e float64) float64 { return 120 * max(0, min(1, e+0.5)) }
	out := make([]memoryRow, 0, len(all))
	for i := range all {
		x := &all[i]
		low, high := x.Effect.Effect-stat.Z*x.SD, x.Effect.Effect+stat.Z*x.SD
		row := memoryRow{
			ID: short(x.ID), Says: x.Title, Points: "-", Range: v.Say("too few runs"), Runs: fmt.Sprint(x.Runs),
			Tests: fmt.Sprint(x.Tests), Right: fmt.Sprint(x.Right), Standing: standing(v, x), Class: "few",
		}
		if x.Enough() {
			row.Points, row.Range, row.Class = plot.Points(x.Effect.Effect), range95(v, low, high), ""
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
