package text

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Line returns s cleaned (see Clean) and on one line (see Squeeze).
func Line(s string) string { return Squeeze(Clean(s)) }

// Squeeze replaces every run of white space in s by one space, and removes it at both ends. If nothing has to change,
// it returns s itself.
func Squeeze(s string) string {
	if squeezed(s) {
		return s
	}
	return strings.Join(strings.Fields(s), " ")
}

func squeezed(s string) bool {
	last := byte(' ') // so that a space at the start counts as the second of a run
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

// Append returns the sentence b after a, with a space between them, but none after a Chinese end mark or if one is
// empty.
func Append(a, b string) string {
	last, _ := utf8.DecodeLastRuneInString(a)
	if a == "" || b == "" || strings.ContainsRune("。！？；", last) {
		return a + b
	}
	return a + " " + b
}
