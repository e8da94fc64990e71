package tape_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/internal/tape"
	"github.com/memtree/memtree/llm"
	"github.com/memtree/memtree/llm/llmtest"
)

// Replayed vectors equal the recorded ones, bit by bit, under the id of the recorded embedder.
func TestVectorsAreRecordedAndPlayed(t *testing.T) {
	table := llmtest.Spell{}
	dir := t.TempDir()
	r, err := tape.NewRecorder(llmtest.Echo{}, dir, "m", asIs)
	require.NoError(t, err)
	texts := []string{"the button is grey", "购物车合计", "", "the button is grey"}
	want, err := r.Embedder(table).Embed(t.Context(), texts)
	require.NoError(t, err)
	_, err = r.Generate(t.Context(), ask)
	require.NoError(t, err)
	n, err := r.Recorded()
	require.NoError(t, err)
	require.Equal(t, 4, n, "three texts that are not empty, and an answer")

	p, err := tape.Open(dir)
	require.NoError(t, err)
	answers, vectors := p.Len()
	require.Equal(t, [2]int{1, 2}, [2]int{answers, vectors})
	e, err := p.Embedder()
	require.NoError(t, err)
	require.Equal(t, table.ID(), e.ID())
	require.Equal(t, table.Dims(), e.Dims())
	got, err := e.Embed(t.Context(), texts)
	require.NoError(t, err)
	require.Equal(t, want, got)
	require.Equal(t, []string{"echo"}, p.Models(), "those that wrote answers")

	_, err = e.Embed(t.Context(), []string{texts[0], "another text"})
	require.Equal(t, llm.KindNotRecorded, llm.KindOf(err))
	require.ErrorContains(t, err, tape.TextKey("another text"))
	b, err := os.ReadFile(filepath.Join(dir, tape.TextKey(texts[0])+".json"))
	require.NoError(t, err)
	require.NotContains(t, string(b), "grey", "the text is not recorded")
}

func TestVectorsOfTwoModelsAreNotPlayed(t *testing.T) {
	const one, other = `{"format":1,"name":"embed","model":"m","usage":{},"vector":"AACAPw=="}`,
		`{"format":1,"name":"embed","model":"n","usage":{},"vector":"AACAPw=="}`
	dir := t.TempDir()
	for i, content := range []string{one, other} {
		name := tape.TextKey(string(rune('a'+i))) + ".json"
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600))
	}
	p, err := tape.Open(dir)
	require.NoError(t, err)
	_, err = p.Embedder()
	requireProblem(t, err, tape.IsMixed)
	_, err = p.Generate(t.Context(), llm.Request{})
	require.Error(t, err)
}

func TestNoVectorsNoEmbedder(t *testing.T) {
	dir := t.TempDir()
	r, err := tape.NewRecorder(llmtest.Echo{}, dir, "m", asIs)
	require.NoError(t, err)
	_, err = r.Generate(t.Context(), ask)
	require.NoError(t, err)
	p, err := tape.Open(dir)
	require.NoError(t, err)
	e, err := p.Embedder()
	require.NoError(t, err)
	require.Nil(t, e)
}
