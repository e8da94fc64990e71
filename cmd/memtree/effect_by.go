package main

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/memtree/memtree/effect"
	"github.com/memtree/memtree/enhance"
	"github.com/memtree/memtree/internal/cli/say"
	"github.com/memtree/memtree/internal/cli/screen"
	"github.com/memtree/memtree/internal/plot"
	"github.com/memtree/memtree/internal/stat"
	"github.com/memtree/memtree/taxonomy"
)

// memoryGroup is a memory in the list that --by node --json prints.
type memoryGroup struct {
	Name   string `json:"name"`
	Enough bool   `json:"enough"` // whether its runs are enough for a claim
	effective
}

// teamGroup is a tree in the list that --by team --json prints.
type teamGroup struct {
	effect.Part
	Label string `json:"label,omitempty"`
}

// effectBy prints the effect of each memory, or the lift by something.
func effectBy(v *say.Voice, tax *taxonomy.Taxonomy, f *finding, by string) error {
	if by == byNode {
		return effectByNode(v, f)
	}
	parts := f.Parts(effect.By(by))
	label := map[string]string{}
	for i := range f.all {
		label[f.all[i].Origin.ID] = f.all[i].Origin.Label
	}
	if v.JSON {
		groups := make([]teamGroup, len(parts))
		for i, p := range parts {
			if groups[i].Part = p; by == string(effect.ByTeam) {
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
	t := &screen.Table{Columns: []screen.Column{
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
		"on the same tests. Each interval holds by itself: of twenty rows in which memory does nothing, one is " +
		"expected to show something.")
	return printParts(v, f, t, note)
}

// finder names the way in which memories were found.
func finder(v *say.Voice, by string) string {
	switch enhance.By(by) {
	case enhance.ByReader:
		return v.Say("a reader, before the run")
	case enhance.ByTest:
		return v.Say("the very test's own")
	case enhance.ByWords:
		return v.Say("words")
	}
	return v.Say("(not given)")
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
	t := &screen.Table{Columns: []screen.Column{
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
	return printParts(v, f, t, v.Say("points: by how many more runs of a hundred are right with it, on tests of equal "+
		"difficulty; ±: 95 %%; harms: how likely it is that it harms; -: under %d guided runs of %d tests, too few to tell.",
		effect.ClaimRuns, effect.ClaimTests))
}

// printParts prints a table below the verdict, and an explanation of its columns.
func printParts(v *say.Voice, f *finding, t *screen.Table, note string) error {
	out := verdictLines(v, f)
	if len(t.Rows) > 0 {
		out = append(append(out, ""), tableLines(v, t)...)
		if !v.Quiet {
			out = append(append(out, ""), v.Wrap(note)...)
		}
	}
	return v.Print(out...)
}

// printGroups prints a list as JSON.
func printGroups(v *say.Voice, by string, groups any) error {
	return v.PrintJSON(struct {
		By     string `json:"by"`
		Groups any    `json:"groups"`
	}{by, groups})
}

// sceneTypeName names a scene type for people; "" if the taxonomy does not know it.
func sceneTypeName(v *say.Voice, tax *taxonomy.Taxonomy, word string) string {
	s, _ := tax.SceneType(word)
	return s.Name.In(v.Lang)
}
