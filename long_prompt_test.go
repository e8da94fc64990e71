package memtree_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/tree"
)

// longPrompt begins as a task does, and goes on for so many bytes.
func longPrompt(size int) string {
	return "Check the cart total. " + strings.Repeat("Compare it with the lines. ", size/30)
}

// A prompt, step or observation that no evaluation may have is refused before anything reads it, and the run goes on
// with its prompt.
func TestATooLongPromptIsRefused(t *testing.T) {
	m := summed(t, 4)
	long := strings.Repeat("a", tree.MaxField+1)
	for name, q := range map[string]memtree.Query{
		"prompt": {Prompt: long}, "step": {Prompt: "Check it", Step: long},
		"observation": {Prompt: "Check it", Observation: long},
	} {
		g, err := m.Guide(t.Context(), q)
		field := new(tree.FieldError)
		require.ErrorAs(t, err, &field, name)
		require.Equal(t, name, field.Field)
		require.Equal(t, "Check it", g.Enhance("Check it"))
		_, err = m.Explain(t.Context(), q)
		require.ErrorAs(t, err, &field, name)
		_, err = m.Checks(t.Context(), q)
		require.ErrorAs(t, err, &field, name)
	}
}

// Of a long prompt as much is read as a memory holds, so that nothing after it delays a run.
func TestALongPromptIsReadInPart(t *testing.T) {
	e := &played{}
	m := open(t, "", &memtree.Options{InMemory: true, Embedder: e})
	require.NoError(t, m.Record(t.Context(), sumRun("r1", "cart", 5)))
	require.NoError(t, m.Wait(t.Context()))
	_, err := m.Guide(t.Context(), memtree.Query{Prompt: longPrompt(1 << 19), Step: longPrompt(1 << 19)})
	require.NoError(t, err)
	e.mu.Lock()
	defer e.mu.Unlock()
	for text := range e.texts {
		require.LessOrEqual(t, len(text), 2*tree.MaxNodeText+2)
	}
}

// A test with a long prompt is the very test when it runs again, though its case holds the prompt in part.
func TestALongPromptIsTheVeryTest(t *testing.T) {
	m := summed(t, 0)
	e := sumRun("r1", "cart", 5)
	e.Prompt, e.CaseID = longPrompt(2*tree.MaxNodeText), ""
	require.NoError(t, m.Record(t.Context(), e))
	require.NoError(t, m.Wait(t.Context()))
	require.Contains(t, guideOf(t, m, memtree.Query{Prompt: e.Prompt}).Text, "[Missed here before")
}
