package judgment

import (
	"slices"
	"strings"
	"unicode"

	"github.com/memtree/memtree/text"
)

// FoldText makes texts equal that differ in case, white space, quotes around them
// or a final stop.
func FoldText(s string) string {
	s = text.Squeeze(strings.ToLower(s))
	return strings.TrimRight(strings.Trim(s, "\"'“”‘’`*"), ".。!！ ")
}

// Field finds a field whatever the spelling of its name. Of several spellings it
// returns the exact one, else the first in the order of bytes.
func Field(o map[string]any, name string) (any, bool) {
	if v, ok := o[name]; ok {
		return v, true
	}
	folded := Fold(name)
	var found []string
	for k := range o {
		if Fold(k) == folded {
			found = append(found, k)
		}
	}
	if len(found) == 0 {
		return nil, false
	}
	return o[slices.Min(found)], true
}

// IsSentence reports whether a value is a text of several words. Short answers
// and names are not.
func IsSentence(v any) bool {
	s, ok := v.(string)
	if !ok {
		return false
	}
	const leastWords, leastHan = 4, 6
	s = firstBytes(s, 4*maxAnswer)
	han := 0
	for _, r := range s {
		if unicode.Is(unicode.Han, r) {
			han++
		}
	}
	return han >= leastHan || len(strings.Fields(s)) >= leastWords
}

// InWords reports whether a value, or a field of it, says something in a sentence.
func InWords(v any) bool {
	if o, ok := v.(map[string]any); ok {
		for _, x := range o {
			if IsSentence(x) {
				return true
			}
		}
	}
	return IsSentence(v)
}
