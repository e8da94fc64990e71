package cue

import (
	"strings"

	"github.com/memtree/memtree/internal/text"
)

// stems returns the words of s without their inflections, in order. Unlike text.Tokens it keeps stop words: a phrase
// such as "between tests" needs both words, and "not" often decides the meaning. A contraction becomes two words:
// didn't gives did, not.
func stems(s string) []string {
	words := text.Words(s)
	out := make([]string, 0, len(words)+4)
	for _, w := range words {
		w = strings.ReplaceAll(w, "’", "'")
		switch verb, isNot := strings.CutSuffix(w, "n't"); {
		case w == "cannot", w == "can't":
			out = append(out, "can", "not")
		case isNot && verb != "":
			out = append(out, stem(verb), "not")
		default:
			out = append(out, stem(w))
		}
	}
	return out
}

// stem removes the usual English endings from a lower-case word. It may be imprecise, because phrases and texts go
// through the same function.
func stem(w string) string {
	if len(w) < 4 || w[len(w)-1] > 'z' {
		return w
	}
	w = strings.TrimSuffix(w, "'s")
	switch {
	case strings.HasSuffix(w, "ies") && len(w) > 4:
		return w[:len(w)-3] + "i"
	case strings.HasSuffix(w, "sses"):
		return w[:len(w)-2]
	case strings.HasSuffix(w, "ing") && len(w) > 5:
		w = undouble(w[:len(w)-3])
	case strings.HasSuffix(w, "ied") && len(w) > 4:
		return w[:len(w)-3] + "i"
	case strings.HasSuffix(w, "ed") && len(w) > 4:
		w = undouble(w[:len(w)-2])
	case strings.HasSuffix(w, "s") &&
		!strings.HasSuffix(w, "ss") && !strings.HasSuffix(w, "us") && !strings.HasSuffix(w, "is"):
		w = w[:len(w)-1]
	}
	if len(w) > 3 && w[len(w)-1] == 'e' {
		return w[:len(w)-1]
	}
	if len(w) > 3 && w[len(w)-1] == 'y' {
		return w[:len(w)-1] + "i"
	}
	return w
}

// undouble makes "submitt" "submit", but leaves "click", "miss" and "fill".
func undouble(w string) string {
	n := len(w)
	if n > 3 && w[n-1] == w[n-2] && w[n-1] != 's' && w[n-1] != 'l' && w[n-1] != 'z' {
		return w[:n-1]
	}
	return w
}
