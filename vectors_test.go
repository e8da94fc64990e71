package memtree

import (
	"bytes"
	"context"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/llm/llmtest"
	"github.com/memtree/memtree/tree"
)

// asked counts the texts that an embedder is given.
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

func TestVectorsAreAskedForOnce(t *testing.T) {
	dir := t.TempDir()
	evolve := func(prompts ...string) (indexing, evolving int64) {
		e := &asked{}
		m, err := Open(t.Context(), dir, &Options{Embedder: e})
		require.NoError(t, err)
		for _, p := range prompts {
			require.NoError(t, m.Record(t.Context(), Evaluation{Prompt: p, Judgment: tree.Raw(`"pass"`), GroundTruth: tree.Raw(`"fail"`), Reason: p + " was not looked at."}))
		}
		require.NoError(t, m.Wait(t.Context()))
		indexing = e.texts.Load()
		for range 2 {
			_, err = m.Evolve(t.Context(), nil)
			require.NoError(t, err)
		}
		require.NoError(t, m.Close())
		return indexing, e.texts.Load() - indexing
	}
	indexing, evolving := evolve("the total of the cart", "the badge of the inbox", "the colour of the button")
	require.Equal(t, int64(3), indexing)
	require.Positive(t, evolving)
	indexing, again := evolve()
	require.Zero(t, indexing, "the index keeps its own")
	require.Zero(t, again)
	_, more := evolve("the order of the list")
	require.Positive(t, more)
	require.Less(t, more, evolving)
}

func TestEmbeddersSeeNoSecrets(t *testing.T) {
	e := &asked{}
	m, err := Open(t.Context(), t.TempDir(), &Options{Embedder: e})
	require.NoError(t, err)
	secret := "sk-proj-" + strings.Repeat("a1B2c3D4", 6)
	require.NoError(t, m.Record(t.Context(), Evaluation{Prompt: "the total", Judgment: tree.Raw(`"pass"`), GroundTruth: tree.Raw(`"fail"`)}))
	require.NoError(t, m.Wait(t.Context()))
	_, err = m.Guide(t.Context(), Query{Prompt: "log in with the key " + secret + " and check the total"})
	require.NoError(t, err)
	require.NoError(t, m.Close())
	require.Contains(t, e.last, "check the total")
	require.NotContains(t, e.last, secret)
}

func TestRowKeepsDirection(t *testing.T) {
	v := newRow([]float32{0.6, -0.8, 0}).vector()
	require.InDeltaSlice(t, []float64{0.6, -0.8, 0}, []float64{float64(v[0]), float64(v[1]), float64(v[2])}, 0.01)
	require.Equal(t, []float32{0, 0}, newRow([]float32{0, 0}).vector())
}

func FuzzVectors(f *testing.F) {
	known := map[string]row{"a": newRow([]float32{1, 0}), "b": newRow([]float32{0.6, 0.8})}
	whole := encodeVectors(known, "spell")
	f.Add(whole)
	f.Add(whole[:len(whole)-1])
	f.Add([]byte(vectorsMagic))
	f.Fuzz(func(t *testing.T, b []byte) {
		got, err := decodeVectors(b, "spell")
		if err != nil {
			require.Nil(t, got)
			return
		}
		if again := encodeVectors(got, "spell"); bytes.HasPrefix(b, []byte(vectorsMagic+"\"spell\"\n")) {
			back, err := decodeVectors(again, "spell")
			require.NoError(t, err)
			require.Len(t, back, len(got))
		}
	})
}
