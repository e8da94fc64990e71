package private

import (
	_ "embed" // words.txt
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

//go:embed words.txt
var wordsText string

// lists holds the words of words.txt by their kind.
var lists = sync.OnceValue(func() map[string][]string {
	out := map[string][]string{}
	for line := range strings.Lines(wordsText) {
		if kind, words, ok := strings.Cut(line, "\t"); ok {
			out[kind] = append(out[kind], strings.Fields(words)...)
		}
	}
	return out
})

// set returns the words of some kinds as a set, made on first use.
func set(kinds ...string) func() map[string]bool {
	return sync.OnceValue(func() map[string]bool {
		out := map[string]bool{}
		for _, k := range kinds {
			for _, w := range lists()[k] {
				out[w] = true
			}
		}
		return out
	})
}

var (
	titles     = set("title")
	owners     = set("owner")
	particles  = set("particle")
	functions  = set("function")
	contracted = set("contracted")
	statuses   = set("status")
	surnames   = set("surname")
)

// functionWord reports whether a word is of a closed class, or contracted: You’ve, Let's.
func functionWord(w string) bool {
	w, tail, _ := strings.Cut(strings.ReplaceAll(strings.ToLower(w), "’", "'"), "'")
	return functions()[w] || contracted()[tail]
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

func countDigits(s string) (n int) {
	for i := range len(s) {
		if digit(s[i]) {
			n++
		}
	}
	return n
}

// tokenEnd returns where the word at i ends, and whether it has a digit.
func tokenEnd(s string, i int) (end int, digits bool) {
	for i < len(s) {
		r, size := utf8.DecodeRuneInString(s[i:])
		if !wordRune(r) {
			break
		}
		digits = digits || digit(s[i])
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

func isHan(s string) bool { return hanEnd(s, 0, 1) > 0 }
