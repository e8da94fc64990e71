package memtree_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/llm"
	"github.com/memtree/memtree/llm/llmtest"
)

// indexFiles returns the files of the index in a store's folder.
func indexFiles(t *testing.T, dir string) []string {
	t.Helper()
	var files []string
	require.NoError(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && strings.Contains(path, "derived") {
			files = append(files, path)
		}
		return err
	}))
	return files
}

func TestTheIndexIsDerived(t *testing.T) {
	for name, hurt := range map[string]func(t *testing.T, path string){
		"gone":  func(t *testing.T, path string) { require.NoError(t, os.Remove(path)) },
		"empty": func(t *testing.T, path string) { require.NoError(t, os.Truncate(path, 0)) },
		"cut":   func(t *testing.T, path string) { require.NoError(t, os.Truncate(path, 300)) },
		"flipped": func(t *testing.T, path string) {
			b, err := os.ReadFile(path)
			require.NoError(t, err)
			for i := len(b) / 4; i < len(b); i += 97 {
				b[i] ^= 0x10
			}
			require.NoError(t, os.WriteFile(path, b, 0o600))
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			m := open(t, dir, nil)
			_, err := m.RecordAll(t.Context(), several(8))
			require.NoError(t, err)
			require.NoError(t, m.Wait(t.Context()))
			q := memtree.Query{Prompt: several(8)[3].Prompt, Scene: several(8)[3].Scene}
			want, err := m.Guide(t.Context(), q)
			require.NoError(t, err)
			require.False(t, want.Abstained)
			require.NoError(t, m.Close())
			files := indexFiles(t, dir)
			require.NotEmpty(t, files)
			for _, f := range files {
				hurt(t, f)
			}
			for range 2 { // with the hurt index, and with the one that was made of it
				m = open(t, dir, &memtree.Options{Deadline: time.Minute})
				got, err := m.Guide(t.Context(), q)
				require.NoError(t, err)
				require.Equal(t, want.Text, got.Text)
				require.NoError(t, m.Close())
			}
		})
	}
}

func TestAnotherEmbedderMeansAnotherIndex(t *testing.T) {
	dir := t.TempDir()
	keep(t, dir, nil, several(8))
	m := open(t, dir, &memtree.Options{Embedder: llmtest.Spell{}})
	g, err := m.Guide(t.Context(), memtree.Query{Prompt: several(8)[3].Prompt, Scene: several(8)[3].Scene})
	require.NoError(t, err)
	require.False(t, g.Abstained, "by words, until the vectors are there")
	require.NoError(t, m.Wait(t.Context()))
	g, err = m.Guide(t.Context(), memtree.Query{Prompt: several(8)[3].Prompt, Scene: several(8)[3].Scene})
	require.NoError(t, err)
	require.Empty(t, g.Note, "they are there")
	require.NoError(t, m.Close())
}

// stuck is an embedder that never answers.
type stuck struct{ llmtest.Spell }

func (stuck) ID() string { return "stuck" }

func (stuck) Embed(ctx context.Context, _ []string) ([][]float32, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

// fails is an embedder that always fails.
type fails struct{ llmtest.Spell }

func (fails) Embed(context.Context, []string) ([][]float32, error) { return nil, errors.New("down") }

// counts is an embedder that counts the texts it receives.
type counts struct {
	llmtest.Spell
	texts atomic.Int64
}

func (c *counts) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	c.texts.Add(int64(len(texts)))
	return c.Spell.Embed(ctx, texts)
}

// keep records runs in a store and closes it. It returns the note of Health.
func keep(t *testing.T, dir string, e llm.Embedder, es []memtree.Evaluation) string {
	t.Helper()
	m := open(t, dir, &memtree.Options{Embedder: e})
	_, err := m.RecordAll(t.Context(), es)
	require.NoError(t, err)
	require.NoError(t, m.Wait(t.Context()))
	note := m.Health().Note
	require.NoError(t, m.Close())
	return note
}

func TestVectorsThatWereMissingAreMadeUpFor(t *testing.T) {
	dir := t.TempDir()
	require.Empty(t, keep(t, dir, llmtest.Spell{}, several(5)))
	require.Contains(t, keep(t, dir, fails{}, several(8)), "found by words alone")
	e := &counts{}
	require.Empty(t, keep(t, dir, e, nil))
	require.Equal(t, int64(3), e.texts.Load(), "no more than was missing")
}

func TestADamagedIndexIsBuiltAnewThoughTheEmbedderIsDown(t *testing.T) {
	dir := t.TempDir()
	require.Empty(t, keep(t, dir, llmtest.Spell{}, several(8)))
	for _, f := range indexFiles(t, dir) {
		b, err := os.ReadFile(f)
		require.NoError(t, err)
		for i := len(b) / 2; i < len(b); i += 97 { // behind what Open reads
			b[i] ^= 0x10
		}
		require.NoError(t, os.WriteFile(f, b, 0o600))
	}
	m := open(t, dir, &memtree.Options{Embedder: fails{}, Deadline: time.Minute})
	g, err := m.Guide(t.Context(), memtree.Query{Prompt: several(8)[3].Prompt, Scene: several(8)[3].Scene})
	require.NoError(t, err)
	require.False(t, g.Abstained)
	require.Contains(t, m.Health().Note, "found by words alone")
}

func TestCloseDoesNotWaitForAnEmbedder(t *testing.T) {
	dir := t.TempDir()
	keep(t, dir, nil, several(8))
	m := open(t, dir, &memtree.Options{Embedder: stuck{}})
	g, err := m.Guide(t.Context(), memtree.Query{Prompt: several(8)[3].Prompt, Scene: several(8)[3].Scene})
	require.NoError(t, err)
	require.False(t, g.Abstained)
	require.NotEmpty(t, g.Note)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	require.ErrorIs(t, m.Wait(ctx), context.DeadlineExceeded)
	require.NoError(t, m.Close()) // or the test never ends
}
