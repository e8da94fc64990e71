package retrieval

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"maps"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/internal/piece"
	"github.com/memtree/memtree/llm"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// shelf holds an index in pieces, by name; the head under "".
type shelf map[string][]byte

// store stores what is new, and drops what the head does not name.
func (s shelf) store(tb require.TestingT, ix *Index) (written []string) {
	p, err := ix.Pieces()
	require.NoError(tb, err)
	for i, name := range p.Names() {
		var b bytes.Buffer
		require.NoError(tb, p.Write(i, &b))
		if old := s[name]; old != nil {
			require.True(tb, bytes.Equal(old, b.Bytes()), "a name has the same bytes for ever")
			continue
		}
		s[name], written = b.Bytes(), append(written, name)
	}
	s[""] = p.Head()
	for name := range maps.Clone(s) {
		if name != "" && !slices.Contains(p.Names(), name) {
			delete(s, name)
		}
	}
	ix.Saved(p)
	return written
}

var errGone = errors.New("is not on the shelf")

func (s shelf) open(name string) (io.ReaderAt, int64, error) {
	b, ok := s[name]
	if !ok {
		return nil, 0, errGone
	}
	return bytes.NewReader(b), int64(len(b)), nil
}

func (s shelf) load(tb require.TestingT, tax *taxonomy.Taxonomy, e llm.Embedder) *Index {
	ix, err := LoadPieces(s[""], s.open, tax, e)
	require.NoError(tb, err)
	return ix
}

func (s shelf) size() (n int) {
	for _, b := range s {
		n += len(b)
	}
	return n
}

// TestOneMoreNodeWritesLittle: what an update has to store does not depend on how many nodes there are.
func TestOneMoreNodeWritesLittle(t *testing.T) {
	for _, n := range []int{300, 3000} {
		ix, c := filled(t, n, encoder(t))
		s := shelf{}
		s.store(t, ix)
		first := s.size()
		nodes, changed := ix.Unsaved()
		require.Zero(t, nodes)
		require.False(t, changed)
		most := 0
		for range 20 {
			require.NoError(t, ix.Update(t.Context(), 2, c.nodes(1)))
			nodes, changed = ix.Unsaved()
			require.EqualValues(t, 1, nodes)
			require.True(t, changed)
			wrote := len(s[""])
			for _, name := range s.store(t, ix) {
				wrote += len(s[name])
			}
			most = max(most, wrote)
		}
		require.Less(t, most, 200<<10, "of %d bytes for %d nodes", first, n)
	}
}

// TestTheSameNodesAreTheSamePiece: merged or built, in whatever order, equal nodes have one name.
func TestTheSameNodesAreTheSamePiece(t *testing.T) {
	nodes := newCorpus(3).nodes(40)
	whole := indexOf(t, nodes...)
	want, err := whole.Pieces()
	require.NoError(t, err)
	require.Len(t, want.Names(), 1)
	parts := New(taxonomy.Default(), encoder(t))
	parts.atOnce = 0
	for i := range slices.Backward(nodes) {
		require.NoError(t, parts.Update(t.Context(), 1, nodes[i:i+1]))
	}
	require.True(t, parts.Due())
	for more := true; more; {
		more, err = parts.Merge(t.Context())
		require.NoError(t, err)
	}
	require.False(t, parts.Due())
	got, err := parts.Pieces()
	require.NoError(t, err)
	require.Equal(t, want.Names(), got.Names())
}

// TestUpdatesDuringAMerge: what dies while segments are merged is dead in the merged one.
func TestUpdatesDuringAMerge(t *testing.T) {
	c := newCorpus(11)
	nodes := c.nodes(600)
	ix := New(taxonomy.Default(), encoder(t))
	ix.atOnce = 8
	for b := range slices.Chunk(nodes, 10) {
		require.NoError(t, ix.Update(t.Context(), 1, b))
	}
	var g sync.WaitGroup
	g.Go(func() {
		for more, err := true, error(nil); more; {
			if more, err = ix.Merge(context.Background()); err != nil {
				t.Error(err)
			}
		}
	})
	for i := range nodes {
		switch i % 3 {
		case 0:
			nodes[i].Status = tree.Archived
		case 1:
			nodes[i].Content.Confidence = 0.25
		}
		require.NoError(t, ix.Update(t.Context(), 2, nodes[i:i+1]))
	}
	g.Wait()
	for more, err := true, error(nil); more; {
		more, err = ix.Merge(t.Context())
		require.NoError(t, err)
	}
	require.Equal(t, 400, ix.Stats().Nodes)
	require.True(t, bytes.Equal(saved(t, indexAt(t, 2, nodes...)), saved(t, ix)))
}

func indexAt(t *testing.T, version uint64, nodes ...tree.Node) *Index {
	ix := New(taxonomy.Default(), encoder(t))
	require.NoError(t, ix.Update(t.Context(), version, nodes))
	return ix
}

// TestAnInterruptedMergeChangesNothing: the index is as before, and the merge can be done again.
func TestAnInterruptedMergeChangesNothing(t *testing.T) {
	nodes := newCorpus(5).nodes(20)
	ix := New(taxonomy.Default(), encoder(t))
	ix.atOnce = 0
	for i := range nodes {
		require.NoError(t, ix.Update(t.Context(), 1, nodes[i:i+1]))
	}
	before := ix.Stats()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := ix.Merge(ctx)
	require.ErrorIs(t, err, context.Canceled)
	require.Equal(t, before, ix.Stats())
	more, err := ix.Merge(t.Context())
	require.NoError(t, err)
	require.True(t, more)
	require.Equal(t, before.Nodes, ix.Stats().Nodes)
	require.Less(t, ix.Stats().Segments, before.Segments)
}

// TestPiecesOfAnotherEmbedder: memories with vectors of another embedder are found by words, the new ones by both, and
// neither vectors are lost.
func TestPiecesOfAnotherEmbedder(t *testing.T) {
	c := newCorpus(6)
	nodes := c.nodes(40)
	ix := New(nil, &counting{})
	require.NoError(t, ix.Update(t.Context(), 1, nodes[:30]))
	s := shelf{}
	s.store(t, ix)
	other := s.load(t, nil, &counting{id: "2"})
	require.Equal(t, "found by words alone: the index was made with the embedder counting", other.Stats().Note)
	require.Zero(t, other.Stats().Vectors)
	require.NoError(t, other.Update(t.Context(), 2, nodes[29:]))
	require.Equal(t, 11, other.Stats().Vectors)
	s.store(t, other)
	again := s.load(t, nil, &counting{})
	require.Equal(t, 40, again.Stats().Nodes)
	require.Equal(t, 29, again.Stats().Vectors)
	again = s.load(t, nil, &counting{id: "2"})
	require.Equal(t, 11, again.Stats().Vectors)
	ids, err := again.Bare()
	require.NoError(t, err)
	require.Len(t, ids, 29)
}

// TestDamagedPieces: damage is an error of the load or of the call that meets it, never another answer.
func TestDamagedPieces(t *testing.T) {
	c := newCorpus(5)
	ix := indexOf(t, c.nodes(40)...)
	require.NoError(t, ix.Update(t.Context(), 2, c.nodes(8)))
	s := shelf{}
	s.store(t, ix)
	q := Query{Prompt: newCorpus(5).prompt()}
	want := ask(t, ix, q)
	for name, whole := range s {
		for at := 0; at < len(whole); at += 1 + len(whole)/300 {
			bad := maps.Clone(s)
			bad[name] = bytes.Clone(whole)
			bad[name][at] ^= 4
			loaded, err := LoadPieces(bad[""], bad.open, taxonomy.Default(), encoder(t))
			if name == "" {
				require.ErrorIs(t, err, errFormat, "byte %d", at)
			}
			if err != nil {
				continue
			}
			if got, err := loaded.Search(t.Context(), q); err == nil {
				require.Equal(t, want, got, "byte %d of %s", at, name)
			}
		}
		for n := range 10 {
			bad := maps.Clone(s)
			bad[name] = whole[:len(whole)*n/10]
			_, err := LoadPieces(bad[""], bad.open, nil, nil)
			require.ErrorIs(t, err, errFormat)
		}
		if name == "" {
			continue
		}
		bad := maps.Clone(s)
		delete(bad, name)
		_, err := LoadPieces(bad[""], bad.open, nil, nil)
		require.ErrorIs(t, err, errGone)
		for other, b := range s {
			if other != "" && other != name {
				bad[name] = b
				_, err := LoadPieces(bad[""], bad.open, nil, nil)
				require.ErrorIs(t, err, errFormat, "a segment under another's name")
			}
		}
	}
}

// TestDeadSlotsInBothForms: few dead slots are written as a list, many as bits.
func TestDeadSlotsInBothForms(t *testing.T) {
	nodes := newCorpus(8).nodes(700)
	for _, gone := range []int{1, 2, 64, 200, 340} {
		ix := indexOf(t, nodes...)
		dead := slices.Clone(nodes[:gone])
		for i := range dead {
			dead[i].Status = tree.Archived
		}
		require.NoError(t, ix.Update(t.Context(), 2, dead))
		s := shelf{}
		s.store(t, ix)
		require.Less(t, len(s[""]), 300)
		loaded := s.load(t, taxonomy.Default(), encoder(t))
		require.Equal(t, ix.Stats(), loaded.Stats())
		require.True(t, bytes.Equal(saved(t, ix), saved(t, loaded)), fmt.Sprint(gone))
	}
}

// FuzzPartList changes bytes of a list of segments, with the wrong checksum and with the right one. A list that can be
// read gives the same bytes again.
func FuzzPartList(f *testing.F) {
	nodes := newCorpus(9).nodes(90)
	ix := New(nil, &counting{})
	require.NoError(f, ix.Update(f.Context(), 1, nodes[:80]))
	for i := range 30 {
		nodes[2*i].Status = tree.Archived
	}
	require.NoError(f, ix.Update(f.Context(), 2, nodes))
	s := shelf{}
	s.store(f, ix)
	f.Add(s[""], false)
	f.Add(s[""][:len(s[""])-3], true)
	f.Add([]byte(listMagic), true)
	f.Fuzz(func(t *testing.T, b []byte, sealed bool) {
		b = bytes.Clone(b)
		if sumAt := len(listMagic) + 4; sealed && len(b) > listStart {
			clear(b[sumAt : sumAt+4])
			sum := crc32.Checksum(b, piece.Castagnoli)
			copy(b[sumAt:], []byte{byte(sum), byte(sum >> 8), byte(sum >> 16), byte(sum >> 24)})
		}
		loaded, err := LoadPieces(b, s.open, nil, &counting{})
		if err != nil {
			return
		}
		p, err := loaded.Pieces()
		require.NoError(t, err)
		_, err = loaded.Explain(t.Context(), Query{Prompt: nodes[2].Text()})
		_ = err
		if err := loaded.Update(t.Context(), 3, nodes[6:9]); err == nil {
			_, err = loaded.Merge(t.Context())
			_ = err
		}
		require.NotEmpty(t, p.Head())
	})
}
