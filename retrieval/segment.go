package retrieval

import (
	"encoding/binary"
	"iter"
	"math"
	"sync"
	"sync/atomic"

	"github.com/memtree/memtree/internal/piece"
)

// segment is an immutable index of some nodes, in bytes. The bytes are the same in memory and on disk, and the same
// for the same nodes. A node has one slot. Slots are numbered from 0: strategies first, then experiences, then cases,
// and within a level by the key of the id. The sections, in order, little endian:
//
//	keys      16 each  key of a list u64, first posting u32, postings u32; sorted
//	postings   8 each  slot u32, times u16, tokens of the slot u16
//	heads     32 a slot, see slotHead
//	sketches   8·words+8 a slot: signs of the rotated vector, one bit each; scale f32;
//	          number of positive signs u16; error bound u16, in boundUnit
//	rows      dims a slot: the vector, an int8 a number
//	offsets   16 a slot and one more: into metas u64, into terms u64
//	metas     the traits of each slot, see meta.go
//	terms     for each slot: uvarint count, then for each token its index in keys
//	          (uvarint, less the index before) and times (uvarint); sorted
//
// A list has the slots with one token, id, scene id, route, test, check or partition, see kind.
type segment struct {
	layout
	piece.Pages
	columns [2]atomic.Pointer[[]byte]    // heads and sketches, each in one piece; nil until first used
	kinds   atomic.Pointer[typeColumn]   // nil until first used
	leans   sync.Map                     // from the key of a check to its column, see leanings
	dense   sync.Map                     // from the key of a token to its column, see wordTimes
	tokens  atomic.Pointer[[]uint16]     // of each slot; nil until first used
	places  sync.Map                     // from the key of a place to its column, see members
	ofCases atomic.Pointer[caseProducts] // nil until first used
	alien   bool                         // the vectors are of another embedder and are not used

	embedder string // of the vectors, if the segment is from a file
	name     string // of the piece that it was loaded from, see pieces.go; "" for others
}

// layout has the sizes that determine the positions in a segment.
type layout struct {
	n        int    // slots
	above    [2]int // slots with strategies, slots with experiences
	keys     int    // number of lists
	postings int    // of all lists together
	dims     int    // length of the vectors, 0 for none
	metas    int64  // bytes
	terms    int64  // bytes
	length   int64  // tokens of all slots together
	vectors  int    // slots with a vector
}

// passing returns s for a merge, see piece.Pages.Passing.
func (s *segment) passing() *segment {
	out := &segment{layout: s.layout, Pages: s.Passing(), alien: s.alien, embedder: s.embedder}
	out.columns[0].Store(s.columns[0].Load())
	return out
}

// level returns the slots of a level, 1 to 3: from the first to before the last.
func (l *layout) level(level int) (from, to int) {
	switch level {
	case 3:
		return 0, l.above[0]
	case 2:
		return l.above[0], l.above[0] + l.above[1]
	}
	return l.above[0] + l.above[1], l.n
}

const (
	keySize     = 16
	postingSize = 8
	headSize    = 32
	offsetSize  = 16
)

// sketchSize returns the bytes of a sketch for vectors of dims numbers.
func sketchSize(dims int) int {
	if dims == 0 {
		return 0
	}
	return turnedLength(dims)/8 + 8
}

// sections returns the byte at which each section begins, and the end of the last. The first
// section, keys, begins at 0.
func (l *layout) sections() (at struct{ postings, heads, sketches, rows, offsets, metas, terms, end int64 }) {
	at.postings = int64(l.keys) * keySize
	at.heads = at.postings + int64(l.postings)*postingSize
	at.sketches = at.heads + int64(l.n)*headSize
	at.rows = at.sketches + int64(l.n)*int64(sketchSize(l.dims))
	at.offsets = at.rows + int64(l.n)*int64(l.dims)
	at.metas = at.offsets + int64(l.n+1)*offsetSize
	at.terms = at.metas + l.metas
	at.end = at.terms + l.terms
	return at
}

func le16(b []byte) uint16 { return binary.LittleEndian.Uint16(b) }
func le32(b []byte) uint32 { return binary.LittleEndian.Uint32(b) }
func le64(b []byte) uint64 { return binary.LittleEndian.Uint64(b) }

// list is a list of postings: the number of the first, and their count.
type list struct{ first, n int }

// list returns the list with the key, an empty one if it does not exist.
func (s *segment) list(k uint64) (list, error) {
	i, l, err := s.seek(k)
	if i < 0 {
		return list{}, err
	}
	return l, err
}

// seek returns the index of a key and its list, or -1 if no such key exists. Keys are hashes and spread evenly, so it
// searches by interpolation, which needs few steps. Every third step halves the range, which bounds the steps for any
// distribution of keys.
func (s *segment) seek(k uint64) (int, list, error) {
	lo, hi := 0, s.keys
	below, above := float64(0), float64(math.MaxUint64)
	for try := 0; lo < hi; try++ {
		mid := lo + (hi-lo)/2
		if try%3 != 2 && above > below {
			mid = lo + int((float64(k)-below)/(above-below)*float64(hi-lo))
			mid = min(max(mid, lo), hi-1)
		}
		b := s.Resident(int64(mid)*keySize, keySize) // a key lies in one page
		if b == nil {
			var err error
			if b, err = s.Span(int64(mid)*keySize, keySize); err != nil {
				return -1, list{}, err
			}
		}
		switch got := le64(b); {
		case got < k:
			lo, below = mid+1, float64(got)
		case got > k:
			hi, above = mid, float64(got)
		default:
			l := list{int(le32(b[8:])), int(le32(b[12:]))}
			if l.first+l.n > s.postings {
				return -1, list{}, s.Damaged(int64(mid)*keySize, "a list runs past the end")
			}
			return mid, l, nil
		}
	}
	return -1, list{}, nil
}

// readAhead is how many bytes of a list are read at once. Whoever reads a list reads all of it.
const readAhead = 64 * piece.PageSize

// next returns the first of a list's postings, as many as lie in one page, 8 bytes each, and the
// rest of the list.
func (s *segment) next(l list) ([]byte, list, error) {
	from, size := int64(s.keys)*keySize+int64(l.first)*postingSize, int64(l.n)*postingSize
	b := s.Resident(from, size)
	if b == nil {
		if err := s.Ahead(from, min(size, readAhead)); err != nil {
			return nil, list{}, err
		}
		b = s.Resident(from, size)
	}
	n := len(b) / postingSize // without remainder: pages and the section begin at multiples of it
	return b, list{l.first + n, l.n - n}, nil
}

// slots yields the slots of a list, dead ones too, in order. After an error it ends.
func (s *segment) slots(l list) iter.Seq2[int, error] {
	return func(yield func(int, error) bool) {
		for l.n > 0 {
			var b []byte
			var err error
			if b, l, err = s.next(l); err != nil {
				yield(0, err)
				return
			}
			for ; len(b) >= postingSize; b = b[postingSize:] {
				slot := int(le32(b))
				if slot >= s.n {
					yield(0, s.Damaged(0, "a list names a slot that is not there"))
					return
				}
				if !yield(slot, nil) {
					return
				}
			}
		}
	}
}

// slotHead is the part of a slot that decides whether a search reads more of it.
type slotHead struct {
	id      uint64 // key of the id
	product uint32 // marks of the scope, 0 for everywhere
	suite   uint32
	test    uint32
	scene   uint32  // mark of the scene type, 0 for none
	tokens  uint16  // length of the text, at most 65,535
	vector  bool    // it has a vector
	scale   float32 // of the row
}

// append writes the head in its headSize bytes, as readHead reads it.
func (h slotHead) append(b []byte) []byte {
	b = binary.LittleEndian.AppendUint64(b, h.id)
	for _, v := range []uint32{h.product, h.suite, h.test, h.scene, math.Float32bits(h.scale)} {
		b = binary.LittleEndian.AppendUint32(b, v)
	}
	flags := uint16(0)
	if h.vector {
		flags = 1
	}
	return binary.LittleEndian.AppendUint16(binary.LittleEndian.AppendUint16(b, h.tokens), flags)
}

// readHead reads the head at the front of b.
func readHead(b []byte) slotHead {
	return slotHead{
		id: le64(b), product: le32(b[8:]), suite: le32(b[12:]), test: le32(b[16:]), scene: le32(b[20:]),
		scale: math.Float32frombits(le32(b[24:])), tokens: le16(b[28:]), vector: le16(b[30:])&1 != 0,
	}
}

// heads returns the column of heads.
func (s *segment) heads() ([]byte, error) {
	return s.column(0, s.sections().heads, int64(s.n)*headSize, func(b []byte) []byte { return b })
}

// head returns the head of one slot. It reads no column, so a process that needs few heads reads few pages.
func (s *segment) head(slot int) (slotHead, error) {
	if b := s.columns[0].Load(); b != nil {
		return readHead((*b)[slot*headSize:]), nil
	}
	b, err := s.Span(s.sections().heads+int64(slot)*headSize, headSize)
	if err != nil {
		return slotHead{}, err
	}
	return readHead(b), nil
}

// sketches returns the column of sketches as rate reads it. It is nil without vectors, or with only those of another
// embedder.
func (s *segment) sketches() ([]byte, error) {
	if s.dims == 0 || s.alien {
		return nil, nil
	}
	size := sketchSize(s.dims)
	return s.column(1, s.sections().sketches, int64(s.n)*int64(size), func(b []byte) []byte {
		if blocked(s.dims) {
			return inBlocks(b, size)
		}
		return b
	})
}

// column returns a column in one piece, in the form that as returns, and caches it, because every search reads all of
// it. Two searches may compute it at once, with the same bytes.
func (s *segment) column(i int, from, n int64, as func([]byte) []byte) ([]byte, error) {
	if b := s.columns[i].Load(); b != nil {
		return *b, nil
	}
	b, err := s.Span(from, n)
	if err == nil {
		b = as(b)
		s.columns[i].Store(&b)
	}
	return b, err
}

// row returns the 8-bit vector of a slot.
func (s *segment) row(slot int) ([]byte, error) {
	return s.Span(s.sections().rows+int64(slot)*int64(s.dims), int64(s.dims))
}

// prefetch makes the processor fetch the head and the row of a slot. A search waits longer for these than it computes
// with them, so it prefetches several slots before it needs the first.
func (s *segment) prefetch(slot int) {
	if b := s.columns[0].Load(); b != nil {
		prefetch(&(*b)[slot*headSize], headSize)
	}
	if s.dims > 0 {
		if b := s.Resident(s.sections().rows+int64(slot)*int64(s.dims), int64(s.dims)); b != nil {
			prefetch(&b[0], len(b))
		}
	}
}

// body returns the bytes of a slot in metas (which is 0) or terms (which is 1).
func (s *segment) body(slot, which int) ([]byte, error) {
	from, to, err := s.bounds(slot, which)
	if err != nil {
		return nil, err
	}
	start := s.sections().metas
	if which == 1 {
		start = s.sections().terms
	}
	return s.Span(start+from, to-from)
}

// bounds returns where the bytes of a slot in metas or terms begin and end, from the beginning of the section.
func (s *segment) bounds(slot, which int) (from, to int64, err error) {
	at := s.sections().offsets + int64(slot)*offsetSize
	b, err := s.Span(at, 2*offsetSize)
	if err != nil {
		return 0, 0, err
	}
	first, end, size := le64(b[8*which:]), le64(b[offsetSize+8*which:]), s.metas
	if which == 1 {
		size = s.terms
	}
	if first > end || end > uint64(size) { //nolint:gosec // not negative
		return 0, 0, s.Damaged(at, "an offset runs past the end")
	}
	return int64(first), int64(end), nil //nolint:gosec // at most size
}

// meta returns the traits of a slot.
func (s *segment) meta(slot int) (nodeTraits, error) {
	b, err := s.body(slot, 0)
	if err != nil {
		return nodeTraits{}, err
	}
	m, ok := readMeta(b)
	if !ok {
		return nodeTraits{}, s.Damaged(0, "what is known of a node cannot be read")
	}
	return m, nil
}

// slotToken is one token of a slot: its index in keys, and its count.
type slotToken struct {
	at    int
	times uint16
}

// words appends the tokens of a slot to out, in the order of their keys.
func (s *segment) words(slot int, out []slotToken) ([]slotToken, error) {
	b, err := s.body(slot, 1)
	if err != nil {
		return nil, err
	}
	count, w := binary.Uvarint(b)
	if w <= 0 || count > uint64(len(b)) {
		return nil, s.Damaged(0, "the words of a node cannot be read")
	}
	b = b[w:]
	at := -1
	for range count {
		step, w1 := binary.Uvarint(b)
		times, w2 := binary.Uvarint(b[max(w1, 0):])
		if w1 <= 0 || w2 <= 0 || step == 0 || step > uint64(s.keys) || times > math.MaxUint16 {
			return nil, s.Damaged(0, "the words of a node cannot be read")
		}
		if at += int(step); at >= s.keys {
			return nil, s.Damaged(0, "a node names a word that is not there")
		}
		out = append(out, slotToken{at, uint16(times)})
		b = b[w1+w2:]
	}
	return out, nil
}

// keyAt returns the i-th key.
func (s *segment) keyAt(i int) (uint64, error) {
	b, err := s.Span(int64(i)*keySize, 8)
	if err != nil {
		return 0, err
	}
	return le64(b), nil
}
