package retrieval

import (
	"cmp"
	"encoding/binary"
	"math"
	"os"
	"slices"

	"github.com/memtree/memtree/internal/piece"
)

// segmentEntry is what a segment stores of one node.
type segmentEntry struct {
	meta   nodeTraits
	tokens int
	words  []wordCount // sorted by key
	vector vector      // row is nil when the node has no vector
}

// wordCount is the frequency of the token with a key in one text.
type wordCount struct {
	key   uint64
	times uint16
}

// countWords counts the keys of a text's tokens. It sorts keys in place. A count is at most 32,767, the highest that a
// posting can hold.
func countWords(keys []uint64) []wordCount {
	slices.Sort(keys)
	var out []wordCount
	for _, k := range keys {
		if n := len(out); n > 0 && out[n-1].key == k {
			if out[n-1].times < leaning-1 {
				out[n-1].times++
			}
			continue
		}
		out = append(out, wordCount{k, 1})
	}
	return out
}

// head returns the slot head of an entry: that of its traits, with length and vector.
func (e *segmentEntry) head() slotHead {
	h := e.meta.head()
	h.tokens = uint16(min(e.tokens, math.MaxUint16))
	h.vector, h.scale = e.vector.row != nil, e.vector.scale
	return h
}

// appendPosting writes one posting as a little-endian u64: the slot in the low 32 bits, then the frequency of the
// token, then the length of the text in tokens.
func appendPosting(b []byte, slot int, times, tokens uint16) []byte {
	return binary.LittleEndian.AppendUint64(b, uint64(uint32(slot))|uint64(times)<<32|uint64(tokens)<<48)
}

// segmentWriter collects the sections of a segment: in memory, or in a file where file is not nil. A file gets them in
// portions, each at its place, so the sizes must be known before, see into.
type segmentWriter struct {
	layout
	lists, postings, heads, sketches, rows, offsets, metas, terms section

	file *os.File
	err  error // the first of the file
}

// section is a section being written.
type section struct {
	b    []byte // what is not in the file yet
	done int64  // bytes in the file
	from int64  // byte of the file at which it begins
}

func (s *section) size() int64 { return s.done + int64(len(s.b)) }

// portion is how many bytes of a section are written to a file at once.
const portion = 256 << 10

// into has the sections written to f. l has their sizes, except that of the terms, the last section.
func (w *segmentWriter) into(f *os.File, l layout) {
	at := l.sections()
	w.file = f
	w.postings.from, w.heads.from, w.sketches.from, w.rows.from = at.postings, at.heads, at.sketches, at.rows
	w.offsets.from, w.metas.from, w.terms.from = at.offsets, at.metas, at.terms
}

// spill writes a section to the file if it has a portion.
func (w *segmentWriter) spill(s *section) {
	if w.file != nil && len(s.b) >= portion {
		w.flush(s)
	}
}

func (w *segmentWriter) flush(s *section) {
	if w.err == nil {
		_, w.err = w.file.WriteAt(s.b, s.from+s.done)
	}
	s.done += int64(len(s.b))
	s.b = s.b[:0]
}

// endKey writes the key of a list whose postings begin at number first and end with the
// last one written. A list without postings gets no key.
func (w *segmentWriter) endKey(k uint64, first int) {
	n := w.posted() - first
	if n == 0 {
		return
	}
	w.lists.b = binary.LittleEndian.AppendUint64(w.lists.b, k)
	w.lists.b = binary.LittleEndian.AppendUint32(w.lists.b, uint32(first)) //nolint:gosec // below 1<<32
	w.lists.b = binary.LittleEndian.AppendUint32(w.lists.b, uint32(n))     //nolint:gosec // below 1<<32
	w.keys++
	w.spill(&w.lists)
}

// posted returns the number of postings written.
func (w *segmentWriter) posted() int { return int(w.postings.size() / postingSize) }

// slot writes the head of the next slot, its sketch and its row. In a segment with vectors a slot without one gets
// zeros, so that the columns have a fixed step.
func (w *segmentWriter) slot(h slotHead, v vector) {
	w.heads.b = h.append(w.heads.b)
	w.length += int64(h.tokens)
	if h.vector {
		w.vectors++
	}
	w.spill(&w.heads)
	if w.dims == 0 {
		return
	}
	if v.row == nil {
		v.sketch, v.row = make([]byte, sketchSize(w.dims)), make([]byte, w.dims)
	}
	w.sketches.b = append(w.sketches.b, v.sketch...)
	w.rows.b = append(w.rows.b, v.row...)
	w.spill(&w.sketches)
	w.spill(&w.rows)
}

// offset writes where the traits and tokens of the next slot begin. The offset after the last slot is their end.
func (w *segmentWriter) offset() {
	w.offsets.b = binary.LittleEndian.AppendUint64(w.offsets.b, uint64(w.metas.size())) //nolint:gosec // not negative
	w.offsets.b = binary.LittleEndian.AppendUint64(w.offsets.b, uint64(w.terms.size())) //nolint:gosec // not negative
	w.spill(&w.offsets)
	w.spill(&w.metas)
	w.spill(&w.terms)
}

// segment completes what was written. The writer must not be used afterwards.
func (w *segmentWriter) segment() (*segment, error) {
	w.offset()
	w.layout.postings = w.posted()
	w.layout.metas, w.layout.terms = w.metas.size(), w.terms.size()
	all := []*section{&w.lists, &w.postings, &w.heads, &w.sketches, &w.rows, &w.offsets, &w.metas, &w.terms}
	if w.file == nil {
		b := make([]byte, 0, w.sections().end)
		for _, s := range all {
			b = append(b, s.b...)
			s.b = nil
		}
		return &segment{layout: w.layout, Pages: piece.InMemory(&fileKind, b)}, nil
	}
	for _, s := range all {
		w.flush(s)
	}
	if w.err != nil {
		return nil, w.err
	}
	pages, err := piece.Mapped(&fileKind, w.file, w.sections().end)
	return &segment{layout: w.layout, Pages: pages}, err
}

// byLevel is the order of slots: the highest level first, then the key of the id.
func byLevel(a, b *segmentEntry) int {
	return cmp.Or(cmp.Compare(b.meta.kind.Level(), a.meta.kind.Level()),
		cmp.Compare(key(idKind, a.meta.id), key(idKind, b.meta.id)))
}

// build makes a segment of entries, which have different ids. It sorts entries in place. dims
// is the length of the vectors; 0 for a segment without vectors.
func build(entries []*segmentEntry, dims int) *segment {
	slices.SortFunc(entries, byLevel)
	w := &segmentWriter{}
	w.n, w.dims = len(entries), dims
	type posting struct {
		key           uint64
		slot          uint32
		times, tokens uint16
	}
	var all []posting
	for slot, e := range entries {
		if level := e.meta.kind.Level(); level > 1 {
			w.above[3-level]++
		}
		h := e.head()
		for _, c := range e.words {
			all = append(all, posting{c.key, uint32(slot), c.times, h.tokens})
		}
		for _, k := range e.meta.keys() {
			all = append(all, posting{key: k, slot: uint32(slot)}) // the frequency of a name is not stored
		}
		w.slot(h, e.vector)
	}
	slices.SortFunc(all, func(a, b posting) int {
		return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.slot, b.slot))
	})
	var keys []uint64
	w.postings.b = make([]byte, 0, len(all)*postingSize)
	for i := 0; i < len(all); {
		first := w.posted()
		k := all[i].key
		for ; i < len(all) && all[i].key == k; i++ {
			w.postings.b = appendPosting(w.postings.b, int(all[i].slot), all[i].times, all[i].tokens)
		}
		w.endKey(k, first)
		keys = append(keys, k)
	}
	for _, e := range entries {
		w.offset()
		w.metas.b = e.meta.append(w.metas.b)
		w.terms.b = appendWords(w.terms.b, e.words, keys)
	}
	s, _ := w.segment() // in memory it cannot fail
	return s
}

// appendWords writes the tokens of a slot in the form of the terms section: each by its index in keys, as the
// difference to the index before, and by its count. Both lists are sorted.
func appendWords(b []byte, words []wordCount, keys []uint64) []byte {
	b = binary.AppendUvarint(b, uint64(len(words)))
	before := -1
	for _, c := range words {
		at, _ := slices.BinarySearch(keys, c.key)
		b = binary.AppendUvarint(b, uint64(at-before))
		b = binary.AppendUvarint(b, uint64(c.times))
		before = at
	}
	return b
}
