package text

import (
	"unicode"
	"unicode/utf8"
)

// Lang says whether s is mostly Chinese ("zh") or not ("en"; also for an empty text).
//
// A Chinese word is taken as one and a half characters. What stands together in ASCII counts as one word, so that a
// URL or a selector inside a Chinese sentence does not outvote it.
func Lang(s string) string {
	var han, latin int
	inWord, counted := false, false
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
