package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/effect"
	"github.com/memtree/memtree/internal/cli/say"
	"github.com/memtree/memtree/internal/golden"
	"github.com/memtree/memtree/internal/plot"
	"github.com/memtree/memtree/internal/text"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

var effectDay = time.Date(2026, 1, 28, 9, 0, 0, 0, time.UTC)

// twoMemories are the memories in the runs of scriptedRuns: one helps at forms, one harms at lists.
var twoMemories = []effective{
	{Title: "Missing validation not noticed", ErrorType: "form_validation_error", Direction: taxonomy.FalsePass,
		Status: tree.Active, Origin: tree.Origin{ID: "o_ours000000", Label: "shop team"}},
	{Title: "Totals accepted without recomputing", ErrorType: "content_validation_error", Direction: taxonomy.FalsePass,
		Status: tree.Active, Origin: tree.Origin{ID: "o_theirs0000"}},
}

// scriptedRuns reports on n runs of an agent that is right in six of ten, and with memory by a lift more or less, at
// forms and at lists.
func scriptedRuns(n int, forms, lists float64, h effect.Holdout) *finding {
	rng := rand.New(rand.NewPCG(3, 3))
	var b effect.Breaker
	var j effect.Joined
	ids := []string{"c_helps00000", "c_harms00000"}
	for i := range n {
		k := i % 2
		m := &twoMemories[k]
		found := []effect.Candidate{{
			ID: ids[k], Rank: 1, Type: tree.Case,
			ErrorType: m.ErrorType, Direction: m.Direction, Origin: m.Origin.ID,
		}}
		r := effect.TrialRun{
			ID: fmt.Sprint("t", i), At: effectDay.Add(time.Duration(i) * time.Hour), Test: fmt.Sprint("test", i%14),
			Scene: tree.Scene{Type: []string{"form", "list"}[k]}, Eligible: found, Arm: effect.None,
			Found: []string{"read", "words"}[k],
		}
		r.Chances = b.Decide([]string{m.ErrorType}, h).Chances
		p := 0.6
		if r.Arm = effect.DrawArm(r.ID, "salt", r.Chances); r.Arm == effect.Memory {
			r.Injected = found
			p += []float64{forms, lists}[k]
		}
		if r.Correct = rng.Float64() < p; !r.Correct {
			r.Wrong = effect.Mistake{ErrorType: m.ErrorType, Direction: m.Direction}
		}
		b.Observe(&r)
		j.Runs = append(j.Runs, r)
		j.Asked = append(j.Asked, effect.Asked{At: r.At, Found: true}, effect.Asked{At: r.At, Found: i%4 == 0})
	}
	j.Outcomes = effect.Outcomes{Known: n, Open: n, Unknown: n / 50, Contrary: n / 100, Retries: n / 20, Flipped: n / 40}
	fit := effect.Weigh(j.Runs).Fit(effectDay)
	f := &finding{Report: effect.NewReport(&j, &b, fit)}
	f.Helpful, f.Harmful = []effective{}, []effective{}
	named := func(e effect.Effect) effective {
		x := twoMemories[0]
		if e.ID == ids[1] {
			x = twoMemories[1]
		}
		x.Effect = e
		if n > 600 && x.PHarm > 0.95 {
			x.Status, x.Held = tree.Retired, &tree.Held{Since: effectDay, Was: tree.Active}
		}
		return x
	}
	for _, e := range f.Memories {
		f.all = append(f.all, named(e))
	}
	for _, e := range f.Report.Helpful {
		f.Helpful = append(f.Helpful, named(e))
	}
	for _, e := range f.Report.Harmful {
		f.Harmful = append(f.Harmful, named(e))
	}
	return f
}

// in returns an app in a language, and its output.
func in(lang string) (*app, *bytes.Buffer) { return inTest("--lang", lang) }

// TestEffectAsPrinted compares the report of every kind of history with a golden file, in both languages.
func TestEffectAsPrinted(t *testing.T) {
	for _, lang := range []string{"en", "zh"} {
		a, out := in(lang)
		tax := taxonomy.Default()
		titled := func(name string, f *finding) *finding {
			fmt.Fprintf(out, "\n== %s\n\n", name)
			f.Verdict = f.Report.Verdict.In(lang)
			f.Next = plot.Next(a.Say, f.Report, f.loose())
			return f
		}
		print := func(name string, f *finding) {
			require.NoError(t, a.Print(effectLines(a.Voice, tax, titled(name, f))...))
		}
		print("no run", scriptedRuns(0, 0, 0, effect.Schedule()))
		print("nothing held out", scriptedRuns(60, 0.2, 0, effect.Fixed(0)))
		print("a few runs", scriptedRuns(80, 0.1, 0.1, effect.Schedule()))
		print("one helps and one harms", scriptedRuns(300, 0.3, -0.3, effect.Fixed(0.3)))
		print("it harms", scriptedRuns(300, -0.4, -0.4, effect.Fixed(0.2)))
		three := effect.Fixed(0.2)
		three.Other = 0.3
		helps := scriptedRuns(900, 0.3, 0.3, three)
		print("it helps, with a control", helps)
		both := scriptedRuns(900, 0.3, -0.3, effect.Fixed(0.3))
		for _, by := range groupings {
			require.NoError(t, effectBy(a.Voice, tax, titled("--by "+by, both), by))
		}
		for l := range strings.Lines(out.String()) {
			require.LessOrEqual(t, text.Width(strings.TrimRight(l, "\n")), say.FullWidth, l)
		}
		golden.Equal(t, "testdata/effect."+lang+".golden", out.String())
	}
}

// TestEffectGroupsAsJSON: a list for each grouping, with stable field names.
func TestEffectGroupsAsJSON(t *testing.T) {
	f := scriptedRuns(300, 0.3, -0.3, effect.Fixed(0.3))
	for _, by := range groupings {
		a, out := in("en")
		a.JSON = true
		require.NoError(t, effectBy(a.Voice, taxonomy.Default(), f, by))
		var said struct {
			By     string
			Groups []struct {
				Name            *string
				Runs            *int
				Lift, Low, High *float64
				Effect, SD      *float64
				PHarm           *float64 `json:"pHarm"`
			}
		}
		require.NoError(t, json.Unmarshal(out.Bytes(), &said))
		require.Equal(t, by, said.By)
		require.Len(t, said.Groups, 2)
		for _, g := range said.Groups {
			require.NotEmpty(t, *g.Name)
			require.Positive(t, *g.Runs)
			if by == byNode {
				require.NotNil(t, g.PHarm)
				require.Positive(t, *g.SD)
			} else {
				require.LessOrEqual(t, *g.Low, *g.Lift)
			}
		}
	}
}

// TestEffectPage: the page has its plots, describes them in text, and escapes all texts.
func TestEffectPage(t *testing.T) {
	for _, lang := range []string{"en", "zh"} {
		a, _ := in(lang)
		f := scriptedRuns(300, 0.3, -0.3, effect.Fixed(0.3))
		f.Verdict = f.Report.Verdict.In(lang)
		f.all[0].Title = `</td><script>alert("x")</script>`
		g := plot.Growth{Cases: effect.Growth([]time.Time{effectDay, effectDay.Add(time.Hour)})}
		b, err := renderEffect(a.Voice, taxonomy.Default(), f, &g)
		require.NoError(t, err)
		page := string(b)
		require.NotContains(t, page, "<script")
		require.Contains(t, page, "&lt;script&gt;")
		require.Contains(t, page, `<html lang="`+lang+`">`)
		require.NotContains(t, page, "NaN")
		require.NotContains(t, page, "ZgotmplZ")
		require.Equal(t, 4, strings.Count(page, `role="img"`))
		require.Equal(t, 4, strings.Count(page, "<desc "))
		require.NotContains(t, page, "http://")
		require.NotContains(t, page, "src=")
	}
	a, _ := in("en")
	b, err := renderEffect(a.Voice, taxonomy.Default(), scriptedRuns(0, 0, 0, effect.Schedule()), &plot.Growth{})
	require.NoError(t, err)
	require.NotContains(t, string(b), "<svg", "with nothing to draw nothing is drawn")
}

// TestEffectOfAStore checks the output for a store with held-out runs.
func TestEffectOfAStore(t *testing.T) {
	store := filepath.Join(t.TempDir(), "store")
	clock, half := effectDay, effect.Fixed(0.5)
	m, err := memtree.Open(t.Context(), store, &memtree.Options{Holdout: &half, Now: func() time.Time { return clock }})
	require.NoError(t, err)
	q := memtree.Query{Prompt: "Check that the order form shows an error when the postcode is empty",
		Scene: tree.Scene{ID: "order", Type: "form"}}
	run := func(id, trial string, right bool) {
		e := memtree.Evaluation{RunID: id, CaseID: "postcode", At: clock, Prompt: q.Prompt, Scene: q.Scene, Trial: trial,
			Judgment: tree.Raw(`"pass"`), GroundTruth: tree.Raw(`"fail"`),
			Reason: "The form was submitted without any validation message and the agent did not notice."}
		if right {
			e.Judgment = e.GroundTruth
		}
		require.NoError(t, m.Record(t.Context(), e))
		require.NoError(t, m.Wait(t.Context()))
	}
	run("taught", "", false)
	const runs = 20
	for i := range runs {
		clock = clock.Add(time.Hour)
		q.RunID = fmt.Sprint("run ", i)
		g, err := m.Guide(t.Context(), q)
		require.NoError(t, err)
		if i > 1 { // two runs have no outcome
			run(q.RunID, g.Trial, g.Text != "" || i%3 == 0)
		}
	}
	require.NoError(t, m.Close())

	page := filepath.Join(t.TempDir(), "effect.html")
	code, out, errs := try(t, "", "effect", "--store", store, "--json", "--html", page)
	require.Equal(t, exitOK, code, errs)
	var said struct {
		Runs, Guided, None, Asked, Found int
		Lift, Low, High, EHelp, EHarm    *float64
		State, Verdict, Next             string
		Outcomes                         effect.Outcomes
		Helpful, Harmful                 []any
	}
	require.NoError(t, json.Unmarshal([]byte(out), &said))
	require.Equal(t, []int{runs - 2, runs, runs}, []int{said.Runs, said.Asked, said.Found})
	require.Equal(t, said.Runs, said.Guided+said.None)
	require.Equal(t, effect.Outcomes{Known: runs - 2, Open: 2}, said.Outcomes)
	require.Equal(t, "closed", said.State)
	require.NotNil(t, said.EHelp)
	require.NotEmpty(t, said.Verdict)
	require.NotEmpty(t, said.Next)
	require.NotNil(t, said.Helpful, "a list, if an empty one")
	b, err := os.ReadFile(page)
	require.NoError(t, err)
	require.Contains(t, string(b), "Check that the order form shows an error")

	code, out, errs = try(t, "", "stats", "--store", store)
	require.Equal(t, exitOK, code, errs)
	require.Contains(t, out, "20; memory had something for 100 % of them")
	require.Contains(t, out, "18 have come, 2 not yet")
}
