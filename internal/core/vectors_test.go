package core

import (
	"log/slog"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/llm"
	"github.com/memtree/memtree/llm/llmtest"
	"github.com/memtree/memtree/retrieval"
	"github.com/memtree/memtree/store"
	jsonstore "github.com/memtree/memtree/store/json"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// opened opens a core over a store with an embedder, nil for the built-in encoder.
func opened(t *testing.T, s store.Store, e llm.Embedder) *Core {
	t.Helper()
	c, err := Open(t.Context(), Options{
		Store: s, Taxonomy: taxonomy.Default(), Logger: slog.New(slog.DiscardHandler), Embedder: e,
		Commit: func(*store.Batch, []tree.Node) {}, Counting: func(e llm.Embedder) llm.Embedder { return e },
	})
	require.NoError(t, err)
	return c
}

// TestOldVectorsAreMadeAnew: an index with vectors of another embedder, opened by a program with the encoder, answers
// by words at once. The worker computes the new vectors; the next process finds them in the index.
func TestOldVectorsAreMadeAnew(t *testing.T) {
	store, err := jsonstore.OpenMemory(t.Context(), jsonstore.Options{Started: noon})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, store.Close()) })
	const cases = 3*fewTexts + 1
	c := opened(t, store, llmtest.Spell{})
	for i := range cases {
		require.NoError(t, c.Apply(t.Context(), added(aCase(i))))
	}
	require.NoError(t, c.WaitVectors(t.Context()))
	require.Equal(t, cases, c.Index().Stats().Vectors)
	require.NoError(t, c.Close(t.Context()))

	c = opened(t, store, nil)
	require.Zero(t, c.Index().Stats().Vectors)
	ask := retrieval.Query{Prompt: aCase(7).CaseData.TestCase.Prompt, Now: noon}
	r, err := c.Index().Search(t.Context(), ask)
	require.NoError(t, err)
	require.NotEmpty(t, r.Hits)
	require.Contains(t, r.Note, "found by words alone")
	require.Contains(t, c.Note(c.Index().Stats()), "193 of 193 memories are found by words alone")
	require.NoError(t, c.WaitVectors(t.Context()))
	require.Equal(t, cases, c.Index().Stats().Vectors)
	require.Empty(t, c.Note(c.Index().Stats()))
	require.NoError(t, c.Close(t.Context()))

	c = opened(t, store, nil)
	require.Equal(t, cases, c.Index().Stats().Vectors)
	r, err = c.Index().Search(t.Context(), ask)
	require.NoError(t, err)
	require.Empty(t, r.Note)
	require.NoError(t, c.Close(t.Context()))
}

// TestALostIndexIsAnsweredByWords: many texts get their vectors from the worker, a few at once.
func TestALostIndexIsAnsweredByWords(t *testing.T) {
	for _, cases := range []int{fewTexts, fewTexts + 1} {
		store, err := jsonstore.OpenMemory(t.Context(), jsonstore.Options{Started: noon})
		require.NoError(t, err)
		c := opened(t, store, nil)
		for i := range cases {
			require.NoError(t, c.Apply(t.Context(), added(aCase(i))))
			require.Equal(t, i+1, c.Index().Stats().Vectors)
		}
		require.NoError(t, c.vectors.Save(t.Context())) // which forgets them
		lost, err := c.newIndex(t.Context())
		require.NoError(t, err)
		require.Equal(t, map[bool]int{true: cases}[cases <= fewTexts], lost.Stats().Vectors)
		require.NoError(t, c.Close(t.Context()))
		require.NoError(t, store.Close())
	}
}

// TestNoVectorOfAnUnknownLanguage: such a text is found by words, and no note reports it.
func TestNoVectorOfAnUnknownLanguage(t *testing.T) {
	w := open(t)
	n := aCase(1)
	n.CaseData = &tree.CaseData{TestCase: tree.TestCase{CaseID: "t", Prompt: "Проверьте сумму заказа"},
		AgentJudgment: "да", ActualError: "нет", ErrorReason: "сумма не проверена", AvoidanceHint: "проверьте"}
	n.Content.Description, n.Content.Guidance = "сумма не проверена", "проверьте сумму"
	n.ID = tree.EvidenceID(&n)
	require.NoError(t, w.Apply(t.Context(), added(n)))
	require.NoError(t, w.WaitVectors(t.Context()))
	require.Zero(t, w.Index().Stats().Vectors)
	require.Empty(t, w.Note(w.Index().Stats()))
}
