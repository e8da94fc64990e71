package private

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// fields maps the name of a field, in lower-case letters only, to the kind of its value.
var fields = sync.OnceValue(func() map[string]partKind {
	out := map[string]partKind{}
	for _, k := range []partKind{nameKind, addressKind, numberKind, phoneKind, dateKind} {
		for _, name := range lists()["field "+string(k)] {
			out[name] = k
		}
	}
	return out
})

var bookingFields = set("field booking")

// whole returns the whole value as a find if its field names a kind and the value has the form of that kind.
func whole(field, s string) (foundPart, bool) {
	const most = 200
	if field == "" || s == "" || len(s) > most || s[0] == '[' {
		return foundPart{}, false
	}
	field = strings.ToLower(strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) {
			return r
		}
		return -1
	}, field))
	x := foundPart{to: len(s), kind: fields()[field]}
	digits := countDigits(s)
	switch x.kind {
	case nameKind:
		return x, looksNamed(s)
	case addressKind:
		return x, !isHan(s) && capitalWords(s) || digits > 0
	case numberKind:
		return x, digits > 0 && len(s) >= 4 || bookingFields()[field] && locator(s)
	case phoneKind:
		return x, digits >= 6
	case dateKind:
		return x, dated(s) || digits >= 6
	}
	return x, false
}

// looksNamed reports whether a value is written like a name, unlike "missing".
func looksNamed(s string) bool {
	if isHan(s) {
		f := personFinder{s: s}
		return f.hanName(0) == len(s) && utf8.RuneCountInString(s) > 1
	}
	return capitalWords(s)
}

// capitalWords reports whether all words of s except particles are capitalised.
func capitalWords(s string) bool {
	n := 0
	for w := range strings.FieldsSeq(s) {
		w = strings.Trim(w, ".,")
		switch {
		case w == "" || particles()[w]:
		case capitalised(w) && !functionWord(w), len(w) == 1 && w >= "A" && w <= "Z":
			n++
		default:
			return false
		}
	}
	return n > 0
}
