package private

import (
	"regexp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// foundPart is a part of a text that identifies one person.
type foundPart struct {
	from, to          int
	kind              partKind
	street, streetEnd int // of an address: the name of the street in it
}

// personFinder scans one text once. Its lookahead and lookbehind are bounded.
type personFinder struct {
	s    string
	page *Redaction
	out  []foundPart
	cued [len(cueNames)]int // the end of the last word of each cue
}

const (
	near   = 24  // bytes between a cue and its number
	window = 120 // bytes in which a shape is searched
)

// cue is the kind of the number that a word announces.
type cue int

// The cues.
const (
	none cue = iota
	telephone
	birth
	postal
	number  // of an account, an order, a card, a document
	booking // a code that may be letters alone
)

var cueNames = [...]string{none: "", telephone: "telephone", birth: "birth", postal: "postal", number: "number",
	booking: "booking"}

// cues maps words to their cues, and the first characters of the Chinese ones to the words.
var cues = sync.OnceValues(func() (map[string]cue, map[rune][]string) {
	of, han := map[string]cue{}, map[rune][]string{}
	for c, name := range cueNames {
		for _, w := range lists()["cue "+name] {
			of[w] = cue(c)
			if r, _ := utf8.DecodeRuneInString(w); unicode.Is(unicode.Han, r) {
				han[r] = append(han[r], w)
			}
		}
	}
	return of, han
})

// lazy compiles a shape, anchored at the beginning of a text, on first use. {kind} in it matches each of the words
// "street kind".
func lazy(shape string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp {
		for kind, words := range lists() {
			if kind, ok := strings.CutPrefix(kind, "street "); ok {
				shape = strings.ReplaceAll(shape, "{"+kind+"}", strings.Join(words, "|"))
			}
		}
		return regexp.MustCompile(`^(?:` + shape + `)`)
	})
}

func (f *personFinder) add(from, to int, kind partKind) int {
	f.out = append(f.out, foundPart{from: from, to: to, kind: kind})
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
		r, size := utf8.DecodeRuneInString(f.s[i:])
		switch {
		case r == '[':
			_, _, n := placeholder(f.s[i:])
			i += max(n, 1)
		case r == '#':
			i = f.hash(i)
		case r < utf8.RuneSelf && digit(byte(r)), r == '+', r == '(':
			i = f.digits(i)
		case unicode.Is(unicode.Han, r):
			i = f.han(i, r, size)
		case wordRune(r):
			i = f.word(i)
		default:
			i += size
		}
	}
}

// word handles a word: a code, a cue, or a capitalised one.
func (f *personFinder) word(i int) int {
	end, digits := tokenEnd(f.s, i)
	if long := compoundEnd(f.s, end); digits || countDigits(f.s[end:long]) > 0 {
		return f.code(i, long)
	}
	if end+1 < len(f.s) && f.s[end] == '.' && wordByte(f.s[end+1]) {
		if loc := dottedAccount().FindStringIndex(f.ahead(i)); loc != nil {
			return f.add(i, i+loc[1], numberKind)
		}
	}
	w := f.s[i:end]
	of, _ := cues()
	f.hear(of[strings.ToLower(w)], end)
	if f.page.known[w] == numberKind || locator(w) && f.after(booking, i) && !statuses()[strings.ToLower(w)] {
		return f.add(i, end, numberKind)
	}
	if r, _ := utf8.DecodeRuneInString(w); unicode.IsUpper(r) {
		return max(end, f.capital(i, end))
	}
	return max(end, f.introduced(i, end))
}

// hear records where a cue ended, for the number that follows.
func (f *personFinder) hear(c cue, end int) {
	f.cued[c] = max(f.cued[c], end)
	if c == booking {
		f.hear(number, end)
	}
}

// after reports whether a cue ended shortly before i, in the same sentence.
func (f *personFinder) after(c cue, i int) bool {
	end := f.cued[c]
	return c == none || end >= 0 && end <= i && i-end < near && !strings.ContainsAny(f.s[end:i], ".[\n。！？")
}

// locator reports whether a word consists of capitals: six, as a record locator has (IATA Resolution 830d), or five to
// eight.
func locator(w string) bool {
	return len(w) >= 5 && len(w) <= 8 && strings.Trim(w, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == ""
}
