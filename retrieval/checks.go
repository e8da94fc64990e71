package retrieval

import (
	"math"
	"regexp"
	"sync"
	"unicode"
)

// The task channel measures whether a wrong verdict is about the task of the prompt. For a case with the shared tokens
// W, of n memories, it is
//
//	x = ln(1 + Σ idf(w) / ln(n)) + leans·cos + asks·ln(1 + words)
//
// The sum is over the tokens of the prompt that the case has anywhere: in its own prompt, in the notes of people, in
// the agent's judgment, in the ground truth. Its unit is the rarest token, so it can be compared between trees of
// different sizes. cos is the cosine of both leanings, see cue.Leaning. The last term is of the prompt alone: a test
// that requests more can go wrong in more ways. A prompt of more than mostAsks words is treated as one of that many,
// in the sum too, because a long text shares words with everything.
//
// A case passes from fits on. In a tree of several products the threshold rises by openly where only one of the two
// names its product: the vocabulary of another product is no reason.
//
// Three numbers were fitted: leans, asks and fits, by TestQualityWithoutModel, on the labelled suites of four writers.
// testdata/suites.golden has the figures of each suite when it is left out.
type taskFit struct{ leans, asks, fits, openly float64 }

var fitted = taskFit{leans: 1.5, asks: 2, fits: 7.15, openly: 0.7}

const (
	taskWeight  = 0.8  // that of the meaning: alone it reaches the threshold of a case
	mostAsks    = 16   // words of a prompt that are weighed
	common      = 4    // a token that more than one in common memories has is ignored
	mostFitting = 128  // cases that are ranked by their task
	plainly     = 0.9  // the part of a check from which a prompt calls for it plainly
	maxAround   = 4000 // bytes of each text around a prompt that are read
)

// evidence returns x as evidence between 0 and 1: enough for a case from fits on, 0 below.
func (f *taskFit) evidence(x float64) float64 {
	if x < f.fits {
		return 0
	}
	return 1 / (1 + math.Exp(f.fits-x)*(1-enough)/enough)
}

// enough is the evidence with which a channel of weight 0.8 alone reaches the threshold of a case.
const enough = 0.775

// wordsOf returns the number of words of a text. For Chinese it estimates it from the number of characters.
func wordsOf(s string) float64 {
	words, in := 0.0, false
	for _, r := range s {
		letter := unicode.IsLetter(r)
		switch {
		case unicode.Is(unicode.Han, r):
			words, in = words+1/1.6, false
		case letter && !in:
			words, in = words+1, true
		case !letter:
			in = false
		}
	}
	return words
}

// quoted matches text in quotation marks: it is on the page and requests nothing.
var quoted = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`“[^”]*”|『[^』]*』|《[^》]*》|「[^」]*」|"[^"]*"|\B'[^']*'\B`)
})

// markFitting flags the slots that fit the task of a prompt, which fits has found, and fills s.fitting with their
// evidence.
func (s *search) markFitting(fits *fitFilter) error {
	for _, f := range fits.cut() {
		s.fitting[f.slot] = fitted.evidence(f.x)
		s.flag[f.slot] |= fitsTask
	}
	if s.scope.scope.Test == "" {
		return nil
	}
	return s.eachSlot(key(testKind, s.scope.scope.Test), func(p *part, slot int) { // regardless of its present prompt
		s.fitting[p.base+slot] = 1
		s.flag[p.base+slot] |= fitsTask
	})
}

// sharedOf returns the weight of a token in the task channel.
func (s *search) sharedOf(w *queryWord) float32 {
	if w.known > 1 && w.known*common > s.st.live {
		return 0
	}
	idf := w.idf / float32(w.weight())
	if w.han { // every character is in two tokens
		idf /= 2
	}
	return idf
}

// leaningTo returns the leaning of the slots of s to a check. by is what the unit of a part adds. Where many slots lean
// to the check, it has a column in place of the list: if a quarter do, that takes a fifth of the time.
func (s *segment) leaningTo(k uint64, by float32) (leaningTo, error) {
	l, err := s.list(k)
	if err != nil || !s.hasColumn(l) {
		return leaningTo{by: by, list: cursor{rest: l}}, err
	}
	column, err := s.leanings(k, l)
	return leaningTo{by: by, column: column}, err
}

// partColumn has the part that a check has in the leaning of each slot, 0 if it has none: its upper bits, rounded up,
// and what they are too much. A search reads the upper bits of all slots, and the others of those that may fit.
type partColumn struct {
	upper []uint8 // in partUnit
	less  []int8
}

// partUnit is the unit of the upper bits. 255 of them are the largest part.
const partUnit = 128

// set sets the part of a slot.
func (c *partColumn) set(slot int, part uint16) {
	upper := min((int(part)+partUnit-1)/partUnit, math.MaxUint8)
	c.upper[slot], c.less[slot] = uint8(upper), int8(upper*partUnit-int(part)) //nolint:gosec // −127 to 127
}

// at returns the part of a slot.
func (c *partColumn) at(slot int) uint16 {
	return uint16(int(c.upper[slot])*partUnit - int(c.less[slot])) //nolint:gosec // what set has got
}

// hasColumn reports whether a list is read once into a column: in a segment of manySlots, if it has one in manyOf of
// them. The column of a check takes two bytes a slot, so those of the 50 built-in checks take less than a tenth of what
// an index of vectors has.
func (s *segment) hasColumn(l list) bool { return s.n >= manySlots && l.n*manyOf >= s.n }

const (
	manySlots = 1024
	manyOf    = 16
)

// eachPart calls f with every slot of the list of a check, and with its part of the slot's leaning.
func (s *segment) eachPart(l list, f func(slot int, part uint16)) error {
	for l.n > 0 {
		b, rest, err := s.next(l)
		if err != nil {
			return err
		}
		for ; len(b) >= postingSize; b = b[postingSize:] {
			x := le64(b)
			if uint32(x) >= uint32(s.n) { //nolint:gosec // below maxSlots
				return s.Damaged(0, "a list names a slot that is not there")
			}
			f(int(uint32(x)), uint16(x>>32)&^leaning) //nolint:gosec // 16 bits
		}
		l = rest
	}
	return nil
}

// leanings returns the column of a check, whose list is l. It is computed once.
func (s *segment) leanings(k uint64, l list) (*partColumn, error) {
	if column, ok := s.leans.Load(k); ok {
		return column.(*partColumn), nil //nolint:forcetypeassert // nothing else is stored
	}
	column := &partColumn{make([]uint8, s.n), make([]int8, s.n)}
	if err := s.eachPart(l, column.set); err != nil {
		return nil, err
	}
	s.leans.Store(k, column)
	return column, nil
}
