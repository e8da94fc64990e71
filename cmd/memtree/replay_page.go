package main

import (
	"bytes"
	"cmp"
	_ "embed"
	"fmt"
	"html/template"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/memtree/memtree/effect"
	"github.com/memtree/memtree/internal/cli/say"
	"github.com/memtree/memtree/internal/plot"
	"github.com/memtree/memtree/internal/stat"
	"github.com/memtree/memtree/internal/text"
	"github.com/memtree/memtree/risk"
)

//go:embed replay.html.tmpl
var replayPageText string

var replayPage = sync.OnceValues(func() (*template.Template, error) {
	return template.New("replay").Parse(replayPageText)
})

// shownOnPage is how many of the riskiest verdicts the page lists.
const shownOnPage = 30

// tick is a share on both axes.
type tick struct {
	X, Y  float64
	Label string
}

// dot is a tenth of the scale: the predicted risk, the observed share of wrong verdicts, and its interval.
type dot struct {
	X, Y, R, Low, High float64
	Title              string
}

// pageRow is one verdict on the page.
type pageRow struct {
	Risk, Out, Prompt, ID, Why string
	Wrong                      bool
}

// writeReplayPage writes a self-contained page that shows how well the risks separate wrong verdicts from right ones.
// The write is atomic.
func writeReplayPage(a *app, path string, r *effect.RiskMeasure, said []predicted) error {
	if r == nil || r.AUC == nil {
		return a.Fail(nil, "%s was not written: a page needs runs that were judged right and runs "+
			"that were judged wrong", path)
	}
	t, err := replayPage()
	if err != nil {
		return err
	}
	var page bytes.Buffer
	if err := t.Execute(&page, replayPageData(a.Voice, r, said)); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return a.files.Write(path, page.Bytes())
}

func replayPageData(v *say.Voice, r *effect.RiskMeasure, said []predicted) map[string]any {
	in := r.Intervals["found10"]
	return map[string]any{
		"Lang":  v.Lang,
		"Title": v.Say("Which verdicts are wrong: %d judged runs, %d of them wrong", r.N, r.Wrong),
		"Lead":  v.Say("Reading the riskiest tenth of the verdicts finds"),
		"Gain":  v.Say("%s of the wrong ones", percent(r.Found.At10)),
		"Else": v.Say("(95-percent interval %.0f to %.0f); reading a tenth at random finds %s.",
			100*in.Low, 100*in.High, percent(r.Baselines.Random.At10)),
		"Sure":  pageSure(v, r),
		"Ticks": ticks(), "Ours": curve(r.Gain, func(g effect.ReviewGain) float64 { return g.Found }),
		"Near":      curve(r.Gain, func(g effect.ReviewGain) float64 { return g.Nearest }),
		"GainTitle": v.Say("How much of what is wrong is found"),
		"ReadAxis":  v.Say("share of all verdicts read, %"), "FoundAxis": v.Say("share of the wrong ones found, %"),
		"OursName": v.Say("riskiest first"), "NearName": v.Say("most like a wrong case first"),
		"ChanceName": v.Say("at random"), "ReliabilityTitle": v.Say("Are its probabilities right?"),
		"SaidAxis": v.Say("predicted risk, %"), "WrongAxis": v.Say("share that was wrong, %"),
		"Dots": dots(v, r.Reliability),
		"ReliabilityNote": v.Say("Each dot is a tenth of the scale, larger for more verdicts, "+
			"with its 95-percent interval. On the line, what was said came true. Off by %.1f points on average, "+
			"after the first %d verdicts.", 100*r.ECE, r.Warmup),
		"ListTitle": v.Say("The riskiest verdicts"),
		"ListNote":  v.Say("Each risk was predicted before its truth was known; beside it what came out."),
		"Heads":     []string{v.Say("risk"), v.Say("came out"), v.Say("verdict on"), v.Say("why")},
		"Rows":      pageRows(v, said),
	}
}

func pageSure(v *say.Voice, r *effect.RiskMeasure) string {
	if r.Enough == 0 {
		return baseRateOnly(v, r)
	}
	return v.Say("Each verdict was scored before its truth was known, from the runs before it. "+
		"AUC %s %s, of the later half %s; .50 is chance.",
		areaOf(r.AUC), areaIn(r), areaOf(r.AUCSecondHalf))
}

func ticks() []tick {
	var out []tick
	for _, share := range []float64{0, 0.2, 0.4, 0.6, 0.8, 1} {
		out = append(out, tick{plot.X(share), plot.Y(share), fmt.Sprintf("%.0f", 100*share)})
	}
	return out
}

func curve(gain []effect.ReviewGain, of func(effect.ReviewGain) float64) string {
	var b strings.Builder
	for _, g := range gain {
		fmt.Fprintf(&b, "%g,%g ", plot.X(g.Read), plot.Y(of(g)))
	}
	return strings.TrimSpace(b.String())
}

func dots(v *say.Voice, bins []effect.CalibrationBin) []dot {
	var out []dot
	for _, b := range bins {
		if b.N == 0 {
			continue
		}
		in := stat.Wilson(int(math.Round(b.Wrong*float64(b.N))), b.N)
		out = append(out, dot{
			X: plot.X(b.P), Y: plot.Y(b.Wrong), R: math.Round(10*min(16, 2+1.2*math.Sqrt(float64(b.N)))) / 10,
			Low: plot.Y(in.Low), High: plot.Y(in.High),
			Title: v.Say("%d verdicts: %s predicted, %s wrong", b.N, percent(b.P), percent(b.Wrong)),
		})
	}
	return out
}

func pageRows(v *say.Voice, said []predicted) []pageRow {
	said = slices.Clone(said)
	slices.SortStableFunc(said, func(x, y predicted) int {
		return cmp.Or(cmp.Compare(y.P, x.P), cmp.Compare(y.Order, x.Order))
	})
	var out []pageRow
	for i := range said[:min(shownOnPage, len(said))] {
		e := &said[i]
		row := pageRow{
			ID: e.Evaluation, Risk: percent(e.P), Why: whyRisky(v, &risk.Risk{Because: e.Because}),
			Prompt: text.Clip(text.Line(e.prompt), 240), Out: v.Say("right"), Wrong: e.wrong,
		}
		if e.wrong {
			row.Out = v.Say("wrong")
			if e.way != "" {
				row.Out = v.DirectionName(e.way)
			}
		}
		out = append(out, row)
	}
	return out
}
