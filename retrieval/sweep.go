package retrieval

import (
	"math"
	"runtime"
	"sort"
	"sync"
	"sync/atomic"

	"github.com/memtree/memtree/internal/cue"
)

// A search adds up the scores of all slots in two sweeps, chunkSlots at a time. The first adds up the lists of tokens;
// each posting is read once for both of its sums. The second reads columns, which the vector and the task of the
// prompt choose: the leanings of a chunk, then its fit to the task, then the estimate of its raw scores. What is added
// up stays in the nearest caches of the processor. Several goroutines share the second sweep of a large index. No sum
// depends on which of them has it.

const (
	chunkSlots   = 8192 // a multiple of blockSlots, so that a chunk begins with a block of sketches
	chunksEach   = 4    // the least number of chunks for which a goroutine is worth its start
	mostSweepers = 4
)

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

// skip drops the postings of slots below from.
func (c *cursor) skip(s *segment, from int) error {
	for {
		if postings, err := c.until(s, from); err != nil || len(postings) == 0 {
			return err
		}
	}
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

// chunkSpace is the memory of a sweeper for one chunk.
type chunkSpace struct {
	leans []float32 // the most that the cosine of the leanings of a slot and the prompt may be
	parts []uint16  // the parts of the checks that the prompt leans to and that have no column
}

// addWords fills s.lex and, with the task, s.shared.
func (s *search) addWords(task bool) error {
	for i := range s.st.parts {
		p := &s.st.parts[i]
		if err := s.openWords(p, i, task); err != nil {
			return err
		}
		for from := 0; from < p.n; from += chunkSlots {
			if err := s.addWordsTo(p, from, min(from+chunkSlots, p.n), task); err != nil {
				return err
			}
		}
		for _, c := range s.cursors {
			if len(c.page) > 0 || c.rest.n > 0 {
				return p.Damaged(0, "a list names a slot that is not there")
			}
		}
	}
	return nil
}

// addWordsTo adds up the postings of the slots from before to.
func (s *search) addWordsTo(p *part, from, to int, task bool) error {
	lex, shared := s.lex[p.base:p.base+p.n], s.shared[p.base+from:p.base+to]
	clear(lex[from:to])
	clear(shared)
	for i := range s.words {
		x := &s.words[i]
		if times := s.times[i]; times != nil {
			addTimes(times[from:to], s.tokens[from:to], &x.factors, lex[from:to])
			continue
		}
		for {
			postings, err := s.cursors[i].until(p.segment, to)
			if err != nil {
				return err
			}
			if len(postings) == 0 {
				break
			}
			ok := addShares(postings, &x.factors, lex)
			if task && x.shared > 0 {
				ok = ok && addShared(postings, x.shared, from, shared)
			}
			if !ok {
				return p.Damaged(0, "a list names a slot that is not there")
			}
		}
	}
	return nil
}

// sweeper does a part of the second sweep. It claims chunks in their order, of one part of the index after the other.
type sweeper struct {
	*search
	*chunkSpace
	lean     cue.Leaning
	fits     *fitFilter // nil: the task is not considered
	plain    []int      // lessons whose check the prompt calls for plainly, numbered across all parts
	p        *part      // nil: none yet
	leanings []leaningTo
	heads    []byte // of all slots, if fits is set
	sketches []byte // nil: without vectors of the prompt's length
	err      error
}

// sweep fills s.score and s.high, and gives fits the cases that may fit the task. It flags the lessons whose check the
// prompt calls for plainly. fits may be nil.
func (s *search) sweep(lean cue.Leaning, fits *fitFilter) error {
	s.score, s.high, s.per = s.lex, s.lex, s.unit
	if s.dense {
		s.score, s.high, s.per = s.rated, s.most, 1
	}
	if !s.dense && fits == nil {
		return nil
	}
	chunks := 0
	for i := range s.st.parts {
		chunks += (s.st.parts[i].n + chunkSlots - 1) / chunkSlots
	}
	return s.sweepBy(max(1, min(runtime.GOMAXPROCS(0), mostSweepers, chunks/chunksEach)), lean, fits)
}

// sweepBy does the second sweep with n sweepers. The first is this goroutine, so that the sweep ends although the
// others may not start before that.
func (s *search) sweepBy(n int, lean cue.Leaning, fits *fitFilter) error {
	s.chunks = append(s.chunks, make([]chunkSpace, max(0, n-len(s.chunks)))...)
	all := make([]sweeper, n)
	var next atomic.Int64
	var others sync.WaitGroup
	for i := range all {
		w := &all[i]
		*w = sweeper{search: s, chunkSpace: &s.chunks[i], lean: lean, fits: fits.clone()}
		if i > 0 {
			others.Go(func() { w.err = w.sweep(&next) })
		}
	}
	all[0].err = all[0].sweep(&next)
	others.Wait()
	for i := range all {
		if all[i].err != nil {
			return all[i].err
		}
		if fits == nil {
			continue
		}
		fits.best = append(fits.best, all[i].fits.best...)
		for _, at := range all[i].plain {
			s.fitting[at] = enough
			s.flag[at] |= fitsTask
		}
	}
	return nil
}

// sweep does chunks until none is left. next is the number of the first that nobody has claimed.
func (w *sweeper) sweep(next *atomic.Int64) error {
	at, first := int(next.Add(1))-1, 0 // the claimed chunk, and the first one of a part
	for i := range w.st.parts {
		p := &w.st.parts[i]
		end := first + (p.n+chunkSlots-1)/chunkSlots
		if at < end {
			if err := w.open(p); err != nil {
				return err
			}
		}
		for ; at < end; at = int(next.Add(1)) - 1 {
			from := (at - first) * chunkSlots
			if err := w.chunk(from, min(from+chunkSlots, p.n)); err != nil {
				return err
			}
		}
		first = end
	}
	return nil
}

// open finds the columns and lists of a part.
func (w *sweeper) open(p *part) (err error) {
	w.p, w.sketches, w.leanings = p, nil, w.leanings[:0]
	if w.dense && p.dims == len(w.ask.ints) {
		if w.sketches, err = p.sketches(); err != nil {
			return err
		}
	}
	if w.fits == nil {
		return nil
	}
	for _, share := range w.lean {
		l, err := p.leaningTo(key(checkKind, share.Check), float32(share.Size)/(leaning-1))
		if err != nil {
			return err
		}
		w.leanings = append(w.leanings, l)
	}
	w.leans = resize(w.leans, chunkSlots)
	w.parts = resize(w.parts, len(w.leanings)*chunkSlots)
	w.heads, err = p.heads()
	return err
}

// chunk does the slots from before to.
func (w *sweeper) chunk(from, to int) error {
	if w.fits != nil {
		leans := w.leans[:to-from]
		clear(leans)
		for i := range w.leanings {
			if err := w.leanings[i].addBounds(w.p.segment, from, leans, w.parts[i*chunkSlots:]); err != nil {
				return err
			}
		}
		w.fitting(from, to, w.shared[w.p.base+from:w.p.base+to], leans)
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
	if err := l.list.skip(s, from); err != nil {
		return err
	}
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

// fitting adds the slots from before to that fit the task, and the lessons whose check the prompt calls for plainly:
// its leaning is nearly that check alone. leans has bounds, so the leanings of those that may fit are added up
// again.
func (w *sweeper) fitting(from, to int, shared, leans []float32) {
	first, last := w.p.level(2)
	for slot := max(from, first); slot < min(to, last); slot++ {
		if leans[slot-from] >= plainly && w.leaningOf(from, slot-from) >= plainly {
			w.plain = append(w.plain, w.p.base+slot)
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
