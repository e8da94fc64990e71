package retrieval

import (
	"encoding/binary"
)

// mergeInput is one of the segments of a merge, and how far the merge has read it.
type mergeInput struct {
	part
	slots []int // the new slot of each, -1 for a dead one
	keys  []int // the place of each key in the new segment, once takeKey took it
	key   int   // place of the next key to take
}

// merge makes one segment of the live slots of all parts: the same bytes that build would make
// of their nodes. It reads all sources once, in order, and holds only the new segment in memory.
// It also returns for each part the new number of every slot, -1 for a dead one. An error of stop, which it calls
// now and then, ends it.
func merge(stop func() error, parts []part) (*segment, [][]int, error) {
	w := &segmentWriter{}
	ss := make([]*mergeInput, len(parts))
	for i, p := range parts {
		ss[i] = &mergeInput{part: p}
		if !p.alien {
			w.dims = max(w.dims, p.dims)
		}
	}
	order, err := arrange(w, ss)
	if err != nil {
		return nil, nil, err
	}
	most := layout{n: w.n, dims: w.dims}
	slots := make([][]int, len(ss))
	for i, s := range ss {
		slots[i] = s.slots
		most.keys, most.postings = most.keys+s.segment.keys, most.postings+s.postings
		// Tokens are written as distances between keys. These grow with the number of keys and may need another byte.
		most.metas, most.terms = most.metas+s.metas, most.terms+s.terms+s.terms/4
	}
	w.reserve(most)
	if err := mergeLists(stop, w, ss); err != nil {
		return nil, nil, err
	}
	for i, at := range order {
		if i%1024 == 0 {
			if err := stop(); err != nil {
				return nil, nil, err
			}
		}
		if err := at.copyInto(w); err != nil {
			return nil, nil, err
		}
	}
	return w.segment(), slots, nil
}

// from is the source of a slot of the merged segment.
type from struct {
	*mergeInput
	slot int
}

// arrange assigns new numbers to the live slots, by level and within a level by the key of the id. It returns the
// source of each new slot, and fills the slots of the sources. The slots of a source are in this order already, so it
// repeatedly selects the lowest next one.
func arrange(w *segmentWriter, ss []*mergeInput) ([]from, error) {
	heads := make([][]byte, len(ss))
	for i, s := range ss {
		var err error
		if heads[i], err = s.heads(); err != nil {
			return nil, err
		}
		s.slots = make([]int, s.n)
	}
	var order []from
	for level := 3; level > 0; level-- {
		next, end := make([]int, len(ss)), make([]int, len(ss))
		for i, s := range ss {
			next[i], end[i] = s.level(level)
		}
		before := len(order)
		for {
			best := -1
			for i, s := range ss {
				for next[i] < end[i] && s.isDead(next[i]) {
					s.slots[next[i]] = -1
					next[i]++
				}
				if next[i] < end[i] &&
					(best < 0 || le64(heads[i][next[i]*headSize:]) < le64(heads[best][next[best]*headSize:])) {
					best = i
				}
			}
			if best < 0 {
				break
			}
			ss[best].slots[next[best]] = len(order)
			order = append(order, from{ss[best], next[best]})
			next[best]++
		}
		if level > 1 {
			w.above[3-level] = len(order) - before
		}
	}
	w.n = len(order)
	return order, nil
}

// mergeLists writes the lists of all sources, in the order of their keys. The postings of a
// list are in the order of their new slots.
func mergeLists(stop func() error, w *segmentWriter, ss []*mergeInput) error {
	for _, s := range ss {
		s.keys = make([]int, s.segment.keys)
	}
	kept, lists := make([][]uint64, len(ss)), make([][]uint64, len(ss))
	for {
		k, found, err := nextKey(ss)
		if err != nil || !found {
			return err
		}
		if w.keys%4096 == 0 {
			if err := stop(); err != nil {
				return err
			}
		}
		first := len(w.postingBytes) / postingSize
		for i, s := range ss {
			if kept[i], err = s.takeKey(k, w.keys, kept[i][:0]); err != nil {
				return err
			}
			lists[i] = kept[i]
		}
		for i := leastSlot(lists); i >= 0; i = leastSlot(lists) {
			w.postingBytes = binary.LittleEndian.AppendUint64(w.postingBytes, lists[i][0])
			lists[i] = lists[i][1:]
		}
		w.endKey(k, first)
	}
}

// leastSlot returns the number of the list whose next posting has the lowest slot, -1 when all lists are exhausted.
func leastSlot(lists [][]uint64) int {
	best := -1
	for i, l := range lists {
		if len(l) > 0 && (best < 0 || uint32(l[0]) < uint32(lists[best][0])) {
			best = i
		}
	}
	return best
}

// nextKey returns the lowest key that is not taken yet; found is false at the end.
func nextKey(ss []*mergeInput) (k uint64, found bool, err error) {
	for _, s := range ss {
		if s.key == s.segment.keys {
			continue
		}
		this, err := s.keyAt(s.key)
		if err != nil {
			return 0, false, err
		}
		if !found || this < k {
			k, found = this, true
		}
	}
	return k, found, nil
}

// takeKey appends the postings of key k with their new slots, if k is the next key of s. at is the index of the key in
// the new segment. Postings of dead slots are omitted.
func (s *mergeInput) takeKey(k uint64, at int, out []uint64) ([]uint64, error) {
	if s.key == s.segment.keys {
		return out, nil
	}
	b, err := s.Span(int64(s.key)*keySize, keySize)
	if err != nil || le64(b) != k {
		return out, err
	}
	l := list{int(le32(b[8:])), int(le32(b[12:]))}
	s.keys[s.key] = at
	s.key++
	if l.first+l.n > s.postings {
		return nil, s.Damaged(int64(s.key)*keySize, "a list runs past the end")
	}
	for l.n > 0 {
		if b, l, err = s.next(l); err != nil {
			return nil, err
		}
		for ; len(b) >= postingSize; b = b[postingSize:] {
			p := le64(b)
			if int(uint32(p)) >= s.n {
				return nil, s.Damaged(0, "a list names a slot that is not there")
			}
			if slot := s.slots[uint32(p)]; slot >= 0 {
				out = append(out, p>>32<<32|uint64(uint32(slot))) // count and length do not change
			}
		}
	}
	return out, nil
}

// copyInto writes a slot of a source into the merged segment. Traits are copied as bytes. Tokens are written again
// with the new indices of their keys. A vector of another embedder or another length is omitted.
func (f from) copyInto(w *segmentWriter) error {
	heads, err := f.heads()
	if err != nil {
		return err
	}
	h := readHead(heads[f.slot*headSize:])
	v, err := f.vectorOf(f.slot)
	if err != nil {
		return err
	}
	if len(v.row) != w.dims {
		v = vector{}
	}
	if v.row == nil {
		h.vector, h.scale = false, 0
	}
	w.slot(h, v)
	w.offset()
	m, err := f.body(f.slot, 0)
	if err != nil {
		return err
	}
	w.metaBytes = append(w.metaBytes, m...)
	words, err := f.words(f.slot, nil)
	if err != nil {
		return err
	}
	w.termBytes = binary.AppendUvarint(w.termBytes, uint64(len(words)))
	before := -1
	for _, x := range words {
		at := f.keys[x.at]
		w.termBytes = binary.AppendUvarint(w.termBytes, uint64(at-before))
		w.termBytes = binary.AppendUvarint(w.termBytes, uint64(x.times))
		before = at
	}
	return nil
}

// vectorOf returns the stored form of a slot's vector. Its row is nil when the slot has none, or one of another
// embedder.
func (s *segment) vectorOf(slot int) (vector, error) {
	heads, err := s.heads()
	if err != nil {
		return vector{}, err
	}
	h := readHead(heads[slot*headSize:])
	if s.alien || !h.vector {
		return vector{}, nil
	}
	row, err := s.row(slot)
	if err != nil {
		return vector{}, err
	}
	size := int64(sketchSize(s.dims))
	sketch, err := s.Span(s.sections().sketches+int64(slot)*size, size)
	return vector{row: row, scale: h.scale, sketch: sketch}, err
}
