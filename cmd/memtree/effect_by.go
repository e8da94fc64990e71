package main

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/memtree/memtree/effect"
	"github.com/memtree/memtree/enhance"
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
func (a *app) effectBy(tax *taxonomy.Taxonomy, f *finding, by string) error {
	if by == byNode {
		return a.effectByNode(f)
	}
	parts := f.Parts(effect.By(by))
	label := map[string]string{}
	for i := range f.all {
		label[f.all[i].Origin.ID] = f.all[i].Origin.Label
	}
	if a.json {
		groups := make([]teamGroup, len(parts))
		for i, p := range parts {
			if groups[i].Part = p; by == string(effect.ByTeam) {
				groups[i].Label = label[p.Name]
			}
		}
		return a.printGroups(by, groups)
	}
	heads := map[string]string{
		string(effect.ByType):  a.say("error type of memories found"),
		string(effect.ByScene): a.say("kind of scene"),
		string(effect.ByTeam):  a.say("tree of memories found"),
		string(effect.ByFound): a.say("who found the memories"),
	}
	t := &screen.Table{Columns: []screen.Column{
		{Head: heads[by], Least: 16}, {Head: a.say("runs"), Right: true}, {Head: a.say("held out"), Right: true},
		{Head: a.say("with"), Right: true}, {Head: a.say("without"), Right: true},
		{Head: a.say("points"), Right: true}, {Head: "95 %"},
	}}
	for i := range parts {
		p := &parts[i]
		name := cmp.Or(p.Name, a.say("(not given)"))
		switch by {
		case string(effect.ByType):
			name = cmp.Or(a.typeName(tax, p.Name), name)
		case string(effect.ByScene):
			name = cmp.Or(a.sceneName(tax, p.Name), name)
		case string(effect.ByFound):
			name = a.finder(p.Name)
		case string(effect.ByTeam):
			name = dotted(label[p.Name], short(name))
		}
		t.Add(append([]string{name, fmt.Sprint(p.Runs), fmt.Sprint(p.None)}, a.liftCells(&p.Lift)...)...)
	}
	note := a.say("Of the runs for which such memories were found: those with memory held against those held out, " +
		"on the same tests. Each interval holds by itself: of twenty rows in which memory does nothing, one is " +
		"expected to show something.")
	return a.printParts(f, t, note)
}

// finder names the way in which memories were found.
func (a *app) finder(by string) string {
	switch enhance.By(by) {
	case enhance.ByReader:
		return a.say("a reader, before the run")
	case enhance.ByTest:
		return a.say("the very test's own")
	case enhance.ByWords:
		return a.say("words")
	}
	return a.say("(not given)")
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
func (a *app) effectByNode(f *finding) error {
	xs := byEffect(f.all)
	if a.json {
		groups := make([]memoryGroup, len(xs))
		for i := range xs {
			groups[i] = memoryGroup{xs[i].ID, xs[i].Enough(), xs[i]}
		}
		return a.printGroups(byNode, groups)
	}
	t := &screen.Table{Columns: []screen.Column{
		{Head: a.say("memory")}, {Head: a.say("points"), Right: true}, {Head: "±", Right: true},
		{Head: a.say("harms"), Right: true}, {Head: a.say("runs"), Right: true}, {Head: a.say("tests"), Right: true},
		{Head: a.say("right"), Right: true}, {Head: a.say("status"), Least: 8}, {Head: a.say("content"), Least: 8},
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
	return a.printParts(f, t, a.say("points: by how many more runs of a hundred are right with it, on tests of equal "+
		"difficulty; ±: 95 %%; harms: how likely it is that it harms; -: under %d guided runs of %d tests, too few to tell.",
		effect.ClaimRuns, effect.ClaimTests))
}

// printParts prints a table below the verdict, and an explanation of its columns.
func (a *app) printParts(f *finding, t *screen.Table, note string) error {
	out := a.verdictLines(f)
	if len(t.Rows) > 0 {
		out = append(append(out, ""), a.tableLines(t)...)
		if !a.quiet {
			out = append(append(out, ""), a.Wrap(note)...)
		}
	}
	return a.print(out...)
}

// printGroups prints a list as JSON.
func (a *app) printGroups(by string, groups any) error {
	return a.printJSON(struct {
		By     string `json:"by"`
		Groups any    `json:"groups"`
	}{by, groups})
}

// sceneName names a scene type for people; "" if the taxonomy does not know it.
func (a *app) sceneName(tax *taxonomy.Taxonomy, word string) string {
	s, _ := tax.SceneType(word)
	return s.Name.In(a.lang)
}
