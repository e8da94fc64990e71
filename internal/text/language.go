package text

import (
	"unicode"
	"unicode/utf8"
)

// Lang returns "zh" if s is mostly Chinese, else "en"; an empty text is "en".
//
// It compares numbers of words. One and a half Chinese characters are one word. A run of ASCII without a space is one
// word, so that a URL or a selector inside a Chinese sentence does not outvote it.
func Lang(s string) string {
	var han, latin int              // Chinese characters; words with a letter of another script
	inWord, counted := false, false // counted: the word has had a letter
	for _, r := range s {
		switch {
		case r > ' ' && r < utf8.RuneSelf:
			if !inWord {
				inWord, counted = true, false
			}
		case r < utf8.RuneSelf:
			inWord = false
		case unicode.Is(unicode.Han, r):
			han++
			inWord = false
		case !unicode.IsLetter(r):
			inWord = false
		case !inWord:
			inWord, counted = true, false
		}
		if inWord && !counted && unicode.IsLetter(r) {
			latin++
			counted = true
		}
	}
	if han > 0 && 2*han >= 3*latin {
		return "zh"
	}
	return "en"
}
