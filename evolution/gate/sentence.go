package gate

import (
	"strings"
	"unicode"

	"github.com/memtree/memtree/internal/text"
	"github.com/memtree/memtree/taxonomy"
)

// leastSpoken is the number of words, or of pairs of characters, below which a share is not significant.
const leastSpoken = 8

// particles are the commonest function words of Chinese that are one character long.
const particles = "的了是在把被就才与和或及而也都还又再不没有要应可能会从到向由为以用让使给着得其他它这那哪什么怎样如若但并且每各几"

// sentence refuses a draft whose lessons are lists of words and not sentences.
func sentence(j *Gates, v *view) string {
	for i, l := range v.draft.Lessons {
		if !j.catalogued(v, &l) && j.cuts.salad(l.Check+"\n"+l.Mistake+"\n"+l.Instead) {
			return v.because(taxonomy.Text{
				EN: "lesson %d, %q, is words in a row; say in one sentence what to do and what to see",
				ZH: "第 %d 条（%q）只是词语堆砌，不成句；请用一句话说明做什么、看什么"}, i+1, text.Clip(l.Check, 60))
		}
	}
	return ""
}

// salad reports whether a text has so few function words that it cannot be sentences.
func (c cuts) salad(s string) bool {
	words := text.Words(s)
	if len(words) < leastSpoken {
		return false
	}
	if text.Lang(s) == "zh" {
		function, all := 0, 0
		for _, r := range s {
			if unicode.Is(unicode.Han, r) {
				all++
				if strings.ContainsRune(particles, r) {
					function++
				}
			}
		}
		return float64(function) < c.functionZH*float64(all)
	}
	function := 0
	for _, w := range words {
		if len(text.Tokens(w)) == 0 {
			function++
		}
	}
	return float64(function) < c.functionEN*float64(len(words))
}
