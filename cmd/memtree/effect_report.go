package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/memtree/memtree/effect"
	"github.com/memtree/memtree/enhance"
	"github.com/memtree/memtree/internal/cli/say"
	"github.com/memtree/memtree/internal/plot"
	"github.com/memtree/memtree/internal/stat"
	"github.com/memtree/memtree/taxonomy"
)

// mostMemories limits the helpful, and the harmful, memories that are printed; --by node prints all.
const mostMemories = 5

// effectLines returns a report. It begins with the verdict, its certainty and the recommended action.
func effectLines(v *say.Voice, tax *taxonomy.Taxonomy, f *finding) []string {
	p := verdictPage(v, f)
	if f.Runs > 0 {
		p.Add("")
		p.Table(armTable(v, f.Report))
	}
	if f.None > 0 {
		p.Add("")
		p.Table(liftTable(v, f.Report))
		p.Add("", plot.SameTests(v.Say, f.Report), "", plot.EvidenceLine(v.Say, f.Report))
	}
	if f.Runs > 0 {
		if f.None == 0 {
			p.Add("")
		}
		for i, said := range breakerLines(v, tax, f.Report) {
			p.Item(strings.Repeat("  ", min(i, 1)), said)
		}
		p.Raw(memoryLines(v, v.Say("Memories that help:"), f.Helpful)...)
		p.Raw(memoryLines(v, v.Say("Memories that are likely to harm:"), f.Harmful)...)
		p.Add("", plot.Claims(v.Say, f.Report))
	}
	if f.Asked+f.Questions > 0 {
		p.Add("", joinedLine(v, f.Report))
	}
	return p.Lines
}

// verdictPage begins a page with the verdict and the recommended action.
func verdictPage(v *say.Voice, f *finding) *say.Output {
	p := v.Page()
	p.Bold(f.Verdict)
	p.Item(v.Say("Next: "), f.Next)
	return p
}

// armTable is a table of runs by trial arm.
func armTable(v *say.Voice, r *effect.Report) *say.Table {
	t := &say.Table{Columns: []say.Column{
		{Head: v.Say("given"), Least: 20}, {Head: v.Say("runs"), Right: true}, {Head: v.Say("right"), Right: true},
		{Head: "", Right: true}, {Head: "95 %"},
	}}
	for _, arm := range []struct {
		name    string
		n, good int
	}{
		{v.Say("their memories"), r.Guided, r.Right.Guided},
		{v.Say("other memories"), r.Other, r.Right.Other},
		{v.Say("none"), r.None, r.Right.None},
	} {
		if arm.n > 0 {
			in := stat.Wilson(arm.good, arm.n)
			t.Add(arm.name, fmt.Sprint(arm.n), fmt.Sprint(arm.good), percentOf(arm.good, arm.n),
				fmt.Sprintf("%.0f-%.0f", 100*in.Low, 100*in.High))
		}
	}
	return t
}

// liftTable compares runs with memory and runs without it on the same tests.
func liftTable(v *say.Voice, r *effect.Report) *say.Table {
	t := &say.Table{Columns: []say.Column{
		{Head: v.Say("on the same tests"), Least: 20},
		{Head: v.Say("with"), Right: true}, {Head: v.Say("without"), Right: true},
		{Head: v.Say("points"), Right: true}, {Head: "95 %"},
	}}
	for _, row := range []struct {
		name string
		lift *effect.Lift
	}{
		{v.Say("right"), &r.Lift},
		{v.Say("missed a defect"), &r.FalsePass},
		{v.Say("false alarms"), &r.FalseFail},
		{v.Say("made a mistake warned of"), &r.Repeat},
		{v.Say("right, against other memories"), r.Control},
	} {
		if row.lift != nil {
			t.Add(append([]string{row.name}, liftCells(v, row.lift)...)...)
		}
	}
	return t
}

// liftCells are the shares with and without memory, their difference and its interval.
func liftCells(v *say.Voice, l *effect.Lift) []string {
	if l.N == 0 || l.M == 0 {
		return []string{"-", "-", "-", "-"}
	}
	return []string{
		v.Say("%s of %d", percent(l.With), l.N), v.Say("%s of %d", percent(l.Without), l.M),
		plot.Points(l.Lift), range95(v, l.Low, l.High),
	}
}

func range95(v *say.Voice, low, high float64) string {
	return v.Say("%s to %s", plot.Points(low), plot.Points(high))
}

// breakerLines returns the breaker's state, and the error types that it switched off.
func breakerLines(v *say.Voice, tax *taxonomy.Taxonomy, r *effect.Report) []string {
	said := v.Say("Breaker: closed: no harm by memory is proven, so it is given.")
	switch r.State {
	case effect.Open:
		said = v.Say("Breaker: open since %s, so no memory is given.", r.Since.UTC().Format("2006-01-02 15:04"))
	case effect.HalfOpen:
		said = v.Say("Breaker: half-open since %s, so memory is given to half of the runs, on trial.",
			r.Since.UTC().Format("2006-01-02 15:04"))
	case effect.Closed:
	}
	p := v.Page()
	p.Raw(said)
	for _, t := range r.Types {
		name := cmp.Or(typeName(v, tax, t.ErrorType), t.ErrorType)
		said := v.Say("on trial again")
		if t.State == effect.Open {
			said = v.Say("its memories are not given; evidence of harm %s", plot.Amount(t.EHarm))
		}
		p.Raw(v.Say("%s: %s", name, said))
	}
	return p.Lines
}

// memoryLines lists memories, each with its effect, its state and its title.
func memoryLines(v *say.Voice, head string, xs []effective) []string {
	if len(xs) == 0 {
		return nil
	}
	p := v.Page()
	p.Head(head)
	for i := range xs {
		if i == mostMemories {
			p.Raw("  " + v.Say("... and %d more; see memtree effect --by node", len(xs)-i))
			break
		}
		x := xs[i]
		x.ID = short(x.ID)
		p.Item("  ", x.Sentence().In(v.Lang))
		p.Painted(say.Dim, "    ", dotted(standing(v, &x), x.Title))
	}
	return p.Lines
}

// standing describes the state of a memory.
func standing(v *say.Voice, x *effective) string {
	if x.Status == "" {
		return v.Say("gone")
	}
	return standingOf(v, x.Status, x.Mark, x.Held)
}

// joinedLine describes how many runs requested guidance, and the outcomes of their trials.
func joinedLine(v *say.Voice, r *effect.Report) string {
	o := &r.Outcomes
	var out []string
	if r.Asked > 0 {
		out = append(out, v.Say("Memory had something for %d of %d runs that asked (%s).",
			r.Found, r.Asked, percentOf(r.Found, r.Asked)), v.Say(" Outcomes that have come: %d.", o.Known))
	}
	for _, n := range []struct {
		n    int
		said string
	}{
		{o.Open, v.Say(" Not yet: %d.", o.Open)},
		{o.Unknown, v.Say(" Of no trial here: %d.", o.Unknown)},
		{o.Contrary, v.Say(" Deny an earlier one, which counts: %d.", o.Contrary)},
		{r.Questions, v.Say(" Questions that no run followed, which do not count: %d.", r.Questions)},
		{o.Retries, v.Say(" Later attempts, which do not count: %d, %d of them with another end.", o.Retries, o.Flipped)},
	} {
		if n.n > 0 {
			out = append(out, n.said)
		}
	}
	return strings.TrimSpace(strings.Join(out, ""))
}

// memoryGroup is a memory in the list that --by node --json prints.
type memoryGroup struct {
	Name   string `json:"name"`
	Enough bool   `json:"enough"` // whether its runs are enough for a claim
	effective
}

// teamGroup is a tree in the list that --by team --json prints.
type teamGroup struct {
	effect.Subgroup
	Label string `json:"label,omitempty"`
}

// effectBy prints the effect of each memory, or the lift by something.
func effectBy(v *say.Voice, tax *taxonomy.Taxonomy, f *finding, by string) error {
	if by == byNode {
		return effectByNode(v, f)
	}
	parts := f.Parts(effect.Grouping(by), tax)
	label := map[string]string{}
	for i := range f.all {
		label[f.all[i].Origin.ID] = f.all[i].Origin.Label
	}
	if v.JSON {
		groups := make([]teamGroup, len(parts))
		for i, p := range parts {
			if groups[i].Subgroup = p; by == string(effect.ByTeam) {
				groups[i].Label = label[p.Name]
			}
		}
		return printGroups(v, by, groups)
	}
	heads := map[string]string{
		string(effect.ByType):  v.Say("error type of memories found"),
		string(effect.ByScene): v.Say("kind of scene"),
		string(effect.ByTeam):  v.Say("tree of memories found"),
		string(effect.ByFound): v.Say("who found the memories"),
	}
	t := &say.Table{Columns: []say.Column{
		{Head: heads[by], Least: 16}, {Head: v.Say("runs"), Right: true}, {Head: v.Say("held out"), Right: true},
		{Head: v.Say("with"), Right: true}, {Head: v.Say("without"), Right: true},
		{Head: v.Say("points"), Right: true}, {Head: "95 %"},
	}}
	for i := range parts {
		p := &parts[i]
		name := cmp.Or(p.Name, v.Say("(not given)"))
		switch by {
		case string(effect.ByType):
			name = cmp.Or(typeName(v, tax, p.Name), name)
		case string(effect.ByScene):
			name = cmp.Or(sceneTypeName(v, tax, p.Name), name)
		case string(effect.ByFound):
			name = finder(v, p.Name)
		case string(effect.ByTeam):
			name = dotted(label[p.Name], short(name))
		}
		t.Add(append([]string{name, fmt.Sprint(p.Runs), fmt.Sprint(p.None)}, liftCells(v, &p.Lift)...)...)
	}
	note := v.Say("Of the runs for which such memories were found: those with memory held against those held out, " +
		"on the same tests. Each interval holds by itself: of twenty rows in which memory does nothing, one at " +
		"most is expected to show something.")
	return v.Print(partsLines(v, f, t, note)...)
}

// finder names the way in which memories were found.
func finder(v *say.Voice, by string) string {
	return cmp.Or(map[enhance.By]string{
		enhance.ByReader: v.Say("a reader, before the run"),
		enhance.ByTest:   v.Say("the very test's own"),
		enhance.ByWords:  v.Say("words"),
	}[enhance.By(by)], v.Say("(not given)"))
}

// byEffect returns memories in order, the most helpful first; those of too few runs come last.
func byEffect(xs []effective) []effective {
	xs = slices.Clone(xs)
	slices.SortStableFunc(xs, func(x, y effective) int {
		switch {
		case x.Enough() != y.Enough():
			return map[bool]int{true: -1, false: 1}[x.Enough()]
		case !x.Enough():
			return cmp.Or(cmp.Compare(y.Runs, x.Runs), cmp.Compare(x.ID, y.ID))
		}
		return cmp.Or(cmp.Compare(y.Effect.Effect, x.Effect.Effect), cmp.Compare(x.ID, y.ID))
	})
	return xs
}

// effectByNode prints the effect of every memory that was included in a run.
func effectByNode(v *say.Voice, f *finding) error {
	xs := byEffect(f.all)
	if v.JSON {
		groups := make([]memoryGroup, len(xs))
		for i := range xs {
			groups[i] = memoryGroup{xs[i].ID, xs[i].Enough(), xs[i]}
		}
		return printGroups(v, byNode, groups)
	}
	t := &say.Table{Columns: []say.Column{
		{Head: v.Say("memory")}, {Head: v.Say("points"), Right: true}, {Head: "±", Right: true},
		{Head: v.Say("harms"), Right: true}, {Head: v.Say("runs"), Right: true}, {Head: v.Say("tests"), Right: true},
		{Head: v.Say("right"), Right: true}, {Head: v.Say("status"), Least: 8}, {Head: v.Say("content"), Least: 8},
	}}
	for i := range xs {
		x := &xs[i]
		size, half, harms := "-", "-", "-"
		if x.Enough() {
			size, half, harms = plot.Points(x.Effect.Effect), fmt.Sprintf("%.0f", 100*stat.Z*x.SD), percent(x.PHarm)
		}
		t.Add(short(x.ID), size, half, harms, fmt.Sprint(x.Runs), fmt.Sprint(x.Tests), fmt.Sprint(x.Right), string(x.Status),
			x.Title)
	}
	note := v.Say("points: by how many more runs of a hundred are right with it, on tests of equal difficulty; ±: 95 %%; "+
		"harms: how likely it is that it harms; -: under %d guided runs of %d tests, too few to tell.",
		effect.ClaimRuns, effect.ClaimTests)
	return v.Print(partsLines(v, f, t, note)...)
}

// partsLines returns a table below the verdict, and an explanation of its columns.
func partsLines(v *say.Voice, f *finding, t *say.Table, note string) []string {
	p := verdictPage(v, f)
	if len(t.Rows) > 0 {
		p.Add("")
		p.Table(t)
		if !v.Quiet {
			p.Add("", note)
		}
	}
	return p.Lines
}

// printGroups prints a list as JSON.
func printGroups(v *say.Voice, by string, groups any) error {
	return v.PrintJSON(map[string]any{"by": by, "groups": groups})
}
