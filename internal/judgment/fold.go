package judgment

import (
	"slices"
	"strings"
	"unicode"

	"github.com/memtree/memtree/internal/text"
)

// FoldText returns s in a form for comparison: in lower case, with single spaces, without quotes around it or a final
// stop.
func FoldText(s string) string {
	s = text.Squeeze(strings.ToLower(s))
	return strings.TrimRight(strings.Trim(s, "\"'“”‘’`*"), ".。!！ ")
}

// Field returns the value of the field of o with this name in any spelling (see [Fold]), and whether there is one. If
// there are several, it prefers the exact spelling, then the first in the order of bytes.
func Field(o map[string]any, name string) (any, bool) {
	if v, ok := o[name]; ok {
		return v, true
	}
	folded := Fold(name)
	var spellings []string
	for k := range o {
		if Fold(k) == folded {
			spellings = append(spellings, k)
		}
	}
	if len(spellings) == 0 {
		return nil, false
	}
	return o[slices.Min(spellings)], true
}

// IsSentence reports whether v is a text that is longer than an answer or a name: at least four words separated by
// white space, or six Chinese characters.
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

// InWords reports whether v is a sentence, or an object with a field that is one. See IsSentence.
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
