package gate

import (
	"slices"
	"strings"
	"unicode"

	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/text"
)

// What tells a sentence from words in a row: the latter have few function words, long
// runs without any, and function words where a noun must stand. In a thousand texts of
// lessons and of the catalogue, the English ones have no run above 3, and one in four
// words is a function word; the Chinese ones have no run above 11, and a function word
// for every ten characters.
const (
	leastFunctionEN = 0.24 // the least share of function words
	leastInFewEN    = 0.15 // the same in fewer than fewEN words
	fewEN           = 8
	verbless        = 0.35 // the share from which on a text needs no known verb
	longestRunEN    = 5    // words in a row without a function word or a mark
	leastFunctionZH = 0.07 // function words for each character
	longestRunZH    = 11   // characters in a row without a function word or a mark
	leastWordsEN    = 6    // shorter texts count as sentences
	leastCharsZH    = 12   // likewise
	shortEN         = 16   // a text with fewer words may have no odd pair, a longer one may have one
	gapsZH          = 2    // spaces between Chinese words that are too many
)

// sentence refuses a draft whose texts are words in a row and no sentences.
func sentence(_ *Gates, v *view) string {
	reason := taxonomy.Text{EN: "lesson %d is no sentence but words in a row; " +
		"say in one sentence what to do and what to see", ZH: "第 %d 条只是词语堆砌，不成句；请用一句话说明做什么、看什么"}
	for i, l := range v.draft.Lessons {
		if salad(l.Check) || salad(l.Instead) || !hasVerb(l.Check) {
			return v.because(reason, i+1)
		}
	}
	for _, s := range append([]string{v.draft.Title}, v.draft.AppliesWhen...) {
		if salad(s) {
			return v.because(taxonomy.Text{EN: "%q is words in a row; say it in a sentence", ZH: "“%s”只是词语堆砌；请写成句子"},
				text.Clip(s, 40))
		}
	}
	return ""
}

// salad reports whether a text is words in a row without being a sentence.
func salad(s string) bool {
	if text.Lang(s) == "zh" {
		return saladZH(s)
	}
	return saladEN(s)
}

// saladEN is salad for English.
func saladEN(s string) bool {
	words, function, run, longest, strange := 0, 0, 0, 0, 0
	before := ""
	for _, w := range append(spoken(s), ",") {
		if w == "," {
			w = ""
		}
		if odd(before, w) {
			strange++
		}
		if before = w; w == "" {
			run = 0
			continue
		}
		words++
		if plain().function[w] {
			function, run = function+1, 0
		} else if run++; run > longest {
			longest = run
		}
	}
	if words < leastWordsEN {
		return false
	}
	least := leastFunctionEN
	if words < fewEN {
		least = leastInFewEN
	}
	return strange > 1 || strange == 1 && words < shortEN || longest > longestRunEN ||
		float64(function) < least*float64(words)
}

// odd reports whether English word w hardly ever follows another, because a noun is
// missing between them. The empty word stands for the end of a phrase.
func odd(before, w string) bool {
	switch {
	case articles[before]:
		return w == "" || articles[w] || prepositions[w] || joins[w] || auxiliaries[w] || subjects[w]
	case before == "of":
		return w == "of" || joins[w] || finite[w]
	case prepositions[before]:
		return w == "of" || w == "but"
	case finite[before]:
		return finite[w]
	case joins[before]:
		return w == "and" || w == "or"
	}
	return false
}

var (
	articles     = set("a an the")
	prepositions = set("to at by for with from into than on in")
	joins        = set("and or but because if")
	subjects     = set("it they he she we")
	finite       = set("is are was were has does did will must")
	auxiliaries  = set("is are was were be been has have had do does did will would shall should can could may might must")
)

func set(s string) map[string]bool {
	out := map[string]bool{}
	for w := range strings.FieldsSeq(s) {
		out[w] = true
	}
	return out
}

// spoken returns the lower-case words of an English text, with "," for each mark
// that ends a phrase. What is joined by - ' or / is one word.
func spoken(s string) []string {
	var out []string
	var word strings.Builder
	end := func() {
		if w := strings.Trim(word.String(), "-'/"); w != "" {
			out = append(out, w)
		}
		word.Reset()
	}
	for _, r := range strings.ToLower(s) {
		switch {
		case unicode.IsLetter(r), unicode.IsDigit(r), r == '-', r == '/', r == '\'', r == '’':
			word.WriteRune(r)
		default:
			end()
			if strings.ContainsRune(`,;:.!?()—–`, r) && len(out) > 0 && out[len(out)-1] != "," {
				out = append(out, ",")
			}
		}
	}
	end()
	return out
}

// saladZH is salad for Chinese. It also finds spaces where nobody writes them.
func saladZH(s string) bool {
	if spaced(s) {
		return true
	}
	chars := hanCount(s)
	if chars < leastCharsZH {
		return false
	}
	rest, function := cut(s, plain().fillers)
	longest := 0
	for run := range strings.FieldsFuncSeq(rest, func(r rune) bool { return !unicode.Is(unicode.Han, r) }) {
		longest = max(longest, hanCount(run))
	}
	return longest > longestRunZH || float64(function) < leastFunctionZH*float64(chars)
}

// spaced reports whether spaces stand between Chinese words.
func spaced(s string) bool {
	gaps, han, gap := 0, false, false
	for _, r := range s {
		switch {
		case unicode.IsSpace(r):
			gap = han
		case unicode.Is(unicode.Han, r):
			if gap {
				gaps++
			}
			han, gap = true, false
		default:
			han, gap = false, false
		}
	}
	return gaps >= gapsZH
}

// hasVerb reports whether a text has a word that can be its verb, or so many function
// words that one of the others must be. It is always true for Chinese, where verbs
// cannot be told from other words.
func hasVerb(s string) bool {
	words := slices.DeleteFunc(spoken(s), func(w string) bool { return w == "," })
	if text.Lang(s) == "zh" || len(words) < leastWordsEN {
		return true
	}
	function := 0
	for _, w := range words {
		if auxiliaries[w] {
			return true
		}
		if plain().function[w] {
			function++
		}
	}
	return bagOf(s).shared(plain().verbs) > 0 || float64(function) >= verbless*float64(len(words))
}
