// Package cue finds the phrases of a taxonomy in a text. They are the cues of an error type, and the phrases that call
// for a check of the catalogue or report that it was missed.
//
// An English phrase is matched by stems. A phrase that contains Chinese is matched literally. In both, … matches a few
// tokens or characters and # matches a number. Everything here is immutable once built, and safe for concurrent use.
package cue

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/memtree/memtree/internal/flat"
)

// Limits of matching.
const (
	Gap      = 5    // most tokens that … in a phrase matches
	gapRunes = 10   // characters that … may match in Chinese
	MaxRead  = 4000 // most bytes of a text that are read; the rest is ignored
)

// Matcher finds phrases in texts. It is immutable and safe for concurrent use.
type Matcher struct {
	gap          int
	words, runes table // English phrases by their first token, and Chinese ones by their first character
}

// Phrase is a phrase for which a Matcher looks.
type Phrase struct {
	Kind   int     // number that the caller chooses, 0 to 1<<32-1
	Text   string  // the phrase, in which … matches a few tokens or characters and # a number
	Weight float64 // a number for the caller
}

// NewMatcher returns a Matcher for phrases. In an English phrase … matches up to gap tokens. NewMatcher ignores a
// phrase without tokens.
func NewMatcher(gap int, phrases []Phrase) *Matcher {
	return readMatcher(gap, flat.Open(string(compiled(phrases))))
}

// Stemmed is a text prepared for Matchers. Several Matchers can use the same one.
type Stemmed struct {
	raw   string   // the text in lower case, for Chinese phrases
	words []string // its stems, for English phrases
	han   bool     // it has Chinese characters
}

// Read prepares the first MaxRead bytes of s for Matchers.
func Read(s string) Stemmed {
	if len(s) > MaxRead {
		s = strings.ToValidUTF8(s[:MaxRead], "")
	}
	return Stemmed{raw: strings.ToLower(s), words: stems(s), han: chinese(s)}
}

// Find calls visit for each match of a phrase in t: first for the English phrases in the order of their positions in t,
// then for the Chinese ones. A phrase that matches at several positions is visited at each of them.
func (f *Matcher) Find(t Stemmed, visit func(Phrase)) {
	for i, w := range t.words {
		f.visitWords(w, t.words[i:], visit)
		if digit(rune(w[0])) {
			f.visitWords(number, t.words[i:], visit)
		}
	}
	if !t.han {
		return
	}
	for i, r := range t.raw {
		f.visitRunes(string(r), t.raw[i:], visit)
		if digit(r) && (i == 0 || !digit(rune(t.raw[i-1]))) {
			f.visitRunes(number, t.raw[i:], visit)
		}
	}
}

// visitWords calls visit for each English phrase with a first token that matches at the start of tokens.
func (f *Matcher) visitWords(first string, tokens []string, visit func(Phrase)) {
	begin, end := f.words.with(first)
	for i := begin; i < end; i++ {
		if matchTokens(tokens, f.words.patterns.At(i), f.gap) {
			visit(f.words.phrase(i))
		}
	}
}

// visitRunes calls visit for each Chinese phrase with a first character that matches at the start of s.
func (f *Matcher) visitRunes(first, s string, visit func(Phrase)) {
	begin, end := f.runes.with(first)
	for i := begin; i < end; i++ {
		if matchRunes(s, f.runes.patterns.At(i)) {
			visit(f.runes.phrase(i))
		}
	}
}

func chinese(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return unicode.Is(unicode.Han, r) })
}

func digit(r rune) bool { return r >= '0' && r <= '9' }

// matchTokens reports whether tokens begins with the parts of a pattern in their order, with at most gap tokens between
// two parts.
func matchTokens(tokens []string, pattern string, gap int) bool {
	for reach := 0; pattern != ""; reach = gap {
		var part string
		part, pattern, _ = strings.Cut(pattern, ellipsis)
		behind := 0
		for i := 0; behind == 0; i++ {
			if i > reach || i >= len(tokens) {
				return false
			}
			if n := matchRun(tokens[i:], part); n > 0 {
				behind = i + n
			}
		}
		tokens = tokens[behind:]
	}
	return true
}

// matchRun returns how many tokens the part matches at the start of tokens, 0 when it does not match. One other token
// may appear between two tokens of the part, so that an adverb or a name in between does not hide the phrase.
func matchRun(tokens []string, part string) int {
	at := 0
	for first := true; part != ""; first = false {
		var p string
		p, part, _ = strings.Cut(part, " ")
		switch {
		case at < len(tokens) && tokenFits(tokens[at], p):
			at++
		case !first && at+1 < len(tokens) && tokenFits(tokens[at+1], p):
			at += 2
		default:
			return 0
		}
	}
	return at
}

func tokenFits(token, want string) bool {
	return token == want || want == number && token != "" && digit(rune(token[0]))
}

// matchRunes reports whether s begins with the parts of a pattern in their order, with at most gapRunes characters
// between two parts.
func matchRunes(s, pattern string) bool {
	for gap := 0; pattern != ""; gap = gapRunes {
		var part string
		part, pattern, _ = strings.Cut(pattern, ellipsis)
		n := behind(s, part, gap)
		if n < 0 {
			return false
		}
		s = s[n:]
	}
	return true
}

// behind returns the byte offset in s of the end of part, or -1 when part does not begin within the first gap
// characters.
func behind(s, part string, gap int) int {
	skipped := 0
	for at := range s {
		if n := prefixLen(s[at:], part); n >= 0 {
			return at + n
		}
		if skipped++; skipped > gap {
			return -1
		}
	}
	return -1
}

// prefixLen returns how many bytes part matches at the start of s, -1 when it does not match. A # in part matches a
// run of digits, full stops and commas.
func prefixLen(s, part string) int {
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
