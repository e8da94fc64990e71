package evolution

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/tree"
)

// ranks is a retrieval that finds a draft for some of its cases.
type ranks func(draft, held *tree.Node) int

func (f ranks) Begin(_, _ []*tree.Node) {}

func (f ranks) Rank(_ context.Context, draft, held *tree.Node) (int, error) {
	return f(draft, held), nil
}

// foundFor finds a draft for the tests whose prompt names one of some things.
func foundFor(place int, things ...string) ranks {
	return func(_, held *tree.Node) int {
		for _, x := range things {
			if strings.Contains(held.CaseData.TestCase.Prompt, x) {
				return place
			}
		}
		return 0
	}
}

// untyped are four cases of one cause, of which no check is known, among others.
func untyped() []tree.Node {
	nodes := notes()
	for i := range 4 {
		nodes = append(nodes, upside(i, hint))
	}
	return nodes
}

// A draft that can be found only by its tokens is tried out. It must be found for two of its tests, as if these were
// new.
func TestTrialInRetrieval(t *testing.T) {
	for _, c := range []struct {
		name  string
		rank  ranks
		found bool
	}{
		{"nowhere", foundFor(1), false},
		{"for one test", foundFor(1, "invoice"), false},
		{"for two", foundFor(3, "invoice", "basket"), true},
		{"too far down", foundFor(4, "invoice", "basket", "refund"), false},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := planted(t, untyped())
			o := options(t)
			o.Finder = c.rank
			p := total(m.evolve(o, PlanOptions{}))
			require.Equal(t, c.found, len(m.live(tree.Experience)) == 1)
			if !c.found {
				require.Len(t, p.Rejections, 1)
				require.Equal(t, "rules", p.Rejections[0].By)
				require.Len(t, p.Rejections[0].Members, 4)
				require.True(t, strings.HasPrefix(p.Rejections[0].Reasons[0], "retrieval: "), p.Rejections[0].Reasons[0])
				require.False(t, p.Rejections[0].Known)
				again := total(m.evolve(o, PlanOptions{}))
				require.True(t, again.Rejections[0].Known, "it is not tried out again")
			}
			m.settled(o)
		})
	}
}

// Tests count, not cases: one test that ran with three judgements is one.
func TestTrialCountsTests(t *testing.T) {
	nodes := untyped()
	for i := range 3 {
		nodes[len(nodes)-1-i] = as(nodes[len(nodes)-1-i], func(n *tree.Node) { n.CaseData.TestCase.CaseID = "T0" })
	}
	o := options(t)
	o.Finder = foundFor(1, things[1], things[2], things[3])
	p := total(planted(t, nodes).evolve(o, PlanOptions{}))
	require.Contains(t, p.Rejections[0].Reasons[0], "1 of 2 of its tests")
}

// A lesson about a check is found by what calls for the check, a strategy by its
// error type: neither is tried out.
func TestWhatIsNotTriedOut(t *testing.T) {
	m := planted(t, append(sums(), dates()...))
	o := options(t)
	o.Finder = foundFor(1)
	m.evolve(o, PlanOptions{})
	require.Len(t, m.live(tree.Experience), 2)
	require.Len(t, m.live(tree.Strategy), 1)
}

// A model receives the reason why its draft was refused, in its own language, and has one more try.
func TestModelRepairs(t *testing.T) {
	draft := func(a, en, zh map[string]any) {
		a["cases"] = upTo(4)
		en["title"], en["mistake"], en["when"] = "Pictures upside down", "the picture was shown upside down",
			"the task is about a picture in a gallery"
		en["do"] = "Hold each picture of the gallery beside its design and see that it is not upside down."
		zh["title"], zh["mistake"], zh["when"] = "图片上下颠倒没有看出来", "没有和设计稿对比", "任务要求检查图册里的图片"
		zh["do"] = "把图册里的每张图片和设计稿对比，看有没有上下颠倒。"
	}
	for lang, told := range map[string]string{"en": "it would be found for 0 of 4 of its tests",
		"zh": "只有 0 个（共 4 个）会找到它"} {
		t.Run(lang, func(t *testing.T) {
			nodes := untyped()
			for i := range nodes {
				if nodes[i].Lang = lang; lang == "zh" {
					nodes[i].CaseData.Misses[0].Instead = ""
				}
			}
			for i, x := range []string{"相册", "商品", "店铺", "头像"} {
				if n := &nodes[len(nodes)-1-i]; lang == "zh" {
					n.CaseData.Misses[0].How = x + "图册里的图片上下颠倒，没有和设计稿对比就当成正常。"
				}
			}
			m := planted(t, nodes)
			o := options(t)
			script := model(answer(func(a, en, zh map[string]any) {
				draft(a, en, zh)
				en["title"], zh["title"] = "Pages in general", "一般页面里的图片"
			}), answer(draft))
			o.Generator = script
			o.Finder = ranks(func(d, _ *tree.Node) int {
				if strings.Contains(d.Content.Title, map[string]string{"en": "upside", "zh": "颠倒"}[lang]) {
					return 1
				}
				return 0
			})
			p := total(m.evolve(o, PlanOptions{}))
			require.Empty(t, p.Rejections)
			require.Equal(t, 2, p.Calls)
			require.Contains(t, script.Requests()[1].Prompt, told)
			require.Equal(t, "model", m.live(tree.Experience)[0].Provenance.Analyst)
			m.settled(o)
		})
	}
}
