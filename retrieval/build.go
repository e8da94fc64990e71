package retrieval

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"math"
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

// segmentWriter collects the sections of a segment and joins them.
type segmentWriter struct {
	layout
	keyBytes, postingBytes, headBytes, sketchBytes, rowBytes, offsetBytes, metaBytes, termBytes []byte

	room []byte // one piece of memory for all sections, see reserve; nil: each section has its own
	most layout // the layout that room was divided by; it may be larger than needed
}

// reserve allocates one piece of memory and gives each section its part of it, with the sizes of most. join can then
// close the gaps in place. Otherwise it would copy the segment, and a segment is too large to be in memory twice.
func (w *segmentWriter) reserve(most layout) {
	at := most.sections()
	w.most, w.room = most, make([]byte, at.end)
	// Empty, with the section's room as capacity: append writes into w.room and moves to
	// memory of its own when the room is used up.
	part := func(from, to int64) []byte { return w.room[from:from:to] }
	w.keyBytes, w.postingBytes, w.headBytes = part(0, at.postings), part(at.postings, at.heads),
		part(at.heads, at.sketches)
	w.sketchBytes, w.rowBytes, w.offsetBytes = part(at.sketches, at.rows), part(at.rows, at.offsets),
		part(at.offsets, at.metas)
	w.metaBytes, w.termBytes = part(at.metas, at.terms), part(at.terms, at.end)
}

// join returns the sections one after the other, without gaps.
func (w *segmentWriter) join() []byte {
	sections := [][]byte{w.keyBytes, w.postingBytes, w.headBytes, w.sketchBytes, w.rowBytes, w.offsetBytes, w.metaBytes,
		w.termBytes}
	if w.room == nil || !w.fitsRoom() {
		return slices.Concat(sections...)
	}
	n := 0
	for _, s := range sections { // each section moves to the left or stays, so none is overwritten
		n += copy(w.room[n:], s)
	}
	if n < len(w.room)*3/4 { // much of the reserved memory is unused: release it
		return bytes.Clone(w.room[:n])
	}
	return w.room[:n:n]
}

// fitsRoom reports whether every section still lies in the room that reserve gave it.
func (w *segmentWriter) fitsRoom() bool {
	is, most := w.sections(), w.most.sections()
	return is.postings <= most.postings && is.heads-is.postings <= most.heads-most.postings && w.n <= w.most.n &&
		w.metas <= w.most.metas && w.terms <= w.most.terms
}

// endKey writes the key of a list whose postings begin at number first and end with the
// last one written. A list without postings gets no key.
func (w *segmentWriter) endKey(k uint64, first int) {
	n := len(w.postingBytes)/postingSize - first
	if n == 0 {
		return
	}
	w.keyBytes = binary.LittleEndian.AppendUint64(w.keyBytes, k)
	w.keyBytes = binary.LittleEndian.AppendUint32(w.keyBytes, uint32(first))
	w.keyBytes = binary.LittleEndian.AppendUint32(w.keyBytes, uint32(n))
	w.keys++
}

// slot writes the head of the next slot, its sketch and its row. In a segment with vectors a slot without one gets
// zeros, so that the columns have a fixed step.
func (w *segmentWriter) slot(h slotHead, v vector) {
	w.headBytes = h.append(w.headBytes)
	w.length += int64(h.tokens)
	if h.vector {
		w.vectors++
	}
	if w.dims == 0 {
		return
	}
	if v.row == nil {
		w.sketchBytes = append(w.sketchBytes, make([]byte, sketchSize(w.dims))...)
		w.rowBytes = append(w.rowBytes, make([]byte, w.dims)...)
		return
	}
	w.sketchBytes = append(w.sketchBytes, v.sketch...)
	w.rowBytes = append(w.rowBytes, v.row...)
}

// offset writes where the traits and tokens of the next slot begin. The offset after the last slot is their end.
func (w *segmentWriter) offset() {
	w.offsetBytes = binary.LittleEndian.AppendUint64(w.offsetBytes, uint64(len(w.metaBytes)))
	w.offsetBytes = binary.LittleEndian.AppendUint64(w.offsetBytes, uint64(len(w.termBytes)))
}

// segment completes what was written. The writer must not be used afterwards.
func (w *segmentWriter) segment() *segment {
	w.offset()
	w.postings = len(w.postingBytes) / postingSize
	w.metas, w.terms = int64(len(w.metaBytes)), int64(len(w.termBytes))
	return &segment{layout: w.layout, Pages: piece.InMemory(&fileKind, w.join())}
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
	w.postingBytes = make([]byte, 0, len(all)*postingSize)
	for i := 0; i < len(all); {
		first := len(w.postingBytes) / postingSize
		k := all[i].key
		for ; i < len(all) && all[i].key == k; i++ {
			w.postingBytes = appendPosting(w.postingBytes, int(all[i].slot), all[i].times, all[i].tokens)
		}
		w.endKey(k, first)
		keys = append(keys, k)
	}
	for _, e := range entries {
		w.offset()
		w.metaBytes = e.meta.append(w.metaBytes)
		w.termBytes = appendWords(w.termBytes, e.words, keys)
	}
	return w.segment()
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
