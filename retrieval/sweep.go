package retrieval

import (
	"math"
	"sort"

	"github.com/memtree/memtree/internal/cue"
)

// A search adds up the scores of all slots in one sweep, chunkSlots at a time: the BM25 of a chunk, then its fit to the
// task, then the estimate of its raw scores. What is added up stays in the nearest caches of the processor, and each
// posting is read once for both of its sums.

// chunkSlots is a multiple of blockSlots, so that a chunk begins with a block of sketches.
const chunkSlots = 8192

// cursor is the part of a list that a sweep has not used yet.
type cursor struct {
	page []byte // postings that were read
	rest list   // those after them
}

// until returns the next postings of slots below to, as many as lie in one page, and none at the end. Postings are in
// the order of their slots.
func (c *cursor) until(s *segment, to int) ([]byte, error) {
	if len(c.page) == 0 {
		if c.rest.n == 0 {
			return nil, nil
		}
		var err error
		if c.page, c.rest, err = s.next(c.rest); err != nil {
			return nil, err
		}
	}
	n := len(c.page) / postingSize
	if n > 0 && int(le32(c.page[(n-1)*postingSize:])) >= to {
		n = sort.Search(n, func(i int) bool { return int(le32(c.page[i*postingSize:])) >= to })
	}
	out := c.page[:n*postingSize]
	c.page = c.page[n*postingSize:]
	return out, nil
}

// leaningTo is a check that the prompt leans to, in one segment: its column if it has one, else its list.
type leaningTo struct {
	by     float32 // what the unit of a part adds
	column *partColumn
	list   cursor
	parts  []uint16 // of a list: the parts of the slots of a chunk
}

// at returns what the check adds to the leaning of a slot, which is number i of the chunk that begins with from.
func (l *leaningTo) at(from, i int) float32 {
	if l.column != nil {
		return float32(l.by * float32(l.column.at(from+i)))
	}
	return float32(l.by * float32(l.parts[i]))
}

// sweeper is a sweep of one part.
type sweeper struct {
	*search
	p        *part
	words    []cursor // of s.words
	leanings []leaningTo
	fits     *fitFilter // nil: the task is not considered
	heads    []byte     // of all slots, if fits is set
	sketches []byte     // nil: without vectors of the prompt's length
}

// sweep fills s.lex, s.score and s.high, and gives fits the cases that may fit the task. fits may be nil.
func (s *search) sweep(lean cue.Leaning, fits *fitFilter) error {
	s.score, s.high, s.per = s.lex, s.lex, s.unit
	if s.dense {
		s.score, s.high, s.per = s.rated, s.most, 1
	}
	for i := range s.st.parts {
		w := &sweeper{search: s, p: &s.st.parts[i], fits: fits}
		if err := w.open(i, lean); err != nil {
			return err
		}
		for from := 0; from < w.p.n; from += chunkSlots {
			if err := w.chunk(from, min(from+chunkSlots, w.p.n)); err != nil {
				return err
			}
		}
		for _, c := range w.words {
			if len(c.page) > 0 || c.rest.n > 0 {
				return w.p.Damaged(0, "a list names a slot that is not there")
			}
		}
	}
	return nil
}

// open finds the columns and lists of the part, which has number i.
func (w *sweeper) open(i int, lean cue.Leaning) (err error) {
	w.words = resize(w.cursors, len(w.search.words))
	w.cursors = w.words
	for j := range w.words {
		w.words[j] = cursor{}
		if w.search.words[j].known > 0 {
			w.words[j].rest = w.search.words[j].lists[i]
		}
	}
	if w.dense && w.p.dims == len(w.ask.ints) {
		if w.sketches, err = w.p.sketches(); err != nil {
			return err
		}
	}
	if w.fits == nil {
		return nil
	}
	for _, share := range lean {
		l, err := w.p.leaningTo(key(checkKind, share.Check), float32(share.Size)/(leaning-1))
		if err != nil {
			return err
		}
		w.leanings = append(w.leanings, l)
	}
	w.parts = resize(w.parts, len(w.leanings)*chunkSlots)
	w.heads, err = w.p.heads()
	return err
}

// chunk adds up the scores of the slots from before to.
func (w *sweeper) chunk(from, to int) error {
	lex := w.lex[w.p.base : w.p.base+w.p.n]
	clear(lex[from:to])
	shared, leans := w.shared[:to-from], w.leans[:to-from]
	clear(shared)
	for i := range w.words {
		x := &w.search.words[i]
		for {
			postings, err := w.words[i].until(w.p.segment, to)
			if err != nil {
				return err
			}
			if len(postings) == 0 {
				break
			}
			ok := addShares(postings, &x.factors, lex)
			if w.fits != nil && x.shared > 0 {
				ok = ok && addShared(postings, x.shared, from, shared)
			}
			if !ok {
				return w.p.Damaged(0, "a list names a slot that is not there")
			}
		}
	}
	if w.fits != nil {
		clear(leans)
		for i := range w.leanings {
			if err := w.leanings[i].addBounds(w.p.segment, from, leans, w.parts[i*chunkSlots:]); err != nil {
				return err
			}
		}
		w.fitting(from, to, shared, leans)
	}
	w.rate(from, to)
	return nil
}

// addShared adds the weight of a token to the sum of every slot of the postings. The first sum is that of slot from.
// It returns false if a posting names a slot without a sum.
func addShared(postings []byte, weight float32, from int, sums []float32) bool {
	for b := postings; len(b) >= postingSize; b = b[postingSize:] {
		slot := uint(le32(b)) - uint(from)
		if slot >= uint(len(sums)) {
			return false
		}
		sums[slot] += weight
	}
	return true
}

// mostPart is a little more than partUnit, so that the bound is not below the sum by rounding, nor for the largest
// part.
const mostPart = partUnit + 0.5

// addBounds adds the most that the check can add to the leanings of a chunk, of which the first slot is from. For a
// list, which room is for, it is what the check adds.
func (l *leaningTo) addBounds(s *segment, from int, leans []float32, room []uint16) error {
	if l.column != nil {
		addParts(l.column.upper[from:from+len(leans)], l.by*mostPart, leans)
		return nil
	}
	l.parts = room[:len(leans)]
	clear(l.parts)
	for {
		postings, err := l.list.until(s, from+len(leans))
		if err != nil || len(postings) == 0 {
			return err
		}
		for b := postings; len(b) >= postingSize; b = b[postingSize:] {
			slot := uint(le32(b)) - uint(from)
			if slot >= uint(len(leans)) {
				return s.Damaged(0, "a list names a slot that is not there")
			}
			part := le16(b[4:]) &^ leaning
			l.parts[slot] = part
			leans[slot] += float32(l.by * float32(part)) // rounded before it is added
		}
	}
}

// leaningOf returns the cosine of the leanings of the prompt and of a slot, which is number i of the chunk that begins
// with from.
func (w *sweeper) leaningOf(from, i int) (sum float32) {
	for j := range w.leanings {
		sum += w.leanings[j].at(from, i)
	}
	return sum
}

// rate estimates the raw scores of the slots from before to.
func (w *sweeper) rate(from, to int) {
	if !w.dense {
		return
	}
	at, end := w.p.base+from, w.p.base+to
	lex, score, high := w.lex[at:end], w.score[at:end], w.high[at:end]
	if w.sketches != nil {
		w.ask.rate(w.sketches[from*sketchSize(w.p.dims):], w.unit, lex, score, high)
		return
	}
	for i, x := range lex {
		x = root(x * w.unit)
		score[i], high[i] = x, x
	}
}

// fitting adds the slots from before to that fit the task, and flags the lessons whose check the prompt calls for
// plainly: its leaning is nearly that check alone. leans has bounds, so the leanings of those that may fit are added up
// again.
func (w *sweeper) fitting(from, to int, shared, leans []float32) {
	first, last := w.p.level(2)
	for slot := max(from, first); slot < min(to, last); slot++ {
		if leans[slot-from] >= plainly && w.leaningOf(from, slot-from) >= plainly {
			w.search.fitting[w.p.base+slot] = enough
			w.flag[w.p.base+slot] |= fitsTask
		}
	}
	first, _ = w.p.level(1)
	f := w.fits
	for i := f.next(shared, leans, max(first-from, 0)); i < len(shared); i = f.next(shared, leans, i+1) {
		slot := from + i
		x := math.Log1p(float64(shared[i])*f.unit) + fitted.leans*float64(w.leaningOf(from, i)) + f.asked
		if x < f.least || w.flag[w.p.base+slot]&skip != 0 {
			continue
		}
		h := readHead(w.heads[slot*headSize:])
		if h.product != w.scope.product && f.open() {
			x -= fitted.openly
		}
		if x >= f.least && w.scope.admits(h) {
			f.add(fittingSlot{w.p.base + slot, h.id, x})
		}
	}
}
