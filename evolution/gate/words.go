package gate

import (
	"cmp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/memtree/memtree/text"
)

// bag is a set of words: stems of English words, pairs of Chinese characters.
type bag map[string]bool

func (b bag) shared(o bag) int {
	n := 0
	for w := range b {
		if o[w] {
			n++
		}
	}
	return n
}

// bagOf returns the words of a text without English function words.
func bagOf(s string) bag {
	out := bag{}
	for _, w := range text.Tokens(s) {
		if r, n := utf8.DecodeRuneInString(w); n == len(w) && unicode.Is(unicode.Han, r) {
			continue
		}
		out[w] = true
	}
	return out
}

// telling returns the telling words of a text: those that are neither function words
// nor shared by all testing.
func telling(s string) bag {
	out := bag{}
	for w := range bagOf(withoutPlainZH(s)) {
		if !plain().words[w] {
			out[w] = true
		}
	}
	return out
}

// vocabulary is the vocabulary of lexicon.go in the form in which it is looked up.
type vocabulary struct {
	words    bag     // stems of plainEN and functionEN, and functionEN as it is
	function bag     // functionEN as it is
	verbs    bag     // stems
	bare     bag     // bareEN and functionEN
	bareZH   phrases // bareZH and functionZH
	zh       phrases // plainZH and functionZH
	fillers  phrases // functionZH
	whole    phrases // wholeZH
}

var plain = sync.OnceValue(func() *vocabulary {
	l := &vocabulary{words: bagOf(plainEN + " " + functionEN), function: bag{}, verbs: bagOf(verbsEN)}
	for w := range strings.FieldsSeq(functionEN) {
		l.function[w] = true
		l.words[w] = true
	}
	l.fillers, l.whole = newPhrases(functionZH), newPhrases(wholeZH)
	l.bare, l.bareZH = bagOf(bareEN+" "+functionEN), newPhrases(bareZH+" "+functionZH)
	l.zh = newPhrases(functionZH + " " + plainZH)
	return l
})

// phrases maps a character to the Chinese phrases that begin with it, longest first.
type phrases map[rune][]string

func newPhrases(s string) phrases {
	out := phrases{}
	for p := range strings.FieldsSeq(s) {
		r, _ := utf8.DecodeRuneInString(p)
		out[r] = append(out[r], p)
	}
	for _, list := range out {
		slices.SortFunc(list, func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) })
	}
	return out
}

// at returns the length in bytes of the longest phrase that s begins with, 0 if there is
// none.
func (p phrases) at(s string) int {
	r, _ := utf8.DecodeRuneInString(s)
	for _, one := range p[r] {
		if strings.HasPrefix(s, one) {
			return len(one)
		}
	}
	return 0
}

// withoutPlainZH removes from the Chinese of a text what all testing shares.
func withoutPlainZH(s string) string {
	rest, _ := cut(s, plain().zh)
	return rest
}

// cut replaces phrases in a text by a space and returns how many there were. At each
// place it takes the longest phrase, but never one inside a word of wholeZH.
func cut(s string, list phrases) (rest string, n int) {
	var b strings.Builder
	for s != "" {
		_, keep := utf8.DecodeRuneInString(s)
		keep = max(keep, plain().whole.at(s))
		if l := list.at(s); l >= keep {
			n++
			b.WriteByte(' ')
			s = s[l:]
			continue
		}
		b.WriteString(s[:keep])
		s = s[keep:]
	}
	return b.String(), n
}

func hanCount(s string) int {
	n := 0
	for _, r := range s {
		if unicode.Is(unicode.Han, r) {
			n++
		}
	}
	return n
}
