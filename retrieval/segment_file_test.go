package retrieval

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/internal/piece"
	"github.com/memtree/memtree/llm"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// save returns the file of a segment of all live slots, with no vectors of another embedder.
func save(ix *Index) ([]byte, error) {
	s := build(nil, 0)
	if parts := ix.state.Load().parts; len(parts) > 0 {
		var err error
		if s, _, err = merge(never, parts, ix.room); err != nil {
			return nil, err
		}
	}
	var b bytes.Buffer
	err := s.Write(&b, s.front(ix.embedderID()))
	return b.Bytes(), err
}

func saved(tb testing.TB, ix *Index) []byte {
	tb.Helper()
	b, err := save(ix)
	require.NoError(tb, err)
	return b
}

// sized is a file and its size.
type sized interface {
	io.ReaderAt
	Size() int64
}

// load opens an index whose only segment is in r. Other than LoadPieces it asks for no name, which is a checksum.
func load(r sized, tax *taxonomy.Taxonomy, e llm.Embedder) (*Index, error) {
	s, err := readHeader(r, r.Size())
	if err != nil {
		return nil, err
	}
	ix, st := New(tax, e), &indexState{}
	if s.n > 0 {
		if err := ix.adopt(s); err != nil {
			return nil, err
		}
		st.parts = []part{wholePart(s)}
	}
	st.note = ix.alien
	st.count()
	ix.state.Store(st)
	return ix, nil
}

// counted counts the bytes that are read of a saved index.
type counted struct {
	*bytes.Reader
	n int
}

func (c *counted) ReadAt(b []byte, off int64) (int, error) {
	c.n += len(b)
	return c.Reader.ReadAt(b, off)
}

func TestLoadReadsLittle(t *testing.T) {
	ix, c := filled(t, 2000, encoder(t))
	b := saved(t, ix)
	r := &counted{Reader: bytes.NewReader(b)}
	loaded, err := load(r, taxonomy.Default(), encoder(t))
	require.NoError(t, err)
	require.Less(t, r.n, len(b)/100)
	ask(t, loaded, Query{Prompt: c.prompt(), Scene: tree.Scene{ID: "SCENE_7", Route: "/r3/42"}})
	require.Less(t, r.n, len(b)*2/3)
}

func TestDamageIsToldNotServed(t *testing.T) {
	ix := indexOf(t, newCorpus(5).nodes(40)...)
	b := saved(t, ix)
	q := Query{Prompt: newCorpus(5).prompt()}
	want := ask(t, ix, q)
	for at := 0; at < len(b); at += 97 {
		bad := bytes.Clone(b)
		bad[at] ^= 4
		loaded, err := load(bytes.NewReader(bad), taxonomy.Default(), encoder(t))
		if err != nil {
			continue
		}
		got, err := loaded.Search(t.Context(), q)
		if err == nil {
			require.Equal(t, want, got, "byte %d", at)
		}
	}
	for _, n := range []int{0, 10, piece.PageSize - 1, piece.PageSize, len(b) - 1} {
		_, err := load(bytes.NewReader(b[:n]), nil, nil)
		require.ErrorIs(t, err, errFormat)
	}
	_, err := load(bytes.NewReader(append(b, 0)), nil, nil)
	require.ErrorIs(t, err, errFormat)
}

func TestAnEmptyIndexIsKeptToo(t *testing.T) {
	ix := New(nil, nil)
	require.NoError(t, ix.Update(t.Context(), 7, nil))
	s := shelf{}
	s.store(t, ix)
	loaded := s.load(t, nil, nil)
	require.Equal(t, uint64(7), loaded.Version())
	require.True(t, ask(t, loaded, Query{Prompt: "anything"}).Abstained)
}

// seal makes the checksums of b right, so that a test reaches the code that reads damaged pages.
func seal(b []byte) {
	l := layout{}
	f := byteReader{rest: b[len(fileKind.Magic)+16:]}
	if len(b) < piece.PageSize || !l.read(&f) {
		return
	}
	end := l.sections().end
	if int64(len(b)) != piece.PageSize+4*piece.PageCount(end)+end {
		return
	}
	sums := b[piece.PageSize : piece.PageSize+4*piece.PageCount(end)]
	data := b[piece.PageSize+len(sums):]
	for i := range piece.PageCount(end) {
		page := data[i*piece.PageSize : min((i+1)*piece.PageSize, end)]
		binary.LittleEndian.PutUint32(sums[4*i:], crc32.Checksum(page, piece.Castagnoli))
	}
	at := len(fileKind.Magic) + 4
	clear(b[at : at+4])
	sum := crc32.Update(crc32.Checksum(b[:piece.PageSize], piece.Castagnoli), piece.Castagnoli, sums)
	binary.LittleEndian.PutUint32(b[at:], sum)
}

// FuzzLoad changes bytes of a saved index, with wrong checksums and with right ones. No call may panic.
func FuzzLoad(f *testing.F) {
	c := newCorpus(9)
	ix := New(nil, &counting{})
	nodes := c.nodes(12)
	nodes[0] = above(tree.Experience, "e_1", c.prompt())
	nodes[1].Parent = "e_1"
	require.NoError(f, ix.Update(f.Context(), 1, nodes))
	whole := saved(f, ix)
	f.Add(uint32(0), uint64(1), false)
	for i := range uint32(60) {
		f.Add(i*uint32(len(whole))/60, uint64(0xff)<<(i%8*8), true)
	}
	f.Fuzz(func(t *testing.T, at uint32, flip uint64, sealed bool) {
		b := bytes.Clone(whole)
		for i := range 8 {
			b[(int(at)+i)%len(b)] ^= byte(flip >> (8 * i))
		}
		if sealed {
			seal(b)
		}
		ix, err := load(bytes.NewReader(b), nil, &counting{})
		if err != nil {
			return
		}
		_, err = ix.Explain(t.Context(), Query{Prompt: nodes[2].Text(), Scene: nodes[3].Scene,
			Exclude: []string{nodes[4].ID}})
		_ = err
		_, err = ix.Similar(&nodes[5], 3, 0.1)
		_ = err
		if ix.Update(t.Context(), 2, nodes[6:9]) == nil {
			_, err = save(ix)
			_ = err
		}
	})
}
