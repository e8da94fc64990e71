// Package text turns text into what the rest of memtree compares, counts and shows: search tokens, plain words,
// sentences, the language, terminal cells, shortened texts, and hashed n-grams. It also removes control and invisible
// characters from text of outside sources ([Clean]).
//
// Every function is pure and safe for concurrent use. No function panics on any input. Results are valid UTF-8, except
// that [Normal], [Squeeze], [Append] and [Phrases] do not change invalid bytes. English and Chinese are fully
// supported. Other scripts are read as words between separators, kana like Chinese characters.
//
// Work is bounded: the functions that build features ([Tokens], [Words], [Shingles]) read the first [MaxRunes]
// characters; the time of the others is linear in the text.
//
// Where to look:
//   - tokens.go, stem.go: search tokens; language.go: the language; shingles.go: hashed n-grams
//   - clip.go, line.go, width.go: cuts, single lines and terminal cells; clean.go: removal of invisible characters
package text

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// MaxRunes is the number of characters of a text that Tokens, Words, Terms, Letters and Shingles read; they ignore the
// rest.
const MaxRunes = 20_000

// maxWord is the maximum length of a word in runes. A longer one (base64, minified code) is cut there.
const maxWord = 64

// head returns the first n runes of s without copying.
func head(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
}

// Normal returns the first limit runes of s in Unicode normal form KC: full-width letters become plain ones,
// ligatures become letters. A few characters become up to eighteen, so the result is cut to limit runes again.
func Normal(s string, limit int) string { return head(norm.NFKC.String(head(s, limit)), limit) }

// scan reads the first MaxRunes runes of s in normal form. It calls word with every run of letters, digits, marks,
// '_' and apostrophes, and han with every run of ideographs or kana, in order. It does not change the case. The
// slice is valid only during the call.
func scan(s string, word, han func(run []rune)) {
	var (
		run   = make([]rune, 0, maxWord)
		inHan bool
	)
	flush := func() {
		if len(run) == 0 {
			return
		}
		if inHan {
			han(run)
		} else {
			word(run)
		}
		run = run[:0]
	}
	for _, r := range Normal(s, MaxRunes) {
		switch {
		case r == '\u2019':
			r = '\''
		case r >= 0x80 && invisible(r):
			continue // a reader sees "ig<ZWSP>nore" as "ignore"
		}
		switch {
		case ideograph(r):
			if !inHan {
				flush()
				inHan = true
			}
			run = append(run, r)
		case wordRune(r):
			if inHan {
				flush()
				inHan = false
			}
			if len(run) < maxWord {
				run = append(run, r)
			}
		default:
			flush()
		}
	}
	flush()
}

func wordRune(r rune) bool {
	if r < utf8.RuneSelf {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '\''
	}
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)
}

// ideograph reports whether r is Han (with extensions) or kana: scripts without spaces between words.
func ideograph(r rune) bool {
	switch {
	case r < 0x3005:
		return false
	case r >= 0x4e00 && r <= 0x9fff, r >= 0x3400 && r <= 0x4dbf, r == 0x3005, r == 0x3007:
		return true
	case r >= 0x3041 && r <= 0x3096, r >= 0x30a1 && r <= 0x30fa, r == 0x30fc, r >= 0x31f0 && r <= 0x31ff:
		return true
	default:
		return r >= 0xf900 && r <= 0xfaff || r >= 0x20000 && r <= 0x3fffd
	}
}

// pieces splits an identifier and calls f with every part that is not empty. It splits at '_', between a lower-case
// letter or digit and a capital (wait|For), and before the last capital of a row when a word of at least three
// letters begins there (HTTP|Server, but APIs stays whole).
func pieces(run []rune, f func(part []rune)) {
	start := 0
	emit := func(end int) {
		part := trimQuotes(run[start:end])
		if len(part) > 0 {
			f(part)
		}
	}
	for i, r := range run {
		switch {
		case r == '_':
			emit(i)
			start = i + 1
		case i > start && unicode.IsUpper(r) && partBegins(run, i):
			emit(i)
			start = i
		}
	}
	emit(len(run))
}

// partBegins reports whether the capital run[i] begins a part of an identifier; i > 0.
func partBegins(run []rune, i int) bool {
	before := run[i-1]
	if unicode.IsLower(before) || unicode.IsDigit(before) {
		return true
	}
	return unicode.IsUpper(before) && i+2 < len(run) && unicode.IsLower(run[i+1]) && unicode.IsLower(run[i+2])
}

func trimQuotes(run []rune) []rune {
	for len(run) > 0 && run[0] == '\'' {
		run = run[1:]
	}
	for len(run) > 0 && run[len(run)-1] == '\'' {
		run = run[:len(run)-1]
	}
	return run
}
