package retrieval

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/internal/embed/use"
	"github.com/memtree/memtree/llm/llmtest"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

var noon = time.Date(2026, 1, 28, 12, 0, 0, 0, time.UTC)

// aCase makes a live case.
func aCase(prompt string, change ...func(*tree.Node)) tree.Node {
	n := tree.Node{
		Type: tree.Case, Level: 1, ErrorType: "content_validation_error", Direction: taxonomy.FalsePass,
		Content:  tree.Content{Guidance: "look again", Confidence: 0.6},
		Metadata: tree.Metadata{CreatedAt: noon, UpdatedAt: noon},
		CaseData: &tree.CaseData{TestCase: tree.TestCase{Prompt: prompt}, AgentJudgment: "pass"},
		Lang:     "en", Status: tree.Active, Revision: 1,
	}
	for _, f := range change {
		f(&n)
	}
	if n.ID == "" {
		n.ID = tree.EvidenceID(&n)
	}
	return n
}

// above makes a live experience or strategy over children.
func above(t tree.Type, id, says string, change ...func(*tree.Node)) tree.Node {
	n := tree.Node{
		ID: id, Type: t, Level: t.Level(), ErrorType: "content_validation_error", Direction: taxonomy.FalsePass,
		Content: tree.Content{Title: says, Guidance: "look again", Confidence: 0.6},
		Lang:    "en", Status: tree.Active, Revision: 1, Metadata: tree.Metadata{CreatedAt: noon, UpdatedAt: noon},
	}
	for _, f := range change {
		f(&n)
	}
	return n
}

func in(id, kind, route string) func(*tree.Node) {
	return func(n *tree.Node) { n.Scene = tree.Scene{ID: id, Type: kind, Route: route} }
}

// spell is an embedder that costs nothing.
func spell(testing.TB) llmtest.Spell { return llmtest.Spell{} }

func encoder(tb testing.TB) *use.Encoder {
	tb.Helper()
	e, err := use.Default()
	require.NoError(tb, err)
	return e
}

func indexOf(tb testing.TB, nodes ...tree.Node) *Index {
	tb.Helper()
	ix := New(taxonomy.Default(), encoder(tb))
	require.NoError(tb, ix.Update(tb.Context(), 1, nodes))
	return ix
}

// byWords returns an index without an embedder.
func byWords(tb testing.TB, nodes ...tree.Node) *Index {
	tb.Helper()
	ix := New(taxonomy.Default(), nil)
	require.NoError(tb, ix.Update(tb.Context(), 1, nodes))
	return ix
}

func ask(tb testing.TB, ix *Index, q Query) Result {
	tb.Helper()
	r, err := ix.Search(context.Background(), q)
	require.NoError(tb, err)
	return r
}

func ids(hits []Hit) []string {
	out := []string{}
	for _, h := range hits {
		out = append(out, h.ID)
	}
	return out
}

func TestSearchFindsTheSamePlaceAndTheSameWords(t *testing.T) {
	place := aCase("check that the total of the order equals the sum of its lines", in("SCENE_1", "form", "/orders/42"))
	words := aCase("verify the login button is disabled until a password is typed", in("SCENE_2", "login", "/login"))
	far := aCase("the avatar is round and shows initials when there is no picture", in("SCENE_3", "list", "/people"))
	ix := indexOf(t, place, words, far)

	here := tree.Scene{ID: "SCENE_1", Route: "/orders/77?tab=1"}
	r := ask(t, ix, Query{Prompt: "the total of an order with a voucher", Scene: here})
	require.Equal(t, []string{place.ID}, ids(r.Hits))
	require.InDelta(t, 1, r.Hits[0].Rel, 1e-9)
	require.True(t, ask(t, ix, Query{Prompt: "something else altogether", Scene: here}).Abstained, "a place is no reason")

	r = ask(t, ix, Query{Prompt: "Verify the login button is disabled until a password was typed"})
	require.Equal(t, []string{words.ID}, ids(r.Hits))
	require.LessOrEqual(t, r.Hits[0].Rel, 0.8)

	r = ask(t, ix, Query{Prompt: "今天天气怎么样"})
	require.True(t, r.Abstained)
	require.Empty(t, r.Hits)
	require.NotNil(t, r.Nearest)
}

func TestForksGoTheirOwnWays(t *testing.T) {
	place := aCase("check that the total of the order equals the sum of its lines", in("SCENE_1", "form", "/orders/42"))
	words := aCase("verify the login button is disabled until a password is typed", in("SCENE_2", "login", "/login"))
	ix := indexOf(t, place, words)
	q := Query{Prompt: words.CaseData.TestCase.Prompt}
	want := ask(t, ix, q)
	fork := ix.Fork()
	require.Equal(t, want, ask(t, fork, q))
	gone := words.Clone()
	gone.Status = tree.Archived
	require.NoError(t, fork.Update(t.Context(), 2, []tree.Node{gone}))
	require.NotContains(t, ids(ask(t, fork, q).Hits), words.ID)
	require.Equal(t, want, ask(t, ix, q))
	require.NoError(t, ix.Update(t.Context(), 2,
		[]tree.Node{aCase("the avatar is round", in("SCENE_3", "list", "/people"))}))
	require.Equal(t, 1, fork.Stats().Nodes)
}

func TestSaveAndLoadGiveTheSameAnswers(t *testing.T) {
	place := aCase("check that the total of the order equals the sum of its lines", in("SCENE_1", "form", "/orders/42"))
	words := aCase("verify the login button is disabled until a password is typed", in("SCENE_2", "login", "/login"))
	ix := indexOf(t, place, words)
	s := shelf{}
	s.store(t, ix)
	loaded := s.load(t, taxonomy.Default(), encoder(t))
	require.Equal(t, ix.Version(), loaded.Version())
	q := Query{Prompt: "is the login button disabled without password", Now: noon.Add(24 * time.Hour)}
	want, err := ix.Explain(t.Context(), q)
	require.NoError(t, err)
	got, err := loaded.Explain(t.Context(), q)
	require.NoError(t, err)
	require.Equal(t, want, got)
}
