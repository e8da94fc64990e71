package text

import (
	"strings"
	"unicode"
)

// Letters returns the letters and digits of the first MaxRunes characters of s, normal and in lower case, without what
// is between them. A quotation is in a text if its letters are, however it is punctuated.
func Letters(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, Normal(s, MaxRunes))
}
