package text

import (
	"strings"
	"unicode"
)

// Letters returns the letters and digits of the first MaxRunes characters of s, in Unicode normal form KC and in lower
// case, without anything between them. It is for finding a quotation however it is punctuated.
func Letters(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, Normal(s, MaxRunes))
}
