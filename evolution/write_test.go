package evolution

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/llm"
	"github.com/memtree/memtree/llm/llmtest"
	"github.com/memtree/memtree/llm/meter"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// lessonSaid is a lesson of a model about sums, in both languages.
func lessonSaid() (en, zh map[string]any) {
	return map[string]any{
			"title": "Totals that are not the sum of their lines", "do": "Where an order shows lines and a total, " +
				"add the lines up and compare their sum with the total.",
			"mistake": "the rounded total is taken for the sum", "when": "the task compares a total with lines",
		}, map[string]any{
			"title": "合计与各行之和不一致", "do": "订单列出多行和合计时，把各行相加，再与合计比较。",
			"mistake": "把四舍五入后的合计当成各行之和", "when": "任务要求比较合计与各行",
		}
}

// said is the answer of a model about group 1. edit changes it, its English or its Chinese.
func said(edit func(a, en, zh map[string]any)) map[string]any {
	en, zh := lessonSaid()
	a := map[string]any{"group": 1, "apart": "", "cases": []int{1, 2, 3, 4, 5}, "en": en, "zh": zh}
	if edit != nil {
		edit(a, en, zh)
	}
	return a
}

// answers is an answer about as many groups.
func answers(groups ...map[string]any) string {
	for i, g := range groups {
		g["group"] = i + 1
	}
	b, _ := json.Marshal(map[string]any{"lessons": groups})
	return string(b)
}

// answer is the answer of a good model about sums; edit changes it.
func answer(edit func(a, en, zh map[string]any)) string { return answers(said(edit)) }

func model(texts ...string) *llmtest.Scripted {
	var steps []llmtest.ScriptStep
	for _, s := range texts {
		steps = append(steps, llmtest.ScriptStep{Text: s, Usage: llm.Usage{InputTokens: 1000, OutputTokens: 100}})
	}
	return llmtest.NewScript(steps...)
}

// total adds up plans.
func total(plans []Plan) (out Plan) {
	for _, p := range plans {
		out.Calls, out.Usage, out.Waiting = out.Calls+p.Calls, out.Usage.Add(p.Usage), out.Waiting+p.Waiting
		out.Changes = append(out.Changes, p.Changes...)
		out.Rejections, out.Notes, out.Proposals = append(out.Rejections, p.Rejections...), append(out.Notes, p.Notes...),
			append(out.Proposals, p.Proposals...)
	}
	return out
}

func TestModelWrites(t *testing.T) {
	m := planted(t, sums())
	o := options(t)
	script := model(answer(nil))
	o.Generator, o.Model = script, "scripted"
	p := total(m.evolve(o, PlanOptions{}))
	require.Empty(t, p.Rejections)
	require.Equal(t, 1, p.Calls)
	require.Equal(t, 1100, p.Usage.InputTokens+p.Usage.OutputTokens)
	n := m.live(tree.Experience)[0]
	require.Equal(t, "model", n.Provenance.Analyst)
	require.Equal(t, tree.Probation, n.Status)
	require.Equal(t, "Totals that are not the sum of their lines", n.Content.Title)
	l := n.Content.Lessons[0]
	require.Equal(t, []string{"t_sums", tree.FromModel}, []string{l.Kind, l.From})
	require.Len(t, l.Cites, 5)
	require.Equal(t, []int{5, 5}, []int{l.Tests, l.Times})
	require.Contains(t, script.Requests()[0].Prompt, "did not add the lines of the")
	require.Contains(t, n.Content.Guidance, "add the lines up")
	m.settled(o)
}

// A model can write a lesson for cases whose check is unknown.
func TestModelWritesOfUntypedCases(t *testing.T) {
	m := planted(t, append(notes(), upside(0, ""), upside(1, ""), upside(2, "")))
	o := options(t)
	o.Generator = model(answer(func(a, en, zh map[string]any) {
		a["cases"] = upTo(3)
		en["title"], en["do"], en["mistake"], en["when"] = "Pictures upside down",
			"Look at each picture in the gallery and see that none is upside down.", "", "a gallery shows a picture"
		zh["title"], zh["do"], zh["mistake"], zh["when"] = "图片上下颠倒", "逐张看图库中的图片，看有没有上下颠倒的。", "", "图库里有图片"
	}))
	m.evolve(o, PlanOptions{})
	require.Len(t, m.live(tree.Experience), 1)
	require.Len(t, m.live(tree.Experience)[0].Children, 3)
	require.Empty(t, kindOf(&m.live(tree.Experience)[0]))
	m.settled(o)
}

// A lesson is written in both languages, and shown in that of the reader.
func TestModelWritesBothLanguages(t *testing.T) {
	m := planted(t, sums())
	o := options(t)
	o.Generator = model(answer(nil))
	m.evolve(o, PlanOptions{})
	n := m.lesson("t_sums", taxonomy.FalsePass)
	require.NoError(t, tree.Check(&n))
	en, zh := n.In("en").Content, n.In("zh").Content
	require.Contains(t, en.Lessons[0].Check, "add the lines up")
	require.Equal(t, "订单列出多行和合计时，把各行相加，再与合计比较。", zh.Lessons[0].Check)
	require.Equal(t, []string{"任务要求比较合计与各行"}, zh.AppliesWhen)
	require.Equal(t, en.Lessons[0].ID, zh.Lessons[0].ID)
	require.Equal(t, "把四舍五入后的合计当成各行之和", zh.Lessons[0].Mistake)
}

// A translation that a gate refuses twice is left out; the lesson stays.
func TestTranslationIsRefused(t *testing.T) {
	m := planted(t, sums())
	o := options(t)
	bad := answer(func(_, _, zh map[string]any) { zh["do"] = "Look at the total." })
	script := model(bad, bad)
	o.Generator = script
	m.evolve(o, PlanOptions{})
	require.Len(t, script.Requests(), 2)
	require.Equal(t, "rules", m.lesson("t_sums", taxonomy.FalsePass).Provenance.Analyst, "no Chinese is no answer")

	m = planted(t, sums())
	bad = answer(func(_, _, zh map[string]any) {
		zh["do"] = "订单号为 T1-4711 时，把各行相加，再与合计 1234.56 比较。"
	})
	script = model(bad, bad)
	o.Generator, o.Cache = script, nil
	m.evolve(o, PlanOptions{})
	require.Contains(t, script.Requests()[1].Prompt, "in Chinese, ")
	n := m.lesson("t_sums", taxonomy.FalsePass)
	require.Equal(t, "model", n.Provenance.Analyst)
	require.Nil(t, n.Content.Other)
}

// Cases that the writer leaves out do not stand behind the lesson, in this and later plans.
func TestModelLeavesCasesOut(t *testing.T) {
	m := planted(t, sums())
	o := options(t)
	script := model(answer(func(a, _, _ map[string]any) { a["cases"] = []int{1, 3, 4, 5, 5} }))
	o.Generator = script
	plans := m.evolve(o, PlanOptions{})
	n := m.lesson("t_sums", taxonomy.FalsePass)
	require.Len(t, n.Children, 4)
	require.Len(t, n.Provenance.Left, 1)
	require.Len(t, n.Provenance.Cites, 5, "it was written from all that the writer read")
	left := n.Provenance.Left[0]
	require.NotContains(t, n.Children, left)
	require.Empty(t, m.nodes[left].Parent)
	var out []Group
	for _, p := range plans {
		for _, g := range p.Groups {
			if g.LeftOut != "" {
				out = append(out, g)
			}
		}
	}
	require.Len(t, out, 1)
	require.Equal(t, []string{left}, out[0].Cases)
	require.Equal(t, n.ID, out[0].LeftOut)
	m.settled(o)

	m.plant(sum(40, "coupon")) // one more case is no reason to write again; the other stays out
	m.evolve(o, PlanOptions{})
	n = m.nodes[n.ID]
	require.Len(t, n.Children, 5)
	require.NotContains(t, n.Children, left)
	require.Len(t, script.Requests(), 1)
	o.Generator = nil // neither does it come back without the model
	m.evolve(o, PlanOptions{})
	require.NotContains(t, m.nodes[n.ID].Children, left)
	m.settled(o)
}

// A group whose cases have no common cause becomes no lesson, also not by the rules, and is not sent again until its
// cases change.
func TestModelRefusesAGroup(t *testing.T) {
	for name, edit := range map[string]func(a, en, zh map[string]any){
		"apart":       func(a, en, zh map[string]any) { a["apart"], en["do"], zh["do"] = "Each for itself.", "", "" },
		"too few are": func(a, _, _ map[string]any) { a["cases"] = []int{4, 5} },
	} {
		t.Run(name, func(t *testing.T) {
			m := planted(t, sums())
			o := options(t)
			m.evolve(o, PlanOptions{}) // by rules, before there was a model
			before := m.lesson("t_sums", taxonomy.FalsePass)
			require.Equal(t, tree.Probation, before.Status)
			m.edit(before.ID, func(n *tree.Node) { n.Provenance.Again = true })
			script := model(answer(edit))
			o.Generator = script
			plans := m.evolve(o, PlanOptions{})
			require.Empty(t, m.live(tree.Experience))
			require.Equal(t, tree.Retired, m.nodes[before.ID].Status)
			require.Empty(t, total(plans).Rejections)
			why := ""
			for _, p := range plans {
				for _, g := range p.Groups {
					why += g.Apart
				}
			}
			require.NotEmpty(t, why)
			m.settled(o)
			require.Len(t, script.Requests(), 1)
			o.Generator = nil
			m.settled(o)

			m.plant(sum(40, "coupon"))
			o.Generator = model(answer(nil))
			m.evolve(o, PlanOptions{})
			require.Len(t, m.live(tree.Experience), 1, "other cases are another question")
			m.settled(o)
		})
	}
}

// Many groups are sent in one call. An answer that cannot be read is requested again by halves, and a problem of one
// group does not affect the others.
func TestModelIsAskedOfManyGroups(t *testing.T) {
	o := options(t)
	var two []map[string]any
	ask := func(m *memory) { // the author's answers about the groups, in their order
		script := model("", "")
		o.Generator = script
		m.evolve(o, PlanOptions{})
		a, _ := author{}.Generate(t.Context(), llm.Request{Prompt: script.Requests()[0].Prompt})
		var all struct{ Lessons []map[string]any }
		require.NoError(t, json.Unmarshal(a.JSON, &all))
		two = all.Lessons
	}
	ask(planted(t, shop()))
	one, other := two[0], two[1]
	t.Run("one call", func(t *testing.T) {
		m := planted(t, shop())
		script := model(answers(one, other))
		o.Generator = script
		p := total(m.evolve(o, PlanOptions{}))
		require.Equal(t, 1, p.Calls)
		require.Len(t, m.live(tree.Experience), 2)
		require.Len(t, m.live(tree.Strategy), 1)
		require.Equal(t, "rules", m.live(tree.Strategy)[0].Provenance.Analyst)
		m.settled(o)
	})
	t.Run("halves", func(t *testing.T) {
		m := planted(t, shop())
		script := model("nonsense", "nonsense", answers(one), answers(other))
		o.Generator = script
		m.evolve(o, PlanOptions{})
		require.Len(t, m.live(tree.Experience), 2)
		require.Len(t, script.Requests(), 4)
	})
	t.Run("one is left out", func(t *testing.T) {
		m := planted(t, shop())
		script := model(answers(one), answers(other))
		o.Generator = script
		m.evolve(o, PlanOptions{})
		require.Len(t, m.live(tree.Experience), 2)
		require.Len(t, script.Requests(), 2)
		require.Contains(t, script.Requests()[1].Prompt, "there was none about this group")
	})
}

// An answer that cannot be read is refused. Then the rules write, and the model is not called twice.
func TestModelAnswersNonsense(t *testing.T) {
	for name, bad := range map[string]string{
		"garbage": "I am sorry, Dave.", "nothing": "", "half": answer(nil)[:80],
		"groups it was not given": answers(said(nil), said(nil)),
		"cases it was not given":  answer(func(a, _, _ map[string]any) { a["cases"] = []int{1, 99} }),
		"nothing of the group":    `{"lessons":[]}`,
	} {
		t.Run(name, func(t *testing.T) {
			m := planted(t, sums())
			o := options(t)
			script := model(bad, bad)
			o.Generator = script
			p := total(m.evolve(o, PlanOptions{}))
			require.Len(t, p.Rejections, 1)
			require.Equal(t, "model", p.Rejections[0].By)
			require.True(t, strings.HasPrefix(p.Rejections[0].Reasons[0], "answer: "))
			require.Equal(t, "rules", m.live(tree.Experience)[0].Provenance.Analyst)
			asked := len(script.Requests())
			m.settled(o)
			require.Len(t, script.Requests(), asked)
		})
	}
}

// A model that cannot be reached settles no job: the rules write, and the model is called when it is back.
func TestModelIsDown(t *testing.T) {
	m := planted(t, sums())
	o := options(t)
	o.Generator = llmtest.NewScript(llmtest.ScriptStep{Err: &llm.Error{Kind: llm.KindUnavailable,
		Err: errors.New("down")}})
	p := total(m.evolve(o, PlanOptions{}))
	require.Len(t, p.Notes, 1)
	require.Equal(t, 1, p.Calls, "it is not asked again and again")
	n := m.lesson("t_sums", taxonomy.FalsePass)
	require.Equal(t, "rules", n.Provenance.Analyst)
	require.True(t, n.Provenance.Again)
	o.Generator = model(answer(nil))
	m.evolve(o, PlanOptions{})
	n = m.lesson("t_sums", taxonomy.FalsePass)
	require.Equal(t, "model", n.Provenance.Analyst)
	require.False(t, n.Provenance.Again)
	m.settled(o)
}

// A missing answer settles nothing: the rules write, the model is called once in a work, and again in the next one.
func TestNoAnswerSettlesNothing(t *testing.T) {
	good := model(answer(nil))
	for _, kind := range []llm.ErrorKind{
		llm.KindNoAnswer, llm.KindRefused, llm.KindTooLarge, llm.KindUnauthorised, llm.KindNotFound, llm.KindBadRequest,
		llm.KindTimeout, llm.KindRateLimited, llm.KindNotRecorded,
	} {
		t.Run(string(kind), func(t *testing.T) {
			m := planted(t, sums())
			failed := llmtest.ScriptStep{Err: &llm.Error{Kind: kind}}
			o, bad := options(t), llmtest.NewScript(failed, failed)
			o.Generator = bad
			attempts := &Attempts{}
			for range 3 {
				m.evolve(o, PlanOptions{Attempts: attempts})
			}
			require.Len(t, bad.Requests(), 1)
			require.True(t, m.lesson("t_sums", taxonomy.FalsePass).Provenance.Again)
			o.Generator = good
			m.evolve(o, PlanOptions{})
			require.Equal(t, "model", m.lesson("t_sums", taxonomy.FalsePass).Provenance.Analyst)
			m.settled(o)
			good = model(answer(nil))
		})
	}
	t.Run("at the repair", func(t *testing.T) {
		m := planted(t, sums())
		o := options(t)
		o.Generator = llmtest.NewScript(llmtest.ScriptStep{Text: answer(func(a, _,
			_ map[string]any) {
			a["cases"] = []int{99}
		})},
			llmtest.ScriptStep{Err: &llm.Error{Kind: llm.KindTimeout}})
		require.Empty(t, total(m.evolve(o, PlanOptions{})).Rejections)
		require.True(t, m.lesson("t_sums", taxonomy.FalsePass).Provenance.Again)
	})
}

func TestMaxCalls(t *testing.T) {
	m := planted(t, shop())
	o := options(t)
	o.Generator = author{}
	p := total(m.evolve(o, PlanOptions{MaxCalls: new(0)}))
	require.Zero(t, p.Calls)
	require.Equal(t, 2, p.Waiting)
	require.Empty(t, m.live(tree.Experience))
	p = total(m.evolve(o, PlanOptions{MaxCalls: new(1)}))
	require.Equal(t, 1, p.Calls, "about both")
	require.Zero(t, p.Waiting)
}

// A call that could cost more than is left is not made.
func TestMaxCost(t *testing.T) {
	for _, c := range []struct {
		most  *float64
		calls int
	}{{nil, 1}, {new(0.0), 0}, {new(1e-9), 0}, {new(1.0), 1}} {
		m := planted(t, sums())
		o := options(t)
		o.Generator, o.Model = model(answer(nil)), "scripted"
		var last PlanProgress
		p := total(m.evolve(o, PlanOptions{MaxCost: c.most, Price: meter.Price{In: 1, Out: 2},
			Progress: func(s PlanProgress) { last = s }}))
		require.Equal(t, c.calls, p.Calls)
		require.Equal(t, 1-c.calls, p.Waiting)
		require.Equal(t, c.calls, last.Calls)
		require.InDelta(t, float64(c.calls)*(1000*1+100*2)/1e6, last.Cost, 1e-12)
	}
}

// Cancelled between calls, a plan leaves the answers it received in the cache, and the next one requests the rest.
func TestInterruptedPlanResumes(t *testing.T) {
	nodes := shop()
	for i := range nodes { // a call for each language
		if strings.Contains(saidOf(&nodes[i]), "month") {
			nodes[i].Lang = "zh"
		}
	}
	m := planted(t, nodes)
	o := options(t)
	ctx, cancel := context.WithCancel(t.Context())
	o.Generator = stopping{author{}, cancel}
	o.Cache = kept{m}
	e := New(o)
	var last error
	for p, err := range e.Plan(ctx, m, PlanOptions{}) {
		if last = err; err == nil {
			m.apply(p.Changes)
		}
	}
	require.ErrorIs(t, last, context.Canceled)
	require.Len(t, m.kept, 1)
	require.Empty(t, m.live(tree.Experience))

	o.Generator = author{}
	p := total(m.evolve(o, PlanOptions{}))
	require.Equal(t, 1, p.Calls, "about the dates")
	require.Len(t, m.live(tree.Experience), 2)
	require.Len(t, m.live(tree.Strategy), 1)
	m.settled(o)
}

// author is a model that has read the shop: it writes a lesson of sums or of dates about each
// group.
type author struct{}

func (author) Generate(_ context.Context, r llm.Request) (llm.Answer, error) {
	var groups []map[string]any
	for _, g := range strings.Split(r.Prompt, `<data name="group `)[1:] {
		groups = append(groups, said(func(a, en, zh map[string]any) {
			a["cases"] = numbered(g)
			if strings.Contains(g, "sum of its lines") {
				return
			}
			en["title"], en["do"] = "The month of a date is in a foreign language",
				"Read the month of each date and compare its language with the language of the account."
			en["mistake"], en["when"] = "the month in a foreign language is overlooked",
				"the task asks for a date in the language of the account"
			zh["title"], zh["do"] = "日期的月份是另一种语言", "看每个日期的月份，与账户的语言比较。"
			zh["mistake"], zh["when"] = "没有注意到月份是另一种语言", "任务要求日期用账户的语言"
		}))
	}
	return llm.Answer{JSON: json.RawMessage(answers(groups...)), Model: "author"}, nil
}

type stopping struct {
	llm.Generator
	stop func()
}

func (s stopping) Generate(ctx context.Context, r llm.Request) (llm.Answer, error) {
	if err := ctx.Err(); err != nil {
		return llm.Answer{}, &llm.Error{Kind: llm.KindCancelled, Err: err}
	}
	a, err := s.Generator.Generate(ctx, r)
	s.stop()
	return a, err
}

// Planning may stop after any partition. Planning again then leads to the same tree.
func TestPlanMayStopAfterAnyPartition(t *testing.T) {
	nodes := append(shop(), many(60, 12)...)
	o := with(parsed(t, shopChecks+strings.TrimPrefix(causeChecks(8), "checks:\n")))
	whole := planted(t, nodes)
	whole.evolve(o, PlanOptions{})
	for _, stop := range []int{1, 2, 4, 7} {
		m := planted(t, nodes)
		o := o
		o.Cache = kept{m}
		n := 0
		for p, err := range evolver(t, o).Plan(t.Context(), m, PlanOptions{}) {
			require.NoError(t, err)
			m.apply(p.Changes)
			if n++; n == stop {
				break
			}
		}
		m.evolve(o, PlanOptions{})
		for id, n := range whole.nodes {
			got := m.nodes[id]
			require.Equal(t, n.Parent, got.Parent)
			require.Equal(t, n.Children, got.Children)
			require.Equal(t, n.Content, got.Content)
		}
		m.settled(o)
	}
}
