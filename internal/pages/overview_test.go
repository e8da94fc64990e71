package pages

import (
	"fmt"
	"html"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/curation"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// team is a visitor of a tree with two weeks of two products: one labelled, one not, one half.
func team(t *testing.T) *Visitor {
	t.Helper()
	at := time.Date(2026, 3, 11, 1, 0, 0, 0, time.UTC) // a Wednesday
	m, err := memtree.Open(t.Context(), "", &memtree.Options{
		InMemory: true, Deadline: time.Minute, Now: func() time.Time { return at.AddDate(0, 0, 14) },
	})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, m.Close()) })
	var all []memtree.Evaluation
	for i := range 30 {
		e := memtree.Evaluation{
			ID: fmt.Sprint(
				"run-",
				i,
			), RunID: fmt.Sprint("night-", i/10), CaseID: fmt.Sprint("T", i), Judgment: tree.Raw(`"pass"`),
			Prompt: fmt.Sprintf("Add %d items to the cart and check the total on the cart page", i),
			Scope:  tree.Scope{Product: []string{"shop", "shop", ""}[i/10]}, At: at.AddDate(0, 0, 7*(i/20)),
		}
		switch {
		case i < 10:
			e.GroundTruth = tree.Raw(`"pass"`)
			if i < 3 {
				e.GroundTruth = tree.Raw(`"fail"`)
				e.Reason = fmt.Sprintf("The total was not recomputed from prices and quantities. It had %d items.", i)
			}
		case i >= 20 && i < 22:
			e.Judgment, e.GroundTruth = tree.Raw(`"fail"`), tree.Raw(`"pass"`)
		}
		all = append(all, e)
	}
	_, err = m.RecordAll(t.Context(), all)
	require.NoError(t, err)
	require.NoError(t, m.Wait(t.Context()))
	return &Visitor{Memory: m, Tree: "default", Who: "ann", Admin: true, Lang: "en"}
}

// see returns a page as a visitor sees it.
func see(t *testing.T, v *Visitor, id, query string) string {
	t.Helper()
	s, err := New()
	require.NoError(t, err)
	for _, p := range Routes() {
		if p.ID == id {
			w := httptest.NewRecorder()
			require.NoError(t, p.Do(s, w, httptest.NewRequest(p.Method, "/trees/default/"+id+query, nil), v))
			return w.Body.String()
		}
	}
	t.Fatal("no page " + id)
	return ""
}

// Every figure links to a list of just so many verdicts, and a week without a label has no share.
func TestOverviewFiguresAreTheirLists(t *testing.T) {
	v := team(t)
	body := see(t, v, "overview", "")
	links := regexp.MustCompile(`href="/trees/default/verdicts([^"]*)">(?:All )?(\d+)[ <]`).FindAllStringSubmatch(body, -1)
	require.Greater(t, len(links), 8)
	for _, l := range links {
		require.Contains(t, see(t, v, "verdicts", html.UnescapeString(l[1])), `role="status">`+l[2]+" verdicts", l[0])
	}
	cases := regexp.MustCompile(`href="/trees/default/memories([^"]*)">(\d+) cases`).FindAllStringSubmatch(body, -1)
	require.NotEmpty(t, cases)
	for _, l := range cases {
		listed := regexp.MustCompile(`href="/trees/default/memories/c_`).FindAllString(
			see(t, v, "memories", html.UnescapeString(l[1])), -1)
		require.Len(t, listed, int(l[2][0]-'0'), l[0])
	}
	require.Contains(t, body, "no labels", "of a night that nobody labelled no share is known")
	require.Contains(t, body, `<strong>18</strong> verdicts need a label`)
}

func TestPeriods(t *testing.T) {
	all, err := verdictsOf(t.Context(), team(t).Memory)
	require.NoError(t, err)
	weeks := periods(all, weekOf)
	require.Len(t, weeks, 2)
	bare, shop := weeks[0], weeks[1]
	require.True(t, bare.NoProduct)
	require.Equal(t, "2026-03-16 2026-03-22", bare.Since+" "+bare.Until)
	require.Equal(t, [4]int{10, 2, 0, 2}, [4]int{bare.All, bare.Labelled, bare.Passed, bare.Alarm})
	require.Empty(t, bare.Share(bare.Alarm), "two labels make no percentage")
	require.Equal(t, [4]int{20, 10, 3, 0}, [4]int{shop.All, shop.Labelled, shop.Passed, shop.Alarm})
	require.Equal(t, "30 %", shop.Share(shop.Passed))
	nights := periods(all, func(v *verdictOf) choice { return choice{Run: v.RunID} })
	require.Len(t, nights, 3)
	require.Equal(t, "night-2", nights[0].Run)
	require.Zero(t, nights[2].Labelled*nights[1].Labelled, "a night without a label")
}

// Labels and decisions on memories are listed with their authors; the page takes the last one back.
func TestHistory(t *testing.T) {
	v := team(t)
	no := false
	c := v.Memory.Curation()
	done, err := c.Relabel(
		t.Context(),
		"run-15",
		curation.Truth{Correct: &no, Direction: taxonomy.FalsePass},
		curation.Options{By: "bo"},
	)
	require.NoError(t, err)
	_, err = c.Ban(t.Context(), done.Verdict.Node, curation.Options{By: "ann", Why: "a <test> of ours"})
	require.NoError(t, err)
	body := see(t, v, "history", "")
	require.Contains(t, body, "Verdict labelled: wrong (defect missed)")
	require.Contains(t, body, "bo · ")
	require.Contains(t, body, "a &lt;test&gt; of ours")
	require.Contains(t, body, "Signed in as ann")
	require.Equal(t, 1, strings.Count(body, `name="of"`), "what a later decision is about is not taken back before it")
	require.NotContains(t, see(t, v, "history", "?by=bo"), "a &lt;test&gt; of ours")
	_, err = c.Undo(t.Context(), done.Verdict.Node, curation.Options{By: "cy", Over: true})
	require.NoError(t, err)
	body = see(t, v, "history", "")
	require.Contains(t, body, "<s>Banned</s>")
	require.Contains(t, body, `name="of" value="`+done.Action.ID)
}

// The page of a case with a person's label shows what was true, and its note once.
func TestTruthOfALabelledCase(t *testing.T) {
	v := team(t)
	no := false
	done, err := v.Memory.Curation().Relabel(t.Context(), "run-15", curation.Truth{Correct: &no, Reason: "Zzz was off."},
		curation.Options{})
	require.NoError(t, err)
	s, err := New()
	require.NoError(t, err)
	w, r := httptest.NewRecorder(), httptest.NewRequest("GET", "/trees/default/memories/x", nil)
	r.SetPathValue("id", done.Verdict.Node)
	require.NoError(t, s.memory(w, r, v))
	body := w.Body.String()
	require.Contains(t, body, "<dt>What was true</dt><dd><strong>it fails</strong></dd>")
	require.Contains(t, body, "<dt>The agent&#39;s verdict</dt><dd><strong>it passes</strong></dd>")
	require.Equal(t, 1, strings.Count(body, "Zzz was off."), body)
	require.Contains(t, see(t, v, "verdicts", "?label=wrong"), "labelled by a person")

	_, err = v.Memory.Curation().Undo(t.Context(), "", curation.Options{})
	require.NoError(t, err)
	require.NotContains(t, see(t, v, "verdicts", "?label=none"), "labelled by")
	v.Lang = "zh"
	require.NotContains(t, see(t, v, "history", ""), "person")
	body = see(t, v, "memories", "")
	require.Contains(t, body, "还没有经验。")
	require.Contains(t, body, `href="/trees/default/memories?level=case">使用中的案例：5 个`)
}
