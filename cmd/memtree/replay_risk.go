package main

import (
	"fmt"
	"strings"

	"github.com/memtree/memtree/internal/cli/say"
	"github.com/memtree/memtree/internal/cli/screen"
	"github.com/memtree/memtree/internal/replay"
)

// printRisks prints how well a replay separated wrong verdicts from right ones.
func printRisks(v *say.Voice, r *replay.Risks) error {
	top := v.Say("Once a verdict is given, and before its truth is known: how much of what is wrong does " +
		"reading the riskiest find?")
	if err := v.Print(append(append([]string{""}, v.Wrap(top)...), "")...); err != nil {
		return err
	}
	in := func(name string, f float64) string {
		i := r.Intervals[name]
		return fmt.Sprintf("%s (%.0f-%.0f)", percent(f), 100*i.Low, 100*i.High)
	}
	t := &screen.Table{Columns: []screen.Column{
		{Head: ""}, {Head: v.Say("first 5 %")}, {Head: v.Say("first 10 %")}, {Head: v.Say("first 20 %")}, {Head: "AUC"},
	}}
	t.Add("risk", in("found5", r.Found.At5), in("found10", r.Found.At10), in("found20", r.Found.At20),
		areaOf(r.AUC)+" "+areaIn(r, "auc"))
	near := r.Baselines.Nearest
	t.Add("bm25", percent(near.At5), percent(near.At10), percent(near.At20), areaOf(r.Baselines.AUC))
	t.Add(v.Say("random"), percent(0.05), percent(0.1), percent(0.2), ".50")
	if err := t.Write(v.Stdout, &v.Terminal); err != nil {
		return err
	}
	out := v.Wrap(baseRateOnly(v, r))
	if r.Enough > 0 {
		out = v.Wrap(v.Say("%d of %d verdicts were given a risk of their own, AUC of the later half %s. "+
			"What it says is off by %.1f points on average.", r.Enough, r.N, areaOf(r.AUCSecondHalf), 100*r.ECE))
	}
	if err := v.Print(append([]string{""}, out...)...); err != nil || r.Enough == 0 {
		return err
	}
	return printReliability(v, r)
}

// baseRateOnly explains why no verdict has a risk of its own, and how good the order is nevertheless.
func baseRateOnly(v *say.Voice, r *replay.Risks) string {
	return v.Say(
		"No verdict was given a risk of its own: %d verdicts, %d of them wrong, do not show yet that past errors "+
			"predict later ones, so each was given the share wrong so far. The order is a first guess: its AUC is %s %s, "+
			"where .50 is chance.",
		r.N,
		r.Wrong,
		areaOf(r.AUC),
		areaIn(r, "auc"),
	)
}

// printReliability prints predicted risks beside observed shares. With colour it also draws bars.
func printReliability(v *say.Voice, r *replay.Risks) error {
	t := &screen.Table{Columns: []screen.Column{
		{Head: v.Say("said")}, {Head: v.Say("verdicts"), Right: true}, {Head: v.Say("mean"), Right: true},
		{Head: v.Say("were wrong"), Right: true}, {},
	}}
	for i, b := range r.Reliability {
		if b.N > 0 {
			t.Add(fmt.Sprintf("%d-%d %%", 10*i, 10*i+10), fmt.Sprint(b.N), percent(b.P), percent(b.Wrong), barOf(v, b.Wrong, b.P))
		}
	}
	if err := v.Print(""); err != nil {
		return err
	}
	if err := t.Write(v.Stdout, &v.Terminal); err != nil {
		return err
	}
	score := v.Say("After the first %d verdicts. Brier score %.3f; saying the share wrong so far each time: %.3f.",
		r.Warmup, r.Brier, r.Baselines.Brier)
	return v.Print(append([]string{""}, v.Wrap(score)...)...)
}

// barOf draws a share as a bar, with a mark at the predicted risk. It returns "" without colour.
func barOf(v *say.Voice, share, mark float64) string {
	const cells = 25
	if !v.Colour {
		return ""
	}
	at := min(cells-1, int(mark*cells))
	bar := []rune(strings.Repeat("█", int(share*cells+0.5)) + strings.Repeat("·", cells-int(share*cells+0.5)))
	bar[at] = '│'
	return string(bar)
}

func areaOf(f *float64) string {
	if f == nil {
		return "-"
	}
	return strings.TrimPrefix(two(*f), "0")
}

func areaIn(r *replay.Risks, name string) string {
	i := r.Intervals[name]
	return fmt.Sprintf("(%s-%s)", strings.TrimPrefix(two(i.Low), "0"), strings.TrimPrefix(two(i.High), "0"))
}
