// Package text turns text into what the rest of memtree compares, counts and shows:
// search tokens, plain words, sentences, a language, terminal cells, short cuts, and
// hashed n-grams. It also makes text from outside inert ([Clean]).
//
// Everything here is a pure function: same input, same output, for ever and for any number of
// goroutines. No function panics on any input, and every function that hands
// back text hands back valid UTF-8. English and Chinese are first-class; other scripts
// are handled as words between separators, kana like Chinese characters.
//
// Work is bounded: the functions that build features ([Tokens], [Words], [Shingles]) read the
// first [MaxRunes] characters, the others are linear in their input.
package text

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// MaxRunes is how many characters of a text become tokens, words or shingles; the rest is ignored.
const MaxRunes = 20_000

// maxWord is the longest word in runes; what is longer (base64, minified code) is cut there.
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

// Normal returns the first limit runes of s in Unicode normal form KC (full-width letters become plain, ligatures letters). The few
// characters that become up to eighteen are counted again afterwards, so the result too has at most limit runes.
func Normal(s string, limit int) string { return head(norm.NFKC.String(head(s, limit)), limit) }

// scan calls word with every run of letters, digits, marks, '_' and apostrophes of the
// normalised head of s, and han with every run of ideographs or kana, in order and in the
// writer's case. The slice is reused: it is valid only during the call.
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
			continue // "ig<ZWSP>nore" is the word "ignore" to a reader, so it is to us
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

// ideograph tells whether r belongs to a script written without spaces whose characters mean
// something by themselves: Han (with extensions) and kana.
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

// pieces splits an identifier at '_', between a lower-case letter or digit and a capital
// (waitFor), and before the last capital of a row that a word follows (HTTPServer, but not APIs),
// and calls f with every part that is not empty.
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
		case i > start && unicode.IsUpper(r) && humps(run, i):
			emit(i)
			start = i
		}
	}
	emit(len(run))
}

func humps(run []rune, i int) bool {
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
