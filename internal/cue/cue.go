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
)

// Limits of matching.
const (
	Gap      = 5    // tokens that … may match
	gapRunes = 10   // characters that … may match in Chinese
	MaxRead  = 4000 // bytes of one text that are read; the rest is ignored
)

// Matcher looks for phrases. Each phrase belongs to a kind, a number that the
// caller chooses.
type Matcher struct {
	gap   int
	words map[string][]compiledPhrase // English phrases by their first token
	runes map[rune][]compiledPhrase   // Chinese phrases by their first character
}

// compiledPhrase is a compiled phrase.
type compiledPhrase struct {
	PhraseMatch
	parts [][]string // the texts between the gaps: runs of tokens, or one text each for Chinese
}

// PhraseMatch is a phrase that was found.
type PhraseMatch struct {
	Kind   int
	Phrase string // as it was added
	Weight float64
}

// NewMatcher returns a Matcher whose … matches up to gap tokens in English.
func NewMatcher(gap int) *Matcher {
	return &Matcher{gap: gap, words: map[string][]compiledPhrase{}, runes: map[rune][]compiledPhrase{}}
}

// Add adds a phrase; a match reports it under the name label. A phrase without tokens is ignored. Add must not run
// while another goroutine searches.
func (f *Matcher) Add(kind int, label, phrase string, weight float64) {
	e := compiledPhrase{PhraseMatch{kind, label, weight}, compile(phrase)}
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

// Stemmed is a text prepared for several Matchers.
type Stemmed struct {
	raw   string   // the text in lower case, for Chinese phrases
	words []string // its stems, for English phrases
	han   bool     // it has Chinese characters
}

// Read prepares the first MaxRead bytes of s.
func Read(s string) Stemmed {
	if len(s) > MaxRead {
		s = strings.ToValidUTF8(s[:MaxRead], "")
	}
	return Stemmed{raw: strings.ToLower(s), words: stems(s), han: chinese(s)}
}

// Find calls visit for each position where a phrase matches, once for each phrase there: first for the English
// phrases, then for the Chinese.
func (f *Matcher) Find(t Stemmed, visit func(PhraseMatch)) {
	for i, w := range t.words {
		f.visitWords(f.words[w], t.words[i:], visit)
		if digit(rune(w[0])) {
			f.visitWords(f.words[number], t.words[i:], visit)
		}
	}
	if !t.han {
		return
	}
	for i, r := range t.raw {
		visitRunes(f.runes[r], t.raw[i:], visit)
		if digit(r) && (i == 0 || !digit(rune(t.raw[i-1]))) {
			visitRunes(f.runes['#'], t.raw[i:], visit)
		}
	}
}

// visitWords calls visit for each English phrase that matches at the start of tokens.
func (f *Matcher) visitWords(phrases []compiledPhrase, tokens []string, visit func(PhraseMatch)) {
	for i := range phrases {
		if matchTokens(tokens, phrases[i].parts, f.gap) {
			visit(phrases[i].PhraseMatch)
		}
	}
}

// visitRunes calls visit for each Chinese phrase that matches at the start of s.
func visitRunes(phrases []compiledPhrase, s string, visit func(PhraseMatch)) {
	for i := range phrases {
		if matchRunes(s, phrases[i].parts) {
			visit(phrases[i].PhraseMatch)
		}
	}
}

// number matches any number in a phrase.
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

// tokens returns the stems of a part of an English phrase. A # is not changed.
func tokens(s string) []string {
	var out []string
	for w := range strings.FieldsSeq(s) {
		if w == number {
			out = append(out, number)
			continue
		}
		if lettersOnly(w) { // thousands of words: most need no tokenizer
			out = append(out, stem(w))
			continue
		}
		out = append(out, stems(w)...)
	}
	return out
}

func lettersOnly(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r < 'a' || r > 'z' })
}

func chinese(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return unicode.Is(unicode.Han, r) })
}

func digit(r rune) bool { return r >= '0' && r <= '9' }

// matchTokens reports whether tokens begins with the parts in their order, with at
// most gap tokens between two parts.
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

// matchRun returns how many tokens the part matches at the start of tokens, 0 when it does not match. One other token
// may appear between two tokens of the part, so that an adverb or a name in between does not hide the phrase.
func matchRun(tokens, part []string) int {
	at := 0
	for i, p := range part {
		switch {
		case at < len(tokens) && tokenFits(tokens[at], p):
			at++
		case i > 0 && at+1 < len(tokens) && tokenFits(tokens[at+1], p):
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

// matchRunes reports whether s begins with the parts in their order, with at most
// gapRunes characters between two parts.
func matchRunes(s string, parts [][]string) bool {
	for i, part := range parts {
		gap := 0
		if i > 0 {
			gap = gapRunes
		}
		n := behind(s, part[0], gap)
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
