package embed

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/llm/llmtest"
	jsonstore "github.com/memtree/memtree/store/json"
)

// counted is an embedder that counts the texts it receives, and fails on demand.
type counted struct {
	llmtest.Spell
	id    string
	texts []string
	fail  int // from which text on it fails; 0: never
}

func (c *counted) ID() string { return "counted" + c.id }

func (c *counted) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	if c.fail > 0 && len(c.texts) >= c.fail {
		return nil, errors.New("down")
	}
	c.texts = append(c.texts, texts...)
	return c.Spell.Embed(ctx, texts)
}

func cacheIn(t *testing.T, dir string, e *counted) (c *CachedEmbedder, done func()) {
	t.Helper()
	s, err := jsonstore.OpenDir(t.Context(), dir, jsonstore.Options{})
	require.NoError(t, err)
	c, err = OpenCache(t.Context(), s, e, strings.TrimSpace)
	require.NoError(t, err)
	return c, func() {
		require.NoError(t, c.Save(t.Context()))
		require.NoError(t, c.Close())
		require.NoError(t, s.Close())
	}
}

func words(from, to int) (out []string) {
	for i := from; i < to; i++ {
		out = append(out, fmt.Sprintf("check the total of order %d", i*i))
	}
	return out
}

func TestCacheAsksForNothingTwice(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "store")
	e := &counted{}
	c, done := cacheIn(t, dir, e)
	first, err := c.Embed(t.Context(), []string{"a b", "cd", " a b", " "})
	require.NoError(t, err)
	require.Equal(t, []string{"a b", "cd", ""}, e.texts, "twins once, and cleaned")
	require.Equal(t, first[0], first[2])
	require.Equal(t, make([]float32, 128), first[3], "the zero vector of an empty text")
	again, err := c.Embed(t.Context(), []string{"cd", "a b"})
	require.NoError(t, err)
	require.Equal(t, [][]float32{first[1], first[0]}, again)
	require.Len(t, e.texts, 3)
	spelt, err := llmtest.Spell{}.Embed(t.Context(), []string{"a b"})
	require.NoError(t, err)
	require.InDeltaSlice(t, spelt[0], first[0], 1e-4)
	for i := range 20 { // many saves: the small file becomes the large one now and then
		_, err = c.Embed(t.Context(), words(100*i, 100*i+100))
		require.NoError(t, err)
		require.NoError(t, c.Save(t.Context()))
		require.Zero(t, c.Unsaved())
	}
	done()

	e2 := &counted{}
	c, done = cacheIn(t, dir, e2)
	again, err = c.Embed(t.Context(), []string{"cd", "a b"})
	require.NoError(t, err)
	require.Equal(t, [][]float32{first[1], first[0]}, again, "the same numbers as the first time")
	_, err = c.Embed(t.Context(), words(0, 2000))
	require.NoError(t, err)
	require.Empty(t, e2.texts)
	done()
	c, done = cacheIn(t, dir, &counted{id: "another"})
	require.Equal(t, make([][]float32, 2), c.Known([]string{"cd", "a b"}), "of another model")
	done()
	for _, f := range filesIn(t, dir) {
		b, err := os.ReadFile(f)
		require.NoError(t, err)
		require.NotContains(t, string(b), "check the total", "no text is kept")
	}
}

func filesIn(t *testing.T, dir string) (out []string) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(filepath.Join(dir, "derived"), func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			out = append(out, path)
		}
		return err
	}))
	require.NotEmpty(t, out)
	return out
}

type panics struct{ llmtest.Spell }

func (panics) Embed(context.Context, []string) ([][]float32, error) { panic("a bug") }

// TestCacheFailure: vectors received before a failure remain cached.
func TestCacheFailure(t *testing.T) {
	e := &counted{fail: 2 * askAtOnce}
	c := NewCache(e, strings.TrimSpace)
	_, err := c.Embed(t.Context(), words(0, 3*askAtOnce))
	require.ErrorContains(t, err, "down")
	e.fail = 0
	got, err := c.Embed(t.Context(), words(0, 3*askAtOnce))
	require.NoError(t, err)
	require.Len(t, e.texts, 3*askAtOnce)
	_, err = NewCache(panics{}, strings.TrimSpace).Embed(t.Context(), []string{"x"})
	require.ErrorContains(t, err, "panicked: a bug")
	for _, v := range got {
		require.NotNil(t, v)
	}
}

// TestCacheDamage: damage costs the vectors that it hit, and is no error.
func TestCacheDamage(t *testing.T) {
	for name, hurt := range map[string]func(b []byte) []byte{
		"empty": func([]byte) []byte { return nil },
		"cut":   func(b []byte) []byte { return b[:len(b)/2] },
		"a bit of each": func(b []byte) []byte {
			for i := 200; i < len(b); i += 301 {
				b[i] ^= 4
			}
			return b
		},
		"the foot":        func(b []byte) []byte { b[len(b)-3] ^= 1; return b },
		"another version": func(b []byte) []byte { b[len(b)-24]++; return b },
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "store")
			c, done := cacheIn(t, dir, &counted{})
			want, err := c.Embed(t.Context(), words(0, 100))
			require.NoError(t, err)
			done()
			for _, f := range filesIn(t, dir) {
				b, err := os.ReadFile(f)
				require.NoError(t, err)
				require.NoError(t, os.WriteFile(f, hurt(b), 0o600))
			}
			e := &counted{}
			for range 2 {
				c, done = cacheIn(t, dir, e)
				got, err := c.Embed(t.Context(), words(0, 100))
				require.NoError(t, err)
				require.Equal(t, want, got)
				done()
			}
			require.NotEmpty(t, e.texts)
			require.LessOrEqual(t, len(e.texts), 100, "asked for once more, and kept")
		})
	}
}

// TestCachePurge: nothing is left of what was purged, not even its hash, and what was under way while
// it was purged does not come back.
func TestCachePurge(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "store")
	e := &counted{}
	c, done := cacheIn(t, dir, e)
	all := words(0, 10)
	_, err := c.Embed(t.Context(), all[:8])
	require.NoError(t, err)
	require.NoError(t, c.Save(t.Context()))
	_, err = c.Embed(t.Context(), all[8:])
	require.NoError(t, err)
	purges := c.purges
	gone := keyOf(c.ID(), all[3])
	has := func() (n int) {
		for _, f := range filesIn(t, dir) {
			b, err := os.ReadFile(f)
			require.NoError(t, err)
			n += bytes.Count(b, gone[:])
		}
		return n
	}
	require.Equal(t, 1, has())
	stay := append(append([]string{}, all[:3]...), all[4:9]...)
	require.NoError(t, c.Purge(t.Context(), stay))
	require.Zero(t, has())
	c.keep(all[3:4], [][]float32{{1, 2}}, purges)
	for i, v := range c.Known(all) {
		require.Equal(t, i == 3 || i == 9, v == nil, i)
	}
	done()
	require.Zero(t, has())
	c, done = cacheIn(t, dir, e)
	require.NotNil(t, c.Known(all[8:9])[0])
	require.Nil(t, c.Known(all[9:])[0])
	done()
}

// TestCacheBound: of too many the oldest go.
func TestCacheBound(t *testing.T) {
	var all []keptVector
	for i := range 100 {
		all = append(all, keptVector{keptRow: keptRow{key: keyOf("x", fmt.Sprint(i)), save: uint64(i), size: 100}})
	}
	require.Len(t, newest(all, 100, 1<<20), 100)
	few := newest(all, 50, 1<<20)
	require.Len(t, few, 45)
	for _, v := range few {
		require.GreaterOrEqual(t, v.save, uint64(55))
	}
	small := newest(all, 100, 10*(100+int64(rowSize)))
	require.Len(t, small, 9)
}

func TestPack(t *testing.T) {
	for _, v := range [][]float32{nil, {float32(math.NaN())}, {1, float32(math.Inf(-1))}, make([]float32, mostDims+1)} {
		require.Nil(t, pack(v))
	}
	require.Equal(t, []float32{0, 0}, unpack(pack([]float32{0, 0})))
	v := unpack(pack([]float32{3e38, -4e38 / 2, 0}))
	require.InDelta(t, 1, float64(v[0])*float64(v[0])+float64(v[1])*float64(v[1]), 1e-6)
	require.Equal(t, v, unpack(pack(v)), "it is packed once")
}

// FuzzKept: whatever a file holds, it is read without a panic, and what is found in it has the length 1.
func FuzzKept(f *testing.F) {
	var b bytes.Buffer
	var vectors []keptVector
	for i, s := range []string{"a", "b", "c"} {
		p := pack([]float32{1, float32(i)})
		vectors = append(vectors, keptVector{keptRow: keptRow{key: keyOf("", s), save: 1, size: uint32(len(p))}, bytes: p})
	}
	require.NoError(f, writeKept(&b, vectors, 2))
	f.Add(b.Bytes())
	f.Add([]byte(strings.Repeat("x", footSize)))
	f.Fuzz(func(t *testing.T, b []byte) {
		file, ok := openKept(bytes.NewReader(b), int64(len(b)))
		if !ok {
			return
		}
		for _, s := range []string{"a", "b", "c", "d"} {
			if v := file.find(keyOf("", s)); v != nil {
				require.LessOrEqual(t, len(v), mostDims)
			}
		}
		require.NoError(t, writeKept(io.Discard, vectorsOf(&file), file.next))
	})
}

// BenchmarkKnown finds one of 20,000 cached vectors of 1,536 numbers.
func BenchmarkKnown(b *testing.B) {
	s, err := jsonstore.OpenDir(b.Context(), filepath.Join(b.TempDir(), "store"), jsonstore.Options{})
	require.NoError(b, err)
	c, err := OpenCache(b.Context(), s, &wide{}, strings.TrimSpace)
	require.NoError(b, err)
	texts := words(0, 20_000)
	_, err = c.Embed(b.Context(), texts)
	require.NoError(b, err)
	require.NoError(b, c.Save(b.Context()))
	i := 0
	b.ReportAllocs()
	for b.Loop() {
		i++
		if c.Known(texts[i%len(texts):][:1])[0] == nil {
			b.Fatal("it is lost")
		}
	}
	require.NoError(b, c.Close())
	require.NoError(b, s.Close())
}

// wide gives vectors of 1,536 numbers.
type wide struct{ llmtest.Spell }

func (w *wide) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	vectors, err := w.Spell.Embed(ctx, texts)
	for i := range vectors {
		vectors[i] = append(vectors[i], make([]float32, 1536-128)...)
	}
	return vectors, err
}
