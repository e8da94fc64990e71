package brief

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"maps"
	"slices"

	"github.com/memtree/memtree/internal/piece"
)

// piecesVersion is the version of the head of a book in pieces.
const piecesVersion = 2

// head is the head of a book in pieces: a line of JSON, and a line with its checksum.
type head struct {
	Version  int                     `json:"version"`
	Last     uint64                  `json:"last"`
	Purged   uint64                  `json:"purged,omitempty"`
	Memories string                  `json:"memories,omitempty"` // name of the piece that has them; "": there are none
	Readers  map[string]readerRecord `json:"readers,omitempty"`
	Segments []headSegment           `json:"segments,omitempty"`
}

type headSegment struct {
	Name string `json:"name"`
	Dead []byte `json:"dead,omitempty"` // the dead slots, one bit each, the lowest first
}

var memoriesKind = piece.Kind{Magic: "memtree-briefs-of\n", Format: 1, Name: "the memories of the book of coming tests",
	Again: "they are read anew"}

// Pieces is one state of a Book as files, most of which stay the same from state to state. It implements store.Pieces.
type Pieces struct {
	names []string
	write []func(io.Writer) error
	head  []byte
}

// Version returns 0: a book belongs to no version of the tree.
func (*Pieces) Version() uint64 { return 0 }

// Names returns the names of the files.
func (p *Pieces) Names() []string { return p.names }

// Write writes the file with the i-th of the Names to w.
func (p *Pieces) Write(i int, w io.Writer) error { return p.write[i](w) }

// Head returns the content of the file that names all others.
func (p *Pieces) Head() []byte { return p.head }

// Pieces returns the present state of b as Pieces. What changed since the last call is in a file of its own, or merged
// with earlier files.
func (b *Book) Pieces() (*Pieces, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if err := b.settle(); err != nil {
		return nil, fmt.Errorf("save briefs: %w", err)
	}
	p, h := &Pieces{}, head{Version: piecesVersion, Last: b.last, Purged: b.purged, Readers: maps.Clone(b.readers)}
	for _, s := range b.segments {
		s.seal()
		h.Segments = append(h.Segments, headSegment{s.name, bitsOf(s.dead)})
		p.names, p.write = append(p.names, s.name), append(p.write, s.write)
	}
	m, err := b.pieceOfMemories()
	if err != nil {
		return nil, fmt.Errorf("save briefs: %w", err)
	}
	if m != nil {
		h.Memories = m.name
		p.names, p.write = append(p.names, m.name), append(p.write, m.write)
	}
	line, err := json.Marshal(h)
	if err != nil {
		return nil, fmt.Errorf("save briefs: %w", err)
	}
	p.head = fmt.Appendf(nil, "%s\n%08x\n", line, crc32.Checksum(line, piece.Castagnoli))
	return p, nil
}

// settle makes the segments have everything that the book has, and merges those that are due. The caller holds the
// lock.
func (b *Book) settle() error {
	var es []entry
	for key := range b.unsaved { // newSegment sorts them
		b.unlink(key)
		f := b.briefs[key]
		if f == nil {
			continue
		}
		e, err := entryOf(f)
		if err != nil {
			return err
		}
		es = append(es, e)
	}
	if len(es) > 0 {
		b.segments = append(b.segments, newSegment(es))
	}
	b.unsaved = map[string]bool{}
	for {
		b.segments = slices.DeleteFunc(b.segments, func(s *segment) bool { return s.live() == 0 })
		from, to := piece.Due(len(b.segments), MostTests,
			func(i int) piece.Size { return piece.Size{Live: b.segments[i].live(), Dead: b.segments[i].gone} },
			func(int) bool { return false })
		if from < 0 {
			return nil
		}
		var es []entry
		for _, s := range b.segments[from:to] {
			es = s.entries(es)
		}
		b.segments = slices.Replace(b.segments, from, to, newSegment(es))
	}
}

// LoadPieces returns the book whose Pieces.Head is head, or that Save wrote as head. open returns the file with a
// name, and its size; the file must stay open as long as the book is in use. With an error the book has what could be
// read, or is nil.
func LoadPieces(head []byte, open func(name string) (io.ReaderAt, int64, error)) (*Book, error) {
	h, err := readHead(head)
	if err != nil {
		return nil, fmt.Errorf("load briefs: %w", err)
	}
	if h.Version == fileVersion {
		return Load(bytes.NewReader(head))
	}
	b := New()
	b.last, b.purged = h.Last, h.Purged
	maps.Copy(b.readers, h.Readers)
	var errs []error
	for i := range h.Segments {
		s, err := h.Segments[i].open(open)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		b.segments = append(b.segments, s)
		b.tests += s.live()
	}
	if b.tests > MostTests {
		return nil, errors.New("load briefs: it has more tests than a book has room for")
	}
	if h.Memories != "" {
		if b.loading, err = openMemories(h.Memories, h.Last, open); err != nil {
			errs = append(errs, err)
		}
	}
	if err := errors.Join(errs...); err != nil {
		return b, fmt.Errorf("load briefs: %w", err)
	}
	return b, nil
}

// readHead reads a head, or the first line of a book that is one file.
func readHead(data []byte) (h head, err error) {
	line, rest, _ := bytes.Cut(data, []byte("\n"))
	if len(line) == 0 {
		return h, errors.New("there is no first line")
	}
	var version struct{ Version int }
	if err := json.Unmarshal(line, &version); err != nil {
		return h, fmt.Errorf("line 1: %w", err)
	}
	switch h.Version = version.Version; h.Version {
	case fileVersion:
		return h, nil
	case piecesVersion:
	default:
		return h, fmt.Errorf("version %d is not %d", h.Version, piecesVersion)
	}
	if string(rest) != fmt.Sprintf("%08x\n", crc32.Checksum(line, piece.Castagnoli)) {
		return h, errors.New("the head does not match its sum")
	}
	return h, json.Unmarshal(line, &h)
}

// open opens the segment that a head names.
func (x *headSegment) open(open func(name string) (io.ReaderAt, int64, error)) (*segment, error) {
	r, size, err := open(x.Name)
	if err != nil {
		return nil, err
	}
	s, err := openSegment(r, size)
	if err != nil {
		return nil, fmt.Errorf("segment %s: %w", x.Name, err)
	}
	if s.name != x.Name || len(x.Dead) > (s.n+7)/8 {
		return nil, fmt.Errorf("segment %s: %w: it is another than its name", x.Name, piece.ErrFormat)
	}
	for slot := range min(s.n, 8*len(x.Dead)) {
		if x.Dead[slot/8]>>(slot%8)&1 != 0 {
			s.kill(slot)
		}
	}
	return s, nil
}

// bitsOf returns bits as bytes, without zeros at the end.
func bitsOf(words []uint64) (b []byte) {
	for _, w := range words {
		for i := range 8 {
			b = append(b, byte(w>>(8*i)))
		}
	}
	return bytes.TrimRight(b, "\x00")
}
