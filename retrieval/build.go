package retrieval

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"math"
	"slices"
)

// segmentEntry is a node on its way into a segment.
type segmentEntry struct {
	meta   nodeTraits
	tokens int
	words  []wordCount // sorted by key
	vector vector      // without a row: none
}

// wordCount is how often the word with a key occurs.
type wordCount struct {
	key   uint64
	times uint16
}

// countWords turns the keys of a text's tokens into counts; it sorts keys.
func countWords(keys []uint64) []wordCount {
	slices.Sort(keys)
	var out []wordCount
	for _, k := range keys {
		if n := len(out); n > 0 && out[n-1].key == k {
			if out[n-1].times < math.MaxUint16 {
				out[n-1].times++
			}
			continue
		}
		out = append(out, wordCount{k, 1})
	}
	return out
}

func (e *segmentEntry) head() slotHead {
	h := e.meta.head()
	h.tokens = uint16(min(e.tokens, math.MaxUint16))
	h.vector, h.scale = e.vector.row != nil, e.vector.scale
	return h
}

func appendPosting(b []byte, slot int, times, tokens uint16) []byte {
	return binary.LittleEndian.AppendUint64(b, uint64(uint32(slot))|uint64(times)<<32|uint64(tokens)<<48)
}

// segmentWriter puts the sections of a segment together.
type segmentWriter struct {
	layout
	keyBytes, postingBytes, headBytes, sketchBytes, rowBytes, offsetBytes, metaBytes, termBytes []byte

	room []byte // for all sections, each at its place in a layout that may be too large; nil: they have memory of their own
	most layout // that one
}

// reserve gives the sections room for what most says, in one piece: a segment is
// the largest thing there is in memory, and is not to be there twice.
func (w *segmentWriter) reserve(most layout) {
	at := most.sections()
	w.most, w.room = most, make([]byte, at.end)
	part := func(from, to int64) []byte { return w.room[from:from:to] }
	w.keyBytes, w.postingBytes, w.headBytes = part(0, at.postings), part(at.postings, at.heads), part(at.heads, at.sketches)
	w.sketchBytes, w.rowBytes, w.offsetBytes = part(at.sketches, at.rows), part(at.rows, at.offsets), part(at.offsets, at.metas)
	w.metaBytes, w.termBytes = part(at.metas, at.terms), part(at.terms, at.end)
}

// whole returns the sections as one, without the gaps between them.
func (w *segmentWriter) whole() []byte {
	sections := [][]byte{w.keyBytes, w.postingBytes, w.headBytes, w.sketchBytes, w.rowBytes, w.offsetBytes, w.metaBytes, w.termBytes}
	if w.room == nil || !w.within() {
		return slices.Concat(sections...)
	}
	n := 0
	for _, s := range sections { // each moves to the left, if at all
		n += copy(w.room[n:], s)
	}
	if n < len(w.room)*3/4 {
		return bytes.Clone(w.room[:n])
	}
	return w.room[:n:n]
}

// within reports whether no section has outgrown its room.
func (w *segmentWriter) within() bool {
	is, most := w.sections(), w.most.sections()
	return is.postings <= most.postings && is.heads-is.postings <= most.heads-most.postings && w.n <= w.most.n &&
		w.metas <= w.most.metas && w.terms <= w.most.terms
}

// endKey closes the list whose postings were written from first on.
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

func (w *segmentWriter) offset() {
	w.offsetBytes = binary.LittleEndian.AppendUint64(w.offsetBytes, uint64(len(w.metaBytes)))
	w.offsetBytes = binary.LittleEndian.AppendUint64(w.offsetBytes, uint64(len(w.termBytes)))
}

func (w *segmentWriter) segment() *segment {
	w.offset()
	w.postings = len(w.postingBytes) / postingSize
	w.metas, w.terms = int64(len(w.metaBytes)), int64(len(w.termBytes))
	s := &segment{layout: w.layout}
	s.mem = w.whole()
	return s
}

func byLevel(a, b *segmentEntry) int {
	return cmp.Or(cmp.Compare(b.meta.kind.Level(), a.meta.kind.Level()), cmp.Compare(key(idKind, a.meta.id), key(idKind, b.meta.id)))
}

// build makes a segment of entries with different ids. Vectors have length dims.
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
			all = append(all, posting{key: k, slot: uint32(slot)})
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
