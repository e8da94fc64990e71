package retrieval

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/memtree/memtree/internal/piece"
)

// A segment's file is a piece, see package piece. Its fields are, in little endian: a zero u64; the layout, each
// number u64; the length u32 of the embedder's id; the id.
const (
	maxSlots   = 1 << 31
	maxIDBytes = 1024
)

var fileKind = piece.Kind{Magic: "memtree-index\n", Format: 8, Name: "the search index",
	Again: "it will be made anew from the nodes"}

// errFormat means that this program cannot use a saved index. Build it again from the nodes.
var errFormat = errors.New("not a search index of this version of memtree")

// embedderID returns the id of the embedder of new vectors, "" without one.
func (ix *Index) embedderID() string {
	if ix.model == nil {
		return ""
	}
	return ix.model.ID()
}

// front returns what a file has before the pages of s.
func (s *segment) front(embedder string) []byte {
	b := make([]byte, 8)
	l := &s.layout
	for _, n := range []int{l.n, l.above[0], l.above[1], l.keys, l.postings, l.dims, int(l.metas), int(l.terms),
		int(l.length), l.vectors} {
		b = binary.LittleEndian.AppendUint64(b, uint64(n))
	}
	embedder = embedder[:min(len(embedder), maxIDBytes)]
	b = binary.LittleEndian.AppendUint32(b, uint32(len(embedder)))
	return s.Front(append(b, embedder...))
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

// readHeader reads and checks the header and the checksums. The error is errFormat for a file that is no segment or is
// of another version of the program.
func readHeader(r io.ReaderAt, size int64) (*segment, error) {
	pages, fields, name, err := piece.Open(&fileKind, r, size)
	if errors.Is(err, piece.ErrFormat) {
		return nil, fmt.Errorf("%w: %w", errFormat, err)
	}
	if err != nil {
		return nil, err
	}
	f := byteReader{rest: fields}
	f.u64() // zero
	s := &segment{name: name, Pages: pages}
	if !s.read(&f) {
		return nil, fmt.Errorf("%w: its sizes are impossible", errFormat)
	}
	idLength := f.u32()
	if idLength > maxIDBytes {
		return nil, fmt.Errorf("%w: its embedder's name is too long", errFormat)
	}
	s.embedder = string(f.rest[:idLength])
	if end := s.sections().end; end != s.Size() {
		return nil, fmt.Errorf("%w: it has %d bytes where its header says %d", errFormat, s.Size(), end)
	}
	return s, nil
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
