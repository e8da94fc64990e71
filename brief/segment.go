package brief

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"slices"
	"sort"

	"github.com/memtree/memtree/internal/piece"
)

// A saved book is stored in pieces (see package piece), so that a test that is noted costs the same whatever the book
// has. FORMAT.md has the bytes. Lines of tests are parsed when a method needs them: to parse them all takes longer than
// everything else that a short-lived process does, and it needs one test, or none.

var fileKind = piece.Kind{Magic: "memtree-briefs\n", Format: 1, Name: "the book of coming tests",
	Again: "what it has comes again with the next run of each test"}

// segment is an immutable part of a book, in bytes, the same in memory and on disk. A test has one slot. Slots are in
// the order of the hashes of the keys. The sections, in order, little endian:
//
//	keys      8 a slot  hash of the key; sorted
//	offsets   8 a slot and one more: into lines
//	prompts  16 a slot  hash of the prompt, slot; sorted
//	ids      16 a slot with an id: hash of it, slot; sorted
//	lines    the tests as JSON
type segment struct {
	piece.Pages
	name   string // of its file; "" until seal
	n, ids int    // slots; those with an id
	read   int    // slots for which something was read, the dead ones included

	// What follows changes, and is guarded as the book is.
	dead   []uint64
	gone   int      // dead slots
	parsed []uint64 // slots whose test is in the book's briefs, or was
	left   int      // slots that are neither dead nor parsed
}

const (
	offsetSize = 8
	pairSize   = 16
)

// hashOf is the hash under which a key, a prompt or an id is found.
func hashOf(s string) uint64 {
	h := fnv.New64a()
	_, _ = io.WriteString(h, s) // a hash does not fail
	return h.Sum64()
}

func (s *segment) offsetsAt() int64 { return offsetSize * int64(s.n) }

// table returns where the table of prompts begins, or that of ids, and how many rows it has.
func (s *segment) table(ids bool) (at int64, rows int) {
	at = s.offsetsAt() + offsetSize*int64(s.n+1)
	if ids {
		return at + pairSize*int64(s.n), s.ids
	}
	return at, s.n
}

func (s *segment) linesAt() int64 {
	at, rows := s.table(true)
	return at + pairSize*int64(rows)
}

func (s *segment) u64(at int64) (uint64, error) {
	b, err := s.Span(at, 8)
	if err != nil {
		return 0, err
	}
	return binary.LittleEndian.Uint64(b), nil
}

func has(bits []uint64, i int) bool { return i/64 < len(bits) && bits[i/64]>>(i%64)&1 != 0 }

func set(bits []uint64, n, i int) []uint64 {
	if bits == nil {
		bits = make([]uint64, (n+63)/64)
	}
	bits[i/64] |= 1 << (i % 64)
	return bits
}

func (s *segment) live() int { return s.n - s.gone }

// kill marks a slot dead.
func (s *segment) kill(slot int) {
	if !has(s.dead, slot) {
		s.dead = set(s.dead, s.n, slot)
		s.gone++
		if !has(s.parsed, slot) {
			s.left--
		}
	}
}

// take marks a live slot parsed.
func (s *segment) take(slot int) {
	if !has(s.parsed, slot) {
		s.parsed = set(s.parsed, s.n, slot)
		s.left--
	}
}

// line returns the JSON of a slot.
func (s *segment) line(slot int) ([]byte, error) {
	b, err := s.Span(s.offsetsAt()+offsetSize*int64(slot), 2*offsetSize)
	if err != nil {
		return nil, err
	}
	from, to := binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[offsetSize:])
	if from > to || to > uint64(s.Size()) || to-from > mostLine { //nolint:gosec // a size
		return nil, s.Damaged(s.offsetsAt(), "a line of it has no possible length")
	}
	return s.Span(s.linesAt()+int64(from), int64(to-from)) //nolint:gosec // checked above
}

// rowsOf yields the numbers of the rows with a hash, of a table with rows of size bytes that begin with it.
func (s *segment) rowsOf(at int64, rows, size int, hash uint64, yield func(row int) bool) {
	row := sort.Search(rows, func(i int) bool {
		h, err := s.u64(at + int64(i*size))
		return err != nil || h >= hash
	})
	for ; row < rows; row++ {
		if h, err := s.u64(at + int64(row*size)); err != nil || h != hash || !yield(row) {
			return
		}
	}
}

// ofKey yields the live slots that may have a key. What is damaged is left out.
func (s *segment) ofKey(key string, yield func(slot int) bool) {
	s.rowsOf(0, s.n, 8, hashOf(key), func(slot int) bool { return has(s.dead, slot) || yield(slot) })
}

// of yields the live slots that may have a prompt, by its own hash, or an id.
func (s *segment) of(ids bool, value string, yield func(slot int) bool) {
	at, rows := s.table(ids)
	s.rowsOf(at, rows, pairSize, hashOf(value), func(row int) bool {
		slot, err := s.u64(at + int64(row*pairSize) + 8)
		if err != nil || slot >= uint64(s.n) { //nolint:gosec // not negative
			return false
		}
		return has(s.dead, int(slot)) || yield(int(slot)) //nolint:gosec // below n
	})
}

// entry is a test of a segment to be written.
type entry struct {
	key, prompt, id uint64 // hashes; of an id 0 for none
	line            []byte
	parsed          bool // it is in the book's briefs
}

// entryOf returns the entry of a brief.
func entryOf(f *Brief) (entry, error) {
	b, err := json.Marshal(f)
	e := entry{key: hashOf(f.Key), prompt: hashOf(f.Words), line: b, parsed: true}
	if f.ID != "" {
		e.id = hashOf(f.ID)
	}
	return e, err
}

// hasRead is in the line of a test for which something was read, and in no other: a text has its quotes escaped.
var hasRead = []byte(`"upTo":`)

// newSegment returns a segment of tests, of which no two have the same key.
func newSegment(es []entry) *segment {
	slices.SortFunc(es, func(x, y entry) int { return cmp.Or(cmp.Compare(x.key, y.key), bytes.Compare(x.line, y.line)) })
	s := &segment{n: len(es), left: len(es)}
	var prompts, ids [][2]uint64
	var b []byte
	for slot := range es {
		e := &es[slot]
		b = binary.LittleEndian.AppendUint64(b, e.key)
		prompts = append(prompts, [2]uint64{e.prompt, uint64(slot)})
		if e.id != 0 {
			ids = append(ids, [2]uint64{e.id, uint64(slot)})
		}
		if bytes.Contains(e.line, hasRead) {
			s.read++
		}
		if e.parsed {
			s.take(slot)
		}
	}
	at := uint64(0)
	for i := range es {
		b = binary.LittleEndian.AppendUint64(b, at)
		at += uint64(len(es[i].line))
	}
	b = binary.LittleEndian.AppendUint64(b, at)
	for _, rows := range [][][2]uint64{prompts, ids} {
		slices.SortFunc(rows, func(x, y [2]uint64) int { return slices.Compare(x[:], y[:]) })
		for _, r := range rows {
			b = binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(b, r[0]), r[1])
		}
	}
	s.ids = len(ids)
	b = slices.Grow(b, int(at)) //nolint:gosec // bytes that are in memory
	for i := range es {
		b = append(b, es[i].line...)
	}
	s.Pages = piece.InMemory(&fileKind, b)
	return s
}

// entries appends the entries of the live slots. Of what is damaged nothing is left.
func (s *segment) entries(out []entry) []entry {
	es := make([]entry, s.n)
	for slot := range es {
		h, err := s.u64(offsetSize * int64(slot))
		line, lineErr := s.line(slot)
		if err == nil && lineErr == nil {
			es[slot] = entry{key: h, line: line, parsed: has(s.parsed, slot)}
		}
	}
	for _, ids := range []bool{false, true} {
		at, rows := s.table(ids)
		for row := range rows {
			h, err := s.u64(at + int64(row*pairSize))
			slot, slotErr := s.u64(at + int64(row*pairSize) + 8)
			switch {
			case err != nil || slotErr != nil || slot >= uint64(s.n): //nolint:gosec // not negative
			case ids:
				es[slot].id = h
			default:
				es[slot].prompt = h
			}
		}
	}
	for slot := range es {
		if !has(s.dead, slot) && es[slot].line != nil {
			out = append(out, es[slot])
		}
	}
	return out
}

// fields are what the header of a file has.
func (s *segment) fields() (b []byte) {
	for _, n := range []int{s.n, s.ids, s.read} {
		b = binary.LittleEndian.AppendUint64(b, uint64(n)) //nolint:gosec // not negative
	}
	return b
}

// seal gives a segment its name.
func (s *segment) seal() {
	if s.name == "" {
		s.name = piece.NameOf(s.Front(s.fields()))
	}
}

// write writes the file of a segment.
func (s *segment) write(w io.Writer) error { return s.Write(w, s.Front(s.fields())) }

// openSegment opens a segment's file. Like piece.Open it reads little of it.
func openSegment(r io.ReaderAt, size int64) (*segment, error) {
	pages, fields, name, err := piece.Open(&fileKind, r, size)
	if err != nil {
		return nil, err
	}
	n, ids, read := binary.LittleEndian.Uint64(fields), binary.LittleEndian.Uint64(fields[8:]),
		binary.LittleEndian.Uint64(fields[16:])
	if n == 0 || n > MostTests || ids > n || read > n {
		return nil, fmt.Errorf("%w: its sizes are impossible", piece.ErrFormat)
	}
	s := &segment{Pages: pages, name: name, n: int(n), ids: int(ids), read: int(read)} //nolint:gosec // bounded above
	if s.linesAt() > s.Size() {
		return nil, fmt.Errorf("%w: it is too short for its sizes", piece.ErrFormat)
	}
	s.left = s.n
	return s, nil
}
