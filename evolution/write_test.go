package evolution

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/llm"
	"github.com/memtree/memtree/llm/llmtest"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// answer is what a good model says about sums; edit makes it another.
func answer(edit func(a map[string]any, lesson map[string]any)) string {
	lesson := map[string]any{
		"op": "ADD", "id": "", "check": "Where an order shows lines and a total, " +
			"add the lines up and compare their sum with the total.",
		"instead": "The total is right if it equals the exact sum.", "mistake": "the rounded total is taken for the sum",
		"cites": []int{1, 2, 3, 4, 5},
	}
	a := map[string]any{
		"title": "Totals that are not the sum of their lines", "summary": "The agent did not add the lines up.",
		"lessons": []any{lesson}, "appliesWhen": []string{"the task compares a total with lines"},
		"notWhen": []string{"no total is shown"},
	}
	if edit != nil {
		edit(a, lesson)
	}
	b, _ := json.Marshal(a)
	return string(b)
}

func model(texts ...string) *llmtest.Script {
	var steps []llmtest.Step
	for _, s := range texts {
		steps = append(steps, llmtest.Step{Text: s, Usage: llm.Usage{InputTokens: 1000, OutputTokens: 100}})
	}
	return llmtest.NewScript(steps...)
}

// total adds up what plans say.
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

// A model can say something of cases whose check nobody knows.
func TestModelWritesOfUntypedCases(t *testing.T) {
	m := planted(t, append(notes(), upside(0, ""), upside(1, ""), upside(2, "")))
	o := options(t)
	o.Generator = model(answer(func(a, l map[string]any) {
		a["title"], a["summary"], a["appliesWhen"] = "Pictures upside down", "A picture was shown upside down.",
			[]string{"a gallery shows a picture"}
		l["check"], l["instead"], l["mistake"],
			l["cites"] = "Look at each picture in the gallery and see that none is upside down.", "", "", []int{1, 2, 3}
	}))
	m.evolve(o, PlanOptions{})
	require.Len(t, m.live(tree.Experience), 1)
	require.Len(t, m.live(tree.Experience)[0].Children, 3)
	require.Empty(t, kindOf(&m.live(tree.Experience)[0]))
	m.settled(o)
}

// A lesson that a model keeps has the same words, source and check as before.
func TestModelKeeps(t *testing.T) {
	m := planted(t, sums())
	m.evolve(options(t), PlanOptions{})
	before := m.lesson("t_sums", taxonomy.FalsePass).Content.Lessons[0]
	m.plant(sum(30, "coupon"), sum(31, "quote"))
	o := options(t)
	script := model(answer(func(a, l map[string]any) {
		l["op"], l["id"], l["check"], l["instead"], l["mistake"], l["cites"] = "KEEP", "L1", "", "", "",
			[]int{1, 2, 3, 4, 5, 6, 7}
	}))
	o.Generator = script
	p := total(m.evolve(o, PlanOptions{}))
	require.Empty(t, p.Rejections)
	require.Contains(t, script.Requests()[0].Prompt, "L1")
	after := m.lesson("t_sums", taxonomy.FalsePass)
	require.Equal(t, "model", after.Provenance.Analyst)
	l := after.Content.Lessons[0]
	require.Len(t, l.Cites, 7)
	l.Cites, l.Tests, l.Times = before.Cites, before.Tests, before.Times
	require.Equal(t, before, l)
	m.settled(o)
}

// An answer that cannot be read is refused. Then the rules write, and the model is not
// asked twice.
func TestModelAnswersNonsense(t *testing.T) {
	for name, bad := range map[string]string{
		"garbage": "I am sorry, Dave.", "nothing": "", "half": answer(nil)[:80],
		"ids it was not given":   answer(func(a, l map[string]any) { l["op"], l["id"] = "KEEP", "l_abc" }),
		"cases it was not given": answer(func(a, l map[string]any) { l["cites"] = []int{1, 99} }),
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

// A model that cannot be reached says nothing about a job: the rules write, and
// the model is asked when it is back.
func TestModelIsDown(t *testing.T) {
	m := planted(t, sums())
	o := options(t)
	o.Generator = llmtest.NewScript(llmtest.Step{Err: &llm.Error{Kind: llm.KindUnavailable, Err: errors.New("down")}})
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

// What is no answer settles nothing: the rules write, the model is asked once in a work, and again in
// the next one.
func TestNoAnswerSettlesNothing(t *testing.T) {
	good := model(answer(nil))
	for _, kind := range []llm.Kind{
		llm.KindNoAnswer, llm.KindRefused, llm.KindTooLarge, llm.KindUnauthorised, llm.KindNotFound, llm.KindBadRequest,
		llm.KindTimeout, llm.KindRateLimited, llm.KindNotRecorded,
	} {
		t.Run(string(kind), func(t *testing.T) {
			m := planted(t, sums())
			failed := llmtest.Step{Err: &llm.Error{Kind: kind}}
			o, bad := options(t), llmtest.NewScript(failed, failed)
			o.Generator = bad
			vain := &Vain{}
			for range 3 {
				m.evolve(o, PlanOptions{Vain: vain})
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
		o.Generator = llmtest.NewScript(llmtest.Step{Text: answer(func(_, l map[string]any) { l["cites"] = []int{1, 99} })},
			llmtest.Step{Err: &llm.Error{Kind: llm.KindTimeout}})
		require.Empty(t, total(m.evolve(o, PlanOptions{})).Rejections)
		require.True(t, m.lesson("t_sums", taxonomy.FalsePass).Provenance.Again)
	})
}

func TestMaxCalls(t *testing.T) {
	m := planted(t, shop())
	o := options(t)
	o.Generator = model(answer(nil), answer(nil), answer(nil))
	p := total(m.evolve(o, PlanOptions{MaxCalls: new(0)}))
	require.Zero(t, p.Calls)
	require.Equal(t, 2, p.Waiting)
	require.Empty(t, m.live(tree.Experience))
	p = total(m.evolve(o, PlanOptions{MaxCalls: new(1)}))
	require.Equal(t, 1, p.Calls)
	require.Equal(t, 1, p.Waiting)
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
		var last Progress
		p := total(m.evolve(o, PlanOptions{MaxCost: c.most, Price: Price{In: 1, Out: 2},
			Progress: func(s Progress) { last = s }}))
		require.Equal(t, c.calls, p.Calls)
		require.Equal(t, 1-c.calls, p.Waiting)
		require.Equal(t, c.calls, last.Calls)
		require.InDelta(t, float64(c.calls)*(1000*1+100*2)/1e6, last.Cost, 1e-12)
	}
}

// Cancelled between jobs, a plan leaves what it has settled in the cache, and the
// next one asks for the rest.
func TestInterruptedPlanResumes(t *testing.T) {
	m := planted(t, shop())
	o := options(t)
	ctx, cancel := context.WithCancel(t.Context())
	o.Generator = stopping{author{}, cancel}
	o.Cache = kept{m}
	e, err := New(o)
	require.NoError(t, err)
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
	require.Equal(t, 2, p.Calls, "the other experience and the strategy")
	require.Len(t, m.live(tree.Experience), 2)
	require.Len(t, m.live(tree.Strategy), 1)
	m.settled(o)
}

// author is a model that has read the shop: it writes a lesson of the sums it is
// shown, one of the dates, or both.
type author struct{}

func (author) Generate(_ context.Context, r llm.Request) (llm.Answer, error) {
	cites := func(about string) []int {
		var out []int
		for _, c := range strings.Split(r.Prompt, `<data name="case `)[1:] {
			n, rest, _ := strings.Cut(c, `"`)
			text, _, _ := strings.Cut(rest, "</data>")
			if i, err := strconv.Atoi(n); err == nil && strings.Contains(text, about) {
				out = append(out, i)
			}
		}
		return out
	}
	sums, dates := cites("sum of its lines"), cites("date")
	b := answer(func(a, l map[string]any) {
		l["cites"] = sums
		of := map[string]any{
			"op": "ADD", "id": "", "check": "Read the month of each date and compare its language with the language " +
				"of the account.",
			"instead": "", "mistake": "the month in a foreign language is overlooked", "cites": dates,
		}
		switch {
		case len(dates) > 0 && len(sums) > 0:
			a["title"], a["lessons"], a["summary"] = "Totals and dates that were not read to the end", []any{l, of},
				"The agent did not add the lines up, or overlooked the month."
		case len(dates) > 0:
			a["title"], a["lessons"], a["summary"] = "The month of a date is in a foreign language", []any{of},
				"The month of the date was in a foreign language."
			a["appliesWhen"], a["notWhen"] = []string{"the task asks for a date in the language of the account"}, []string{}
		}
	})
	return llm.Answer{JSON: json.RawMessage(b), Model: "author"}, nil
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
