package memtree_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/fact"
	"github.com/memtree/memtree/tree"
)

// TestAnswersOfThePage: what a program found on the page for a check reaches the text, the checks and
// the risk of a verdict.
func TestAnswersOfThePage(t *testing.T) {
	m, err := memtree.Open(t.Context(), "", &memtree.Options{Deadline: time.Minute, InMemory: true})
	require.NoError(t, err)
	scene := tree.Scene{Route: "/login"}
	const prompt = "Check the sign-in page"
	err = m.Record(t.Context(), memtree.Evaluation{
		CaseID: "t1", Prompt: prompt, Scene: scene, Judgment: tree.Raw(`{"verdict":"pass"}`),
		GroundTruth: tree.Raw(`{"verdict":"fail","defect_details":["The password field is of type text"]}`),
	})
	require.NoError(t, err)
	require.NoError(t, m.Wait(t.Context()))
	const page = "- heading \"Sign in\"\n- textbox \"Password\"\n- button \"Go\"\n- link \"Home\"\n"
	ask := func(seen string) memtree.Query {
		return memtree.Query{Prompt: prompt, Scene: scene, Observation: seen, Scope: tree.Scope{Test: "t1"}}
	}
	checks, err := m.Checks(t.Context(), ask(page))
	require.NoError(t, err)
	require.Len(t, checks, 1)
	require.Equal(t, "unknown", checks[0].State)
	require.NotNil(t, checks[0].Look)
	require.Equal(t, "attribute", checks[0].Look.Is)

	seen := page + "- /check " + checks[0].ID + ": broken text\n"
	checks, err = m.Checks(t.Context(), ask(seen))
	require.NoError(t, err)
	require.Equal(t, fact.Broken.String(), checks[0].State)
	g, err := m.Guide(t.Context(), ask(seen))
	require.NoError(t, err)
	require.Contains(t, g.Text, "is of type text")
	require.NotContains(t, g.Text, "/check", "the line itself is not told")
	r, err := m.Risk(t.Context(), memtree.Evaluation{
		CaseID: "t1", Prompt: prompt, Scene: scene, Observation: seen, Judgment: tree.Raw(`{"verdict":"pass"}`),
	})
	require.NoError(t, err)
	without, err := m.Risk(t.Context(), memtree.Evaluation{
		CaseID: "t1", Prompt: prompt, Scene: scene, Observation: page, Judgment: tree.Raw(`{"verdict":"pass"}`),
	})
	require.NoError(t, err)
	require.Greater(t, r.P, without.P, "a pass that the page denies")
	require.NoError(t, m.Close())
}
