package evolution

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// mixed are seven cases that were filed under one check and have two causes: the sums are not added up, or they
// are of another day. In the prompt they are numbered as numbersOf says.
func mixed() (added, late []tree.Node) {
	for i, x := range things[:4] {
		added = append(added, sum(i, x))
	}
	for i, x := range things[4:7] {
		late = append(late, as(sum(10+i, x), func(n *tree.Node) {
			n.CaseData.Misses[0].How = "Yesterday's figures of the " + x + " were still there, nobody saw the day."
		}))
	}
	return added, late
}

// lateSaid is the lesson of the second cause, about cases with these numbers.
func lateSaid(cases []int) map[string]any {
	return said(func(a, en, zh map[string]any) {
		a["cases"] = cases
		en["title"] = "Figures of an earlier day"
		en["do"] = "Read which day the figures of an order belong to, and take those of the day that the task names."
		en["mistake"] = "figures of an earlier day were read"
		en["when"] = "the task compares what is shown with what holds today"
		zh["title"], zh["do"] = "看的是前一天的数字", "先看订单上的数字属于哪一天，再取任务所说那一天的数字。"
		zh["mistake"], zh["when"] = "看了前一天的数字", "任务要求核对当天的数字"
	})
}

// numbersOf returns the numbers that cases have among all where the first of these is asked about.
func numbersOf(t *testing.T, all, cases []tree.Node) []int {
	t.Helper()
	var out []int
	for i, n := range shown(pointers(slices.Clone(all))) {
		if slices.ContainsFunc(cases, func(c tree.Node) bool { return c.ID == n.ID }) {
			out = append(out, i+1)
		}
	}
	require.Len(t, out, len(cases))
	return out
}

// split is an answer that makes two lessons of the first group.
func split(first, second []int) string {
	one := said(func(a, _, _ map[string]any) { a["cases"] = first })
	s := answers(one, lateSaid(second))
	return replaceGroup(s)
}

// A reader may find two causes under one check. Each becomes a lesson of its own, which stays apart from the other
// in this and later plans, with the model and without, and a new case goes to the one whose words are nearest.
func TestSplit(t *testing.T) {
	added, late := mixed()
	all := append(slices.Clone(added), late...)
	o := options(t)
	script := model(split(numbersOf(t, all, added), numbersOf(t, all, late)))
	o.Generator = script
	m := planted(t, all)
	p := total(m.evolve(o, PlanOptions{}))
	require.Empty(t, p.Rejections)
	require.Equal(t, 1, p.Calls)
	both := func() (sums, days tree.Node) {
		require.Len(t, m.live(tree.Experience), 2)
		for _, e := range m.live(tree.Experience) {
			if e.Content.Title == "Figures of an earlier day" {
				days = e
			} else {
				sums = e
			}
		}
		return sums, days
	}
	sums, days := both()
	require.Len(t, sums.Children, 4)
	require.Len(t, days.Children, 3)
	for _, n := range late {
		require.Contains(t, days.Children, n.ID)
		require.Equal(t, days.ID, m.nodes[n.ID].Parent)
		require.Contains(t, sums.Provenance.Left, n.ID, "it knows what it was split from")
	}
	for _, e := range []tree.Node{sums, days} {
		require.Equal(t, "t_sums", kindOf(&e))
		l := e.Content.Lessons[0]
		require.Equal(t, []int{len(e.Children), len(e.Children)}, []int{l.Tests, l.Times})
		require.Equal(t, e.Children, l.Cites)
		require.Equal(t, "model", e.Provenance.Analyst)
	}
	m.settled(o)

	m.plant(as(sum(40, "coupon"), func(n *tree.Node) {
		n.CaseData.Misses[0].How = "The figures of the coupon were yesterday's, nobody saw the day."
	}))
	m.evolve(o, PlanOptions{})
	sums, days = both()
	require.Len(t, sums.Children, 4)
	require.Len(t, days.Children, 4)
	m.settled(o)
	require.Len(t, script.Requests(), 1, "one new case is no reason to ask again")

	o.Generator = nil
	m.settled(o)
	m.kept = map[string][]byte{}
	m.settled(o) // the tree alone says which are apart
	both()

	for _, id := range days.Children[:3] { // where one lesson goes, its last case does not become one of the other
		m.edit(id, func(n *tree.Node) { n.Status, n.ArchivedFor = tree.Archived, "it is gone" })
	}
	m.evolve(o, PlanOptions{})
	require.Len(t, m.live(tree.Experience), 1)
	require.Len(t, m.nodes[sums.ID].Children, 4, "its writer had left the others out")
}

// The parts of an answer have to be enough for a lesson each. What is left over stands behind none.
func TestSplitIntoTooLittle(t *testing.T) {
	added, late := mixed()
	all := append(slices.Clone(added), late...)
	first, second := numbersOf(t, all, added), numbersOf(t, all, late)
	for _, c := range []struct {
		name          string
		first, second []int
		lessons, left int
	}{
		{"one part is too small", first, second[:2], 1, 3},
		{"both are too small", first[:2], second[:2], 0, 0},
		{"some are left over", first[:3], second, 2, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := planted(t, all)
			o := options(t)
			o.Generator = model(split(c.first, c.second))
			plans := m.evolve(o, PlanOptions{})
			require.Len(t, m.live(tree.Experience), c.lessons)
			left := 0
			for _, p := range plans {
				for _, g := range p.Groups {
					if g.LeftOut != "" {
						left += len(g.Cases)
					}
					require.Equal(t, c.lessons == 0 && g.Check == "t_sums", g.Apart != "")
				}
			}
			require.Equal(t, c.left, left)
			m.settled(o)
		})
	}
}

// What is wrong with a split is asked about once more, and then the rules write about the whole.
func TestSplitIsHostile(t *testing.T) {
	added, late := mixed()
	all := append(slices.Clone(added), late...)
	first, second := numbersOf(t, all, added), numbersOf(t, all, late)
	with := func(cases []int) map[string]any { return said(func(a, _, _ map[string]any) { a["cases"] = cases }) }
	for name, bad := range map[string]string{
		"a case in both":           split(first, append(slices.Clone(second), first[0])),
		"all in both":              split(upTo(7), upTo(7)),
		"none in one":              split(first, []int{}),
		"cases of no group":        split(first, []int{8, 9, 10}),
		"the same lesson again":    replaceGroup(answers(with(first), with(second))),
		"a group it was not asked": answers(with(first), lateSaid(second)),
	} {
		t.Run(name, func(t *testing.T) {
			m := planted(t, all)
			o := options(t)
			script := model(bad, bad)
			o.Generator = script
			p := total(m.evolve(o, PlanOptions{}))
			require.Len(t, script.Requests(), 2)
			require.Len(t, p.Rejections, 1)
			n := m.lesson("t_sums", taxonomy.FalsePass)
			require.Equal(t, "rules", n.Provenance.Analyst)
			require.Len(t, n.Children, 7)
			m.settled(o)
		})
	}
}

// A part whose lesson the gates refuse is asked about again by itself. If it is refused once more it has no lesson:
// the words of the catalogue would say both causes alike.
func TestSplitPartIsRefused(t *testing.T) {
	added, late := mixed()
	all := append(slices.Clone(added), late...)
	one := said(func(a, _, _ map[string]any) { a["cases"] = numbersOf(t, all, added) })
	bad := lateSaid(numbersOf(t, all, late))
	bad["en"].(map[string]any)["do"] = "On order T11 read 4711 of the receipt, then pass it."
	again := lateSaid(upTo(3))
	for _, c := range []struct {
		name   string
		second string
		sizes  []int
	}{
		{"mended", answers(again), []int{3, 4}},
		{"refused again", replaceGroup(answers(func() map[string]any {
			x := lateSaid(upTo(3))
			x["en"].(map[string]any)["do"] = "On order T11 read 4711 of the receipt, then pass it."
			return x
		}())), []int{4}},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := planted(t, all)
			o := options(t)
			script := model(replaceGroup(answers(one, bad)), c.second)
			o.Generator = script
			m.evolve(o, PlanOptions{})
			require.Len(t, script.Requests(), 2)
			require.Len(t, numbered(script.Requests()[1].Prompt), 3, "only its cases are shown")
			var sizes []int
			for _, e := range m.live(tree.Experience) {
				sizes = append(sizes, len(e.Children))
			}
			require.ElementsMatch(t, c.sizes, sizes)
			m.settled(o)
			require.Len(t, script.Requests(), 2)
		})
	}
}

// A lesson of the rules that a reader splits keeps its id for the cause that has most of its cases.
func TestSplitOfAPresentLesson(t *testing.T) {
	added, late := mixed()
	all := append(slices.Clone(added), late...)
	m := planted(t, all)
	o := options(t)
	m.evolve(o, PlanOptions{})
	before := m.lesson("t_sums", taxonomy.FalsePass)
	require.Len(t, before.Children, 7)
	o.Generator = model(split(numbersOf(t, all, added), numbersOf(t, all, late)))
	m.evolve(o, PlanOptions{})
	require.Len(t, m.live(tree.Experience), 2)
	require.Len(t, m.nodes[before.ID].Children, 4)
	require.Equal(t, "model", m.nodes[before.ID].Provenance.Analyst)
	m.settled(o)
}

// replaceGroup makes all lessons of an answer ones of the first group.
func replaceGroup(answer string) string { return strings.ReplaceAll(answer, `"group":2`, `"group":1`) }
