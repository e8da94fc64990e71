package text

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Line returns s clean and in one line: see Clean and Squeeze.
func Line(s string) string { return Squeeze(Clean(s)) }

// Squeeze returns s with every run of white space made one space, and none at
// its ends. What is so already, as most is, is not copied.
func Squeeze(s string) string {
	if squeezed(s) {
		return s
	}
	return strings.Join(strings.Fields(s), " ")
}

func squeezed(s string) bool {
	last := byte(' ') // so that a leading space is one too many
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			if c == ' ' && last == ' ' || c >= '\t' && c <= '\r' {
				return false
			}
			last = c
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		if unicode.IsSpace(r) {
			return false
		}
		last = c
		i += size
	}
	return s == "" || last != ' '
}

// Once returns half of a line that says the same twice, as joined fields do, and
// any other line as it is.
func Once(s string) string {
	if h := len(s) / 2; len(s)%2 == 1 && s[h] == ' ' && s[:h] == s[h+1:] {
		return s[:h]
	}
	return s
}

// Append puts a sentence after another: with a space between them, but none after
// a Chinese mark.
func Append(a, b string) string {
	last, _ := utf8.DecodeLastRuneInString(a)
	if a == "" || b == "" || strings.ContainsRune("。！？；", last) {
		return a + b
	}
	return a + " " + b
}
