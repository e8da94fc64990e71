package retrieval

import (
	"cmp"
	"encoding/binary"
	"errors"
	"os"
	"runtime"
)

// A merge reads its sources once or twice, in order, and writes a large segment to a file: what it holds of both is a
// few portions, and for each slot and each list a number.

// mergeInput is one of the segments of a merge, and how far the merge has read it.
type mergeInput struct {
	part
	slots []int32  // the new slot of each, -1 for a dead one
	keys  []uint32 // the place of each key in the new segment, once takeKey took it
	key   int      // place of the next key to take
	slot  int      // the next slot to copy
}

// room is where large merges write.
type room struct {
	open func() (*os.File, error) // see Index.MergeInto; nil: merges are made in memory
	from int64                    // size in bytes from which on a merge is written to a file
}

// MergeInto makes the index write merges of about from bytes or more to files that open returns, instead of holding
// them in memory. A node takes about a kilobyte. open has to return an empty file that nobody else writes and that
// disappears when it is closed. The index closes it. If open returns errors.ErrUnsupported, the merge is made in
// memory. Call MergeInto before the index is used.
func (ix *Index) MergeInto(open func() (*os.File, error), from int64) { ix.room = room{open, from} }

// merge makes one segment of the live slots of all parts: the same bytes that build would make of their nodes. It also
// returns for each part the new number of every slot, -1 for a dead one. An error of stop, which it calls now and
// then, ends it, and so does one of the file.
func merge(stop func() error, parts []part, in room) (_ *segment, _ [][]int32, err error) {
	w := &segmentWriter{}
	ss := make([]*mergeInput, len(parts))
	for i, p := range parts {
		p.segment = p.passing()
		ss[i] = &mergeInput{part: p}
		if !p.alien {
			w.dims = max(w.dims, p.dims)
		}
	}
	order, err := arrange(w, ss)
	if err != nil {
		return nil, nil, err
	}
	if err := w.make(stop, ss, in); err != nil {
		return nil, nil, err
	}
	defer func() {
		if err != nil && w.file != nil {
			err = errors.Join(err, w.file.Close())
		}
	}()
	if err := mergeLists(stop, w, ss); err != nil {
		return nil, nil, err
	}
	for i, at := range order {
		if i%1024 == 0 {
			if err := cmp.Or(w.err, stop()); err != nil {
				return nil, nil, err
			}
		}
		if err := ss[at].copyNext(w); err != nil {
			return nil, nil, err
		}
	}
	slots := make([][]int32, len(ss))
	for i, s := range ss {
		slots[i] = s.slots
	}
	s, err := w.segment()
	runtime.KeepAlive(parts)
	return s, slots, err
}

// make opens the file of a merge that is large enough, and reads which sizes its sections will have.
func (w *segmentWriter) make(stop func() error, ss []*mergeInput, in room) error {
	var size int64
	for _, s := range ss {
		size += s.Size() / int64(s.n) * int64(s.n-s.gone)
	}
	if in.open == nil || size < in.from {
		return nil
	}
	l := layout{n: w.n, dims: w.dims}
	if err := countLists(stop, &l, ss); err != nil {
		return err
	}
	f, err := in.open()
	if errors.Is(err, errors.ErrUnsupported) {
		return nil
	}
	if err != nil {
		return err
	}
	w.into(f, l)
	return nil
}

// countLists counts the lists and postings of the new segment, and the bytes of its traits.
func countLists(stop func() error, l *layout, ss []*mergeInput) error {
	for read := 0; ; read++ {
		if read%4096 == 0 {
			if err := stop(); err != nil {
				return err
			}
		}
		k, found, err := nextKey(ss)
		if err != nil {
			return err
		}
		if !found {
			break
		}
		n := 0
		for _, s := range ss {
			live, err := s.countKey(k)
			if err != nil {
				return err
			}
			n += live
		}
		if n > 0 {
			l.keys, l.postings = l.keys+1, l.postings+n
		}
	}
	for _, s := range ss {
		s.key = 0
		for slot := range s.n {
			if s.slots[slot] < 0 {
				continue
			}
			from, to, err := s.bounds(slot, 0)
			if err != nil {
				return err
			}
			l.metas += to - from
		}
	}
	return nil
}

// arrange assigns new numbers to the live slots, by level and within a level by the key of the id. It returns which
// source each new slot is from, and fills the slots of the sources. The slots of a source are in this order already, so
// it repeatedly selects the lowest next one.
func arrange(w *segmentWriter, ss []*mergeInput) ([]uint16, error) {
	heads := make([][]byte, len(ss))
	for i, s := range ss {
		var err error
		if heads[i], err = s.heads(); err != nil {
			return nil, err
		}
		s.slots = make([]int32, s.n)
	}
	var order []uint16
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
			ss[best].slots[next[best]] = int32(len(order)) //nolint:gosec // below maxSlots
			order = append(order, uint16(best))            //nolint:gosec // some tens of sources
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
		s.keys = make([]uint32, s.segment.keys)
	}
	kept, lists := make([][]uint64, len(ss)), make([][]uint64, len(ss))
	for {
		k, found, err := nextKey(ss)
		if err != nil || !found {
			return err
		}
		if w.keys%4096 == 0 {
			if err := cmp.Or(w.err, stop()); err != nil {
				return err
			}
		}
		first := w.posted()
		for i, s := range ss {
			if kept[i], err = s.takeKey(k, w.keys, kept[i][:0]); err != nil {
				return err
			}
			lists[i] = kept[i]
		}
		for i := leastSlot(lists); i >= 0; i = leastSlot(lists) {
			w.postings.b = binary.LittleEndian.AppendUint64(w.postings.b, lists[i][0])
			w.spill(&w.postings)
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

// nextList returns the list of key k if k is the next key of s, and goes on to the key after it; else an empty list.
func (s *mergeInput) nextList(k uint64) (list, error) {
	if s.key == s.segment.keys {
		return list{}, nil
	}
	b, err := s.Span(int64(s.key)*keySize, keySize)
	if err != nil || le64(b) != k {
		return list{}, err
	}
	l := list{int(le32(b[8:])), int(le32(b[12:]))}
	s.key++
	if l.first+l.n > s.postings {
		return list{}, s.Damaged(int64(s.key)*keySize, "a list runs past the end")
	}
	return l, nil
}

// countKey returns the number of live postings of key k, if k is the next key of s.
func (s *mergeInput) countKey(k uint64) (live int, err error) {
	l, err := s.nextList(k)
	if err != nil || s.gone == 0 {
		return l.n, err
	}
	for slot, err := range s.segment.slots(l) {
		if err != nil {
			return 0, err
		}
		if s.slots[slot] >= 0 {
			live++
		}
	}
	return live, nil
}

// takeKey appends the postings of key k with their new slots, if k is the next key of s. at is the index of the key in
// the new segment. Postings of dead slots are omitted.
func (s *mergeInput) takeKey(k uint64, at int, out []uint64) ([]uint64, error) {
	l, err := s.nextList(k)
	if err != nil || l.n == 0 {
		return out, err
	}
	s.keys[s.key-1] = uint32(at) //nolint:gosec // below 1<<32
	var b []byte
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

// copyNext writes the next live slot of a source into the merged segment. Traits are copied as bytes. Tokens are
// written again with the new indices of their keys. A vector of another embedder or another length is omitted.
func (s *mergeInput) copyNext(w *segmentWriter) error {
	for s.slots[s.slot] < 0 {
		s.slot++
	}
	defer func() { s.slot++ }()
	heads, err := s.heads()
	if err != nil {
		return err
	}
	h := readHead(heads[s.slot*headSize:])
	v, err := s.vectorOf(s.slot)
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
	m, err := s.body(s.slot, 0)
	if err != nil {
		return err
	}
	w.metas.b = append(w.metas.b, m...)
	words, err := s.words(s.slot, nil)
	if err != nil {
		return err
	}
	w.terms.b = binary.AppendUvarint(w.terms.b, uint64(len(words)))
	before := -1
	for _, x := range words {
		at := int(s.keys[x.at])
		w.terms.b = binary.AppendUvarint(w.terms.b, uint64(at-before))
		w.terms.b = binary.AppendUvarint(w.terms.b, uint64(x.times))
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
