package private

import (
	"hash/fnv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Words knows of the words of a tree which only one test says. A word that
// somebody writes in small letters is an ordinary one, however rare.
type Words struct {
	by map[uint64]uint64 // hash of a word → hash of its test
}

// What stands in the place of a test, of a word that is not rare.
const (
	several = ^uint64(0) - iota // more than one test says it
	plain                       // somebody writes it in small letters
)

// NewWords returns an empty one, to which everything is rare.
func NewWords() *Words { return &Words{by: map[uint64]uint64{}} }

// Add counts the words of a text of a test's evidence.
func (w *Words) Add(test uint64, s string) {
	test = min(test, plain-1)
	words(s, func(word string, small bool) {
		h := hash(word)
		switch have, ok := w.by[h]; {
		case small:
			w.by[h] = plain
		case !ok:
			w.by[h] = test
		case have < plain && have != test:
			w.by[h] = several
		}
	})
}

// rare reports whether at most one test says a word, and nobody in small letters.
func (w *Words) rare(said string) bool { return w.by[hash(said)] < plain }

// ordinary reports whether somebody writes a word in small letters.
func (w *Words) ordinary(said string) bool { return w != nil && w.by[hash(said)] == plain }

func hash(word string) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(strings.ToLower(word))) // never fails
	return h.Sum64()
}

// words gives what can be asked for later: words of letters, codes with digits,
// and of Chinese text what could be a name. Small words have no capital.
func words(s string, take func(word string, small bool)) {
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == '[':
			if _, _, n := placeholder(s[i:]); n > 0 {
				size = n
			}
		case unicode.Is(unicode.Han, r):
			if surnames[r] || compoundHeads[r] {
				for n := 2; n <= 3; n++ {
					if end := hanEnd(s, i, n); end > 0 {
						take(s[i:end], false)
					}
				}
			}
		case wordRune(r):
			end, digits := tokenEnd(s, i)
			size = end - i
			long := compoundEnd(s, end)
			if long > end && countDigits(s[i:long]) > 0 {
				take(s[i:long], false)
			}
			switch {
			case digits:
				take(s[i:end], false)
			case size > 1 && size <= 40:
				take(s[i:end], !unicode.IsUpper(r))
			}
		}
		i += size
	}
}

// wordRune reports whether a rune is part of a word that is written with spaces.
func wordRune(r rune) bool {
	if r < utf8.RuneSelf {
		return wordByte(byte(r))
	}
	return (unicode.IsLetter(r) || unicode.IsMark(r)) && !unicode.Is(unicode.Han, r)
}

// wordByte is wordRune for ASCII.
func wordByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || digit(c) || c == '_'
}

func digit(c byte) bool { return c >= '0' && c <= '9' }

// tokenEnd returns where the word at i ends, and whether it has a digit.
func tokenEnd(s string, i int) (end int, digits bool) {
	for i < len(s) {
		if c := s[i]; c < utf8.RuneSelf {
			if !wordByte(c) {
				break
			}
			digits = digits || digit(c)
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		if !wordRune(r) {
			break
		}
		i += size
	}
	return i, digits
}

// compoundEnd goes on from the end of a word over words joined to it by hyphens.
func compoundEnd(s string, end int) int {
	for end+1 < len(s) && s[end] == '-' && wordByte(s[end+1]) {
		end, _ = tokenEnd(s, end+1)
	}
	return end
}

// hanEnd returns the end of n Chinese characters at i, or 0.
func hanEnd(s string, i, n int) int {
	for range n {
		r, size := utf8.DecodeRuneInString(s[i:])
		if !unicode.Is(unicode.Han, r) {
			return 0
		}
		i += size
	}
	return i
}

func isHan(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return unicode.Is(unicode.Han, r)
}
