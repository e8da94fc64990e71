package private

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// find is a place in a text that points at one person.
type find struct {
	from, to          int
	kind              Kind
	street, streetEnd int // of an address: the name of the street in it
}

// personFinder goes over one text once. What it looks at around a place is bounded.
type personFinder struct {
	s    string
	page *Redaction
	out  []find

	// Where a word of each cue ended last.
	cued [cueCount]int
}

// near is how far behind its cue a number may stand, in bytes.
const near = 24

// window is how far ahead a shape is looked for.
const window = 120

func (f *personFinder) add(from, to int, kind Kind) int {
	f.out = append(f.out, find{from: from, to: to, kind: kind})
	return to
}

// likely adds what is found only where it is rare.
func (f *personFinder) likely(from, to int, kind Kind) int {
	if f.page.rare(f.s[from:to]) {
		f.add(from, to, kind)
	}
	return to
}

func (f *personFinder) ahead(i int) string {
	end := min(len(f.s), i+window)
	for end > i && end < len(f.s) && !utf8.RuneStart(f.s[end]) {
		end--
	}
	return f.s[i:end]
}

func (f *personFinder) scan() {
	for c := range f.cued {
		f.cued[c] = -near
	}
	for i := 0; i < len(f.s); {
		c := f.s[i]
		switch {
		case c == '[':
			_, _, n := placeholder(f.s[i:])
			i += max(n, 1)
		case digit(c), c == '+', c == '(', c == '#':
			i = f.digits(i)
		case wordByte(c):
			i = f.word(i)
		case c < utf8.RuneSelf:
			i++
		default:
			r, size := utf8.DecodeRuneInString(f.s[i:])
			switch {
			case unicode.Is(unicode.Han, r):
				i = f.han(i, r, size)
			case wordRune(r):
				i = f.word(i)
			default:
				i += size
			}
		}
	}
}

// word looks at a word: a code, a cue, or one with a capital.
func (f *personFinder) word(i int) int {
	end, digits := tokenEnd(f.s, i)
	if long := compoundEnd(f.s, end); digits || strings.ContainsAny(f.s[end:long], "0123456789") {
		return f.code(i, long)
	}
	if end+1 < len(f.s) && f.s[end] == '.' && wordByte(f.s[end+1]) {
		if loc := dottedAccount().FindStringIndex(f.ahead(i)); loc != nil {
			return f.add(i, i+loc[1], Number)
		}
	}
	if w := f.s[i:end]; len(w) <= longestCue {
		f.hear(cues[strings.ToLower(w)], end)
		if to := f.booked(i, end); to > 0 {
			return to
		}
	}
	if r, _ := utf8.DecodeRuneInString(f.s[i:]); unicode.IsUpper(r) {
		if to := f.capital(i, end); to > i {
			return to
		}
	} else if to := f.called(i, end); to > end {
		return to
	}
	return end
}

// hear remembers where a cue ended, for the number that follows.
func (f *personFinder) hear(c cue, end int) {
	f.cued[c] = max(f.cued[c], end)
	if c == booking {
		f.hear(number, end)
	}
}

// after reports whether a cue ended shortly before i, in the same sentence.
func (f *personFinder) after(c cue, i int) bool {
	end := f.cued[c]
	switch {
	case end < 0 || end > i:
		return false
	case end == i:
		return true
	}
	return i-end < near && !strings.ContainsAny(f.s[end:i], ".[\n。！？")
}

// booked finds the code of a booking that has no digit. FAILED is none, where
// somebody writes failed.
func (f *personFinder) booked(i, end int) int {
	w := f.s[i:end]
	if f.page.known[w] == Number || locator(w) && f.after(booking, i) && !f.page.words.ordinary(w) {
		return f.add(i, end, Number)
	}
	return 0
}

// locator reports whether a word is capitals alone: six, as a record locator has
// (IATA Resolution 830d), or five to eight.
func locator(w string) bool {
	return len(w) >= 5 && len(w) <= 8 && strings.Trim(w, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == ""
}
