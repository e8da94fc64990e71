package retrieval

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/memtree/memtree/internal/piece"
	"github.com/memtree/memtree/llm"
	"github.com/memtree/memtree/taxonomy"
)

// A segment's file is a piece, see package piece. Its fields are, in little endian: version u64; the layout, each
// number u64; the length u32 of the embedder's id; the id.
const (
	maxSlots   = 1 << 31
	maxIDBytes = 1024
)

var fileKind = piece.Kind{Magic: "memtree-index\n", Format: 8, Name: "the search index",
	Again: "it will be made anew from the nodes"}

// errFormat means that this program cannot use a saved index. Build it again from the nodes.
var errFormat = errors.New("not a search index of this version of memtree")

// Save writes the index as one file, in the form that Load reads. The same nodes under the same version give the same
// bytes, in any order of insertion. Save may run concurrently with searches and updates; it writes the state at its
// call. An index that changes is stored in pieces, see [Index.Pieces].
func (ix *Index) Save(w io.Writer) error {
	st := ix.state.Load()
	s, err := st.asOneSegment()
	if err != nil {
		return fmt.Errorf("save the index: %w", err)
	}
	front, err := s.front(st.version, ix.embedderID())
	if err == nil {
		err = s.Write(w, front)
	}
	if err != nil {
		return fmt.Errorf("save the index: %w", err)
	}
	return nil
}

// embedderID returns the id of the embedder of new vectors, "" without one.
func (ix *Index) embedderID() string {
	if ix.model == nil {
		return ""
	}
	return ix.model.ID()
}

// front returns what a file has before the pages of s.
func (s *segment) front(version uint64, embedder string) ([]byte, error) {
	b := binary.LittleEndian.AppendUint64(nil, version)
	l := &s.layout
	for _, n := range []int{l.n, l.above[0], l.above[1], l.keys, l.postings, l.dims, int(l.metas), int(l.terms),
		int(l.length), l.vectors} {
		b = binary.LittleEndian.AppendUint64(b, uint64(n))
	}
	embedder = embedder[:min(len(embedder), maxIDBytes)]
	b = binary.LittleEndian.AppendUint32(b, uint32(len(embedder)))
	return s.Front(append(b, embedder...))
}

// asOneSegment returns a segment of all live slots, with no vectors of another embedder.
func (st *indexState) asOneSegment() (*segment, error) {
	if len(st.parts) == 0 {
		return build(nil, 0), nil
	}
	if p := st.parts[0]; len(st.parts) == 1 && p.gone == 0 && !p.alien {
		return p.segment, nil
	}
	s, _, err := merge(never, st.parts)
	return s, err
}

// Load opens an index written by Save. It reads the header and the checksums only. Every other page is read and
// checked when a call first needs it, so r must stay open as long as the index is in use, and damage is an error of
// the call that finds it. A file that is no index or is of another version is an error. Vectors of
// another embedder than e are not used, and Stats().Note reports that.
func Load(r io.ReaderAt, size int64, tax *taxonomy.Taxonomy, e llm.Embedder) (*Index, error) {
	s, version, err := readHeader(r, size)
	if err != nil {
		return nil, fmt.Errorf("load the index: %w", err)
	}
	s.name = "" // a piece is of no version
	ix := New(tax, e)
	st := &indexState{version: version}
	if s.n > 0 {
		if err := ix.adopt(s); err != nil {
			return nil, fmt.Errorf("load the index: %w", err)
		}
		st.parts = []part{wholePart(s)}
	}
	st.note = ix.alien
	st.count()
	ix.state.Store(st)
	return ix, nil
}

// adopt decides whether the vectors of a segment from a file can be used.
func (ix *Index) adopt(s *segment) error {
	if s.dims == 0 {
		return nil
	}
	if id := ix.embedderID(); ix.model == nil || id[:min(len(id), maxIDBytes)] != s.embedder {
		s.alien = true
		ix.alien = fmt.Sprintf("found by words alone: the index was made with the embedder %s", s.embedder)
		return nil
	}
	if ix.rotation(s.dims) == nil {
		return errFormat
	}
	return nil
}

// readHeader reads and checks the header and the checksums. It returns the segment and the version.
func readHeader(r io.ReaderAt, size int64) (*segment, uint64, error) {
	pages, fields, name, err := piece.Open(&fileKind, r, size)
	if errors.Is(err, piece.ErrFormat) {
		return nil, 0, fmt.Errorf("%w: %w", errFormat, err)
	}
	if err != nil {
		return nil, 0, err
	}
	f := byteReader{rest: fields}
	version := f.u64()
	s := &segment{name: name, Pages: pages}
	if !s.read(&f) {
		return nil, 0, fmt.Errorf("%w: its sizes are impossible", errFormat)
	}
	idLength := f.u32()
	if idLength > maxIDBytes {
		return nil, 0, fmt.Errorf("%w: its embedder's name is too long", errFormat)
	}
	s.embedder = string(f.rest[:idLength])
	if end := s.sections().end; end != s.Size() {
		return nil, 0, fmt.Errorf("%w: it has %d bytes where its header says %d", errFormat, s.Size(), end)
	}
	return s, version, nil
}

// read reads a layout from a header. It returns false for sizes that no segment can have, so that sums and products of
// them do not overflow.
func (l *layout) read(f *byteReader) bool {
	var v [10]uint64
	for i := range v {
		v[i] = f.u64()
	}
	l.n, l.above[0], l.above[1] = int(v[0]), int(v[1]), int(v[2])
	l.keys, l.postings, l.dims = int(v[3]), int(v[4]), int(v[5])
	l.metas, l.terms = int64(v[6]), int64(v[7])
	l.length, l.vectors = int64(v[8]), int(v[9])
	return !f.bad && v[0] < maxSlots && v[1]+v[2] <= v[0] && v[1] <= v[0] && v[3] <= v[4] && v[4] < 1<<32 &&
		v[5] <= maxDims && v[6] < 1<<40 && v[7] < 1<<40 && v[8] < 1<<48 && v[9] <= v[0]
}

func (r *byteReader) u32() uint32 {
	if len(r.rest) < 4 {
		r.bad, r.rest = true, nil
		return 0
	}
	v := le32(r.rest)
	r.rest = r.rest[4:]
	return v
}
