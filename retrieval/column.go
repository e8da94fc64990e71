package retrieval

import "math"

// wordColumn has a token that half of the slots of a segment have, or more: how often it occurs in each, one byte a
// slot. To add it up takes a third of the time of its list, with the same bits, as a share of 0 changes no sum.
type wordColumn struct {
	times []uint8 // nil: it occurs more often than a byte holds
}

// hasWordColumn reports whether a token with this list has a column. Without AVX2 the list is as fast.
func (s *segment) hasWordColumn(l list) bool { return fast && s.n >= manySlots && 2*l.n >= s.n }

// wordTimes returns the column of the token with key k, whose list is l. It is computed once.
func (s *segment) wordTimes(k uint64, l list) ([]uint8, error) {
	if c, ok := s.dense.Load(k); ok {
		return c.(wordColumn).times, nil //nolint:forcetypeassert // nothing else is stored
	}
	c := wordColumn{make([]uint8, s.n)}
	for l.n > 0 {
		b, rest, err := s.next(l)
		if err != nil {
			return nil, err
		}
		for ; len(b) >= postingSize && c.times != nil; b = b[postingSize:] {
			slot, times := le32(b), le16(b[4:])
			if uint(slot) >= uint(s.n) { //nolint:gosec // not negative
				return nil, s.Damaged(0, "a list names a slot that is not there")
			}
			if times > math.MaxUint8 {
				c.times = nil
				break
			}
			c.times[slot] = uint8(times)
		}
		l = rest
	}
	s.dense.Store(k, c)
	return c.times, nil
}

// lengths returns the numbers of tokens of all slots. They are computed once, from the heads.
func (s *segment) lengths() ([]uint16, error) {
	if l := s.tokens.Load(); l != nil {
		return *l, nil
	}
	heads, err := s.heads()
	if err != nil {
		return nil, err
	}
	l := make([]uint16, s.n)
	for slot := range l {
		l[slot] = readHead(heads[slot*headSize:]).tokens
	}
	s.tokens.Store(&l)
	return l, nil
}

// openWords finds the columns and lists of the tokens in p, which is part number i. A token that the task channel adds
// up has no column, because its postings are read anyway.
func (s *search) openWords(p *part, i int, task bool) (err error) {
	s.cursors, s.times, s.tokens = resize(s.cursors, len(s.words)), resize(s.times, len(s.words)), nil
	for j := range s.words {
		w := &s.words[j]
		s.cursors[j], s.times[j] = cursor{}, nil
		if w.known == 0 {
			continue
		}
		if p.hasWordColumn(w.lists[i]) && !(task && w.shared > 0) {
			if s.times[j], err = p.wordTimes(w.key, w.lists[i]); err != nil {
				return err
			}
		}
		if s.times[j] == nil {
			s.cursors[j].rest = w.lists[i]
		} else if s.tokens, err = p.lengths(); err != nil {
			return err
		}
	}
	return nil
}
