// Package cue finds in a text the phrases that a taxonomy gives for something:
// cues of an error type, and what calls for a check of the catalogue or says
// that it was missed.
//
// A phrase in English is matched word by word whatever the inflection, a phrase
// with Chinese in it as it stands. In both, … stands for a few words or
// characters and # for a number. Everything here is immutable once built, and
// safe for concurrent use.
package cue

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Limits of matching.
const (
	Gap      = 5    // tokens that … may stand for
	gapRunes = 10   // characters that … may stand for in Chinese
	MaxRead  = 4000 // bytes of one text that are read
)

// Finder looks for phrases. Each phrase belongs to a kind, which the caller
// numbers.
type Finder struct {
	gap   int
	words map[string][]entry // by first token
	runes map[rune][]entry   // Chinese, by first character
}

// entry is a compiled phrase.
type entry struct {
	Match
	parts [][]string // runs of tokens (or one text each, for Chinese), between the gaps
}

// Match is a phrase that was found.
type Match struct {
	Kind   int
	Phrase string // as it was added
	Weight float64
}

// NewFinder returns a Finder whose … stands for up to gap tokens in English.
func NewFinder(gap int) *Finder {
	return &Finder{gap: gap, words: map[string][]entry{}, runes: map[rune][]entry{}}
}

// Add adds a phrase under the name label. It is for building only: nobody may
// search meanwhile.
func (f *Finder) Add(kind int, label, phrase string, weight float64) {
	e := entry{Match{kind, label, weight}, compile(phrase)}
	if len(e.parts) == 0 {
		return
	}
	first := e.parts[0][0]
	switch {
	case chinese(phrase):
		r, _ := utf8.DecodeRuneInString(first)
		f.runes[r] = append(f.runes[r], e)
	default:
		f.words[first] = append(f.words[first], e)
	}
}

// Text is a text made ready to be searched by several Finders.
type Text struct {
	raw   string // lower case
	words []string
	han   bool
}

// Read makes the first MaxRead bytes of s ready.
func Read(s string) Text {
	if len(s) > MaxRead {
		s = strings.ToValidUTF8(s[:MaxRead], "")
	}
	return Text{raw: strings.ToLower(s), words: stems(s), han: chinese(s)}
}

// Find calls found for each place where a phrase stands.
func (f *Finder) Find(t Text, found func(Match)) {
	for i, w := range t.words {
		list := f.words[w]
		if digit(rune(w[0])) {
			list = append(slices.Clip(list), f.words[number]...)
		}
		for _, e := range list {
			if matchTokens(t.words[i:], e.parts, f.gap) {
				found(e.Match)
			}
		}
	}
	if !t.han {
		return
	}
	for i, r := range t.raw {
		list := f.runes[r]
		if digit(r) && (i == 0 || !digit(rune(t.raw[i-1]))) {
			list = append(slices.Clip(list), f.runes['#']...)
		}
		for _, e := range list {
			if matchRunes(t.raw[i:], e.parts) {
				found(e.Match)
			}
		}
	}
}

// number stands in a phrase for any number.
const number = "#"

// compile splits a phrase at its gaps, into stems or, in Chinese, texts.
func compile(phrase string) [][]string {
	var parts [][]string
	for part := range strings.SplitSeq(strings.ToLower(phrase), "…") {
		run := []string{strings.TrimSpace(part)}
		if !chinese(phrase) {
			run = tokens(part)
		}
		if len(run) > 0 && run[0] != "" {
			parts = append(parts, run)
		}
	}
	return parts
}

// tokens are the stems of a part of an English phrase; # stays.
func tokens(s string) []string {
	var out []string
	for w := range strings.FieldsSeq(s) {
		if w == number {
			out = append(out, number)
			continue
		}
		if plain(w) { // most need no tokenizer, and there are thousands of them
			out = append(out, stem(w))
			continue
		}
		out = append(out, stems(w)...)
	}
	return out
}

func plain(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r < 'a' || r > 'z' })
}

func chinese(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return unicode.Is(unicode.Han, r) })
}

func digit(r rune) bool { return r >= '0' && r <= '9' }

// matchTokens reports whether the parts stand at the start of tokens, in order,
// with small gaps between them. Within a part one other token may stand between
// two: an identifier is followed by its whole.
func matchTokens(tokens []string, parts [][]string, gap int) bool {
	at := 0
	for i, part := range parts {
		reach := 0
		if i > 0 {
			reach = gap
		}
		start := -1
		for j := at; j <= at+reach && j < len(tokens); j++ {
			if n := matchRun(tokens[j:], part); n > 0 {
				start = j + n
				break
			}
		}
		if start < 0 {
			return false
		}
		at = start
	}
	return true
}

func matchRun(tokens, part []string) int {
	at := 0
	for i, p := range part {
		switch {
		case at < len(tokens) && equal(tokens[at], p):
			at++
		case i > 0 && at+1 < len(tokens) && equal(tokens[at+1], p):
			at += 2
		default:
			return 0
		}
	}
	return at
}

func equal(token, want string) bool {
	return token == want || want == number && token != "" && digit(rune(token[0]))
}

func matchRunes(s string, parts [][]string) bool {
	for i, part := range parts {
		at := 0
		if i > 0 {
			at = gapRunes
		}
		n := place(s, part[0], at)
		if n < 0 {
			return false
		}
		s = s[n:]
	}
	return true
}

// place returns the offset in s behind part, if part begins after at most gap
// characters, or -1.
func place(s, part string, gap int) int {
	skipped := 0
	for at := range s {
		if n := prefix(s[at:], part); n >= 0 {
			return at + n
		}
		if skipped++; skipped > gap {
			return -1
		}
	}
	return -1
}

// prefix returns the length of part at the start of s, -1 where it does not
// stand there. # in part is a run of digits.
func prefix(s, part string) int {
	if !strings.Contains(part, number) {
		if strings.HasPrefix(s, part) {
			return len(part)
		}
		return -1
	}
	at := 0
	for _, r := range part {
		rest := s[at:]
		if r != '#' {
			if !strings.HasPrefix(rest, string(r)) {
				return -1
			}
			at += utf8.RuneLen(r)
			continue
		}
		n := len(rest) - len(strings.TrimLeft(rest, "0123456789.,"))
		if n == 0 {
			return -1
		}
		at += n
	}
	return at
}
