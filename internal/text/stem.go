package text

import "bytes"

// isStopWord reports whether w is an English function word. Negations are not on the list: "not shown" and "shown" are
// opposite observations.
func isStopWord(w []byte) bool {
	if len(w) > 10 { // no word of the list is longer
		return false
	}
	switch string(w) {
	case "a", "about", "above", "after", "again", "all", "also", "am", "an", "and", "any", "are", "as", "at",
		"be", "because", "been", "before", "being", "below", "between", "both", "but", "by",
		"ca", "can", "could", "did", "do", "does", "doing", "down", "during", "each",
		"few", "for", "from", "further",
		"had", "has", "have", "having", "he", "her", "here", "hers", "herself", "him", "himself", "his", "how",
		"i", "if", "in", "into", "is", "it", "its", "itself", "just", "me", "more", "most", "must", "my", "myself",
		"of", "off", "on", "once", "only", "or", "other", "our", "ours", "out", "over", "own",
		"same", "shall", "she", "should", "so", "some", "such",
		"than", "that", "the", "their", "theirs", "them", "themselves", "then", "there", "these", "they", "this",
		"those", "through", "to", "too", "under", "until", "up", "us", "very",
		"was", "we", "were", "what", "when", "where", "which", "while", "who", "whom", "why", "will", "with", "wo", "would",
		"you", "your", "yours", "yourself":
		return true
	}
	return false
}

// stem removes the inflection of an English word of lower-case ASCII letters. It works in place; the word may grow by
// one letter.
//
// It applies steps 1a, 1b, 1c, 5a and 5b of M. F. Porter, "An algorithm for suffix stripping", Program 14(3), 1980:
// plurals, -ed, -ing, final y, e and double l. The derivational steps 2 to 4 are left out on purpose: they conflate
// words that mean different things in a bug report (operate, operator).
func stem(w []byte) []byte {
	if len(w) <= 2 {
		return w
	}
	return tidy(finalY(pastAndGerund(plural(w))))
}

// plural is step 1a.
func plural(w []byte) []byte {
	switch {
	case bytes.HasSuffix(w, []byte("sses")), bytes.HasSuffix(w, []byte("ies")):
		return w[:len(w)-2]
	case bytes.HasSuffix(w, []byte("ss")):
		return w
	case bytes.HasSuffix(w, []byte("s")):
		return w[:len(w)-1]
	}
	return w
}

// pastAndGerund is step 1b: it drops -ed and -ing and restores the root (hoping → hope, hopping → hop).
func pastAndGerund(w []byte) []byte {
	var root []byte
	switch {
	case bytes.HasSuffix(w, []byte("eed")):
		if measure(w[:len(w)-3]) > 0 {
			return w[:len(w)-1]
		}
		return w
	case bytes.HasSuffix(w, []byte("ed")):
		root = w[:len(w)-2]
	case bytes.HasSuffix(w, []byte("ing")):
		root = w[:len(w)-3]
	default:
		return w
	}
	if !hasVowel(root) {
		return w
	}
	last := len(root) - 1
	switch {
	case bytes.HasSuffix(root, []byte("at")), bytes.HasSuffix(root, []byte("bl")), bytes.HasSuffix(root, []byte("iz")):
		return append(root, 'e')
	case doubled(root) && root[last] != 'l' && root[last] != 's' && root[last] != 'z':
		return root[:last]
	case measure(root) == 1 && closed(root):
		return append(root, 'e')
	}
	return root
}

// finalY is step 1c: try and tries become tri.
func finalY(w []byte) []byte {
	if last := len(w) - 1; w[last] == 'y' && hasVowel(w[:last]) {
		w[last] = 'i'
	}
	return w
}

// tidy is steps 5a and 5b: it drops a final e and one of two final l.
func tidy(w []byte) []byte {
	last := len(w) - 1
	if w[last] == 'e' {
		root := w[:last]
		if m := measure(root); m > 1 || m == 1 && !closed(root) {
			w = root
		}
	}
	if last = len(w) - 1; w[last] == 'l' && doubled(w) && measure(w[:last]) > 1 {
		w = w[:last]
	}
	return w
}

// consonant reports whether w[i] is a consonant. A y is one at the start and after a vowel.
func consonant(w []byte, i int) bool {
	switch w[i] {
	case 'a', 'e', 'i', 'o', 'u':
		return false
	case 'y':
		return i == 0 || !consonant(w, i-1)
	}
	return true
}

// measure returns the number of vowel-consonant sequences of w (Porter's m).
func measure(w []byte) (m int) {
	vowel := false
	for i := range w {
		if consonant(w, i) {
			if vowel {
				m++
			}
			vowel = false
		} else {
			vowel = true
		}
	}
	return m
}

func hasVowel(w []byte) bool {
	for i := range w {
		if !consonant(w, i) {
			return true
		}
	}
	return false
}

func doubled(w []byte) bool {
	n := len(w)
	return n >= 2 && w[n-1] == w[n-2] && consonant(w, n-1)
}

// closed reports whether w ends consonant-vowel-consonant and the last is not w, x or y (Porter's *o).
func closed(w []byte) bool {
	n := len(w)
	if n < 3 || !consonant(w, n-3) || consonant(w, n-2) || !consonant(w, n-1) {
		return false
	}
	return w[n-1] != 'w' && w[n-1] != 'x' && w[n-1] != 'y'
}
