package memtree

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/llm/llmtest"
	"github.com/memtree/memtree/tree"
)

// asked is an embedder that counts the texts it receives.
type asked struct {
	llmtest.Spell
	texts atomic.Int64
	last  string
}

func (a *asked) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	a.texts.Add(int64(len(texts)))
	a.last = texts[len(texts)-1]
	return a.Spell.Embed(ctx, texts)
}

// TestEvolveAsksNoEmbedder: causes are compared by their tokens, so that the lessons of a tree do not depend on an
// embedder.
func TestEvolveAsksNoEmbedder(t *testing.T) {
	e := &asked{}
	m, err := Open(t.Context(), t.TempDir(), &Options{Deadline: time.Minute, Embedder: e})
	require.NoError(t, err)
	for _, p := range []string{"the total of the cart", "the badge of the inbox"} {
		require.NoError(t, m.Record(t.Context(), Evaluation{Prompt: p, Judgment: tree.Raw(`"pass"`),
			GroundTruth: tree.Raw(`"fail"`), Reason: p + " was not looked at."}))
	}
	require.NoError(t, m.Wait(t.Context()))
	indexed := e.texts.Load()
	require.Positive(t, indexed)
	_, err = m.Evolve(t.Context(), nil)
	require.NoError(t, err)
	require.Equal(t, indexed, e.texts.Load())
	require.NoError(t, m.Close())
}

func TestEmbeddersSeeNoSecrets(t *testing.T) {
	e := &asked{}
	m, err := Open(t.Context(), t.TempDir(), &Options{Deadline: time.Minute, Embedder: e})
	require.NoError(t, err)
	secret := "sk-proj-" + strings.Repeat("a1B2c3D4", 6)
	require.NoError(t, m.Record(t.Context(),
		Evaluation{Prompt: "the total", Judgment: tree.Raw(`"pass"`), GroundTruth: tree.Raw(`"fail"`)}))
	require.NoError(t, m.Wait(t.Context()))
	_, err = m.Guide(t.Context(), Query{Prompt: "log in with the key " + secret + " and check the total"})
	require.NoError(t, err)
	require.NoError(t, m.Close())
	require.Contains(t, e.last, "check the total")
	require.NotContains(t, e.last, secret)
}
