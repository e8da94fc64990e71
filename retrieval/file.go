package retrieval

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"sync/atomic"

	"github.com/memtree/memtree/llm"
	"github.com/memtree/memtree/taxonomy"
)

// A saved index has three parts: one page of header, the checksums of the pages of a segment, and these pages. The
// header has, in little endian: magic; format u32; checksum u32, of the header's page with this field zero and of all
// checksums; version u64; the layout, each number u64; the length u32 of the embedder's id; the id.
const (
	magic      = "memtree-index\n"
	fileFormat = 8
	maxSlots   = 1 << 31
	maxIDBytes = 1024
)

// errFormat means that this program cannot use a saved index. Build it again from the nodes.
var errFormat = errors.New("not a search index of this version of memtree")

// Save writes the index in the form that Load reads. The same nodes under the same version give the same bytes, in any
// order of insertion. Save may run concurrently with searches and updates; it writes the state at its call.
func (ix *Index) Save(w io.Writer) error {
	st := ix.state.Load()
	s, err := st.asOneSegment()
	if err != nil {
		return fmt.Errorf("save the index: %w", err)
	}
	sums := make([]byte, 0, 4*pageCount(s.size()))
	for off := int64(0); off < s.size(); off += pageSize {
		page, err := s.span(off, min(pageSize, s.size()-off))
		if err != nil {
			return fmt.Errorf("save the index: %w", err)
		}
		sums = binary.LittleEndian.AppendUint32(sums, crc32.Checksum(page, castagnoli))
	}
	id := ""
	if ix.model != nil {
		id = ix.model.ID()
	}
	head := header(&s.layout, st.version, id, sums)
	for _, b := range [][]byte{head, sums} {
		if _, err := w.Write(b); err != nil {
			return fmt.Errorf("save the index: %w", err)
		}
	}
	for off := int64(0); off < s.size(); {
		b, err := s.span(off, min(64*pageSize, s.size()-off))
		if err != nil {
			return fmt.Errorf("save the index: %w", err)
		}
		if _, err := w.Write(b); err != nil {
			return fmt.Errorf("save the index: %w", err)
		}
		off += int64(len(b))
	}
	return nil
}

// asOneSegment returns a segment of all live slots, with no vectors of another embedder.
func (st *indexState) asOneSegment() (*segment, error) {
	if len(st.parts) == 0 {
		return build(nil, 0), nil
	}
	if p := st.parts[0]; len(st.parts) == 1 && p.gone == 0 && !p.alien {
		return p.segment, nil
	}
	return merge(st.parts)
}

func pageCount(size int64) int64 { return (size + pageSize - 1) / pageSize }

// header returns the header page. It writes the checksum last, because that covers the page.
func header(l *layout, version uint64, embedder string, sums []byte) []byte {
	b := append(make([]byte, 0, pageSize), magic...)
	b = binary.LittleEndian.AppendUint32(b, fileFormat)
	sumAt := len(b)
	b = binary.LittleEndian.AppendUint32(b, 0)
	b = binary.LittleEndian.AppendUint64(b, version)
	for _, n := range []int{l.n, l.above[0], l.above[1], l.keys, l.postings, l.dims, int(l.metas), int(l.terms),
		int(l.length), l.vectors} {
		b = binary.LittleEndian.AppendUint64(b, uint64(n))
	}
	embedder = embedder[:min(len(embedder), maxIDBytes)]
	b = binary.LittleEndian.AppendUint32(b, uint32(len(embedder)))
	b = append(b, embedder...)
	b = append(b, make([]byte, pageSize-len(b))...)
	sum := crc32.Update(crc32.Checksum(b, castagnoli), castagnoli, sums)
	binary.LittleEndian.PutUint32(b[sumAt:], sum)
	return b
}

// Load opens an index written by Save. It reads the header and the checksums only. Every other page is read and
// checked when a call first needs it, so r must stay open as long as the index is in use, and damage is an error of
// the call that finds it. The error is errFormat for a file that is no index or is of another version. Vectors of
// another embedder than e are not used, and Stats().Note reports that.
func Load(r io.ReaderAt, size int64, tax *taxonomy.Taxonomy, e llm.Embedder) (*Index, error) {
	s, version, embedder, err := readHeader(r, size)
	if err != nil {
		return nil, fmt.Errorf("load the index: %w", err)
	}
	ix := New(tax, e)
	st := &indexState{version: version}
	if s.n > 0 {
		if s.dims > 0 && (e == nil || e.ID()[:min(len(e.ID()), maxIDBytes)] != embedder) {
			s.alien = true
			ix.alien = fmt.Sprintf("found by words alone: the index was made with the embedder %s", embedder)
			st.note = ix.alien
		}
		if s.dims > 0 && !s.alien && ix.rotation(s.dims) == nil {
			return nil, fmt.Errorf("load the index: %w", errFormat)
		}
		st.parts = []part{wholePart(s)}
		st.count()
	}
	ix.state.Store(st)
	return ix, nil
}

// readHeader reads and checks the header and the checksums. It returns the segment, the
// version, and the id of the embedder.
func readHeader(r io.ReaderAt, size int64) (*segment, uint64, string, error) {
	head := make([]byte, pageSize)
	if size < pageSize {
		return nil, 0, "", errFormat
	}
	if n, err := r.ReadAt(head, 0); n < len(head) {
		return nil, 0, "", fmt.Errorf("read the header: %w", err)
	}
	f := byteReader{rest: head[len(magic):]}
	if string(head[:len(magic)]) != magic {
		return nil, 0, "", errFormat
	}
	format, sum := f.u32(), f.u32()
	if format != fileFormat {
		return nil, 0, "", fmt.Errorf("%w: its format is %d, not %d", errFormat, format, fileFormat)
	}
	version := f.u64()
	s := &segment{}
	if !s.read(&f) {
		return nil, 0, "", fmt.Errorf("%w: its sizes are impossible", errFormat)
	}
	idLength := f.u32()
	if idLength > maxIDBytes {
		return nil, 0, "", fmt.Errorf("%w: its embedder's name is too long", errFormat)
	}
	embedder := string(f.rest[:idLength])
	end := s.sections().end
	pages := pageCount(end)
	if size != pageSize+4*pages+end {
		return nil, 0, "", fmt.Errorf("%w: it has %d bytes where its header says %d", errFormat, size, pageSize+4*pages+end)
	}
	sums := make([]byte, 4*pages)
	if n, err := r.ReadAt(sums, pageSize); n < len(sums) {
		return nil, 0, "", fmt.Errorf("read the sums: %w", err)
	}
	clear(head[len(magic)+4 : len(magic)+8])
	if crc32.Update(crc32.Checksum(head, castagnoli), castagnoli, sums) != sum {
		return nil, 0, "", fmt.Errorf("%w: the header does not match its sum", errFormat)
	}
	s.pages = fromFile(r, pageSize+4*pages, end, sums)
	return s, version, embedder, nil
}

// fromFile returns the pages of a file that begin at byte from; nothing is read yet.
func fromFile(r io.ReaderAt, from, length int64, sums []byte) pages {
	return pages{file: r, from: from, length: length, sums: sums,
		loaded: make([]atomic.Pointer[[pageSize]byte], pageCount(length))}
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
