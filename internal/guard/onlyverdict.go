package guard

import (
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/memtree/memtree/internal/text"
)

// verdictTags are the tags of words that express a verdict: what is right or wrong, who judges what, how sure they
// are, and particles. Terms for what is wrong with a page (E, e) and for what to do (S, c) are not among them.
const verdictTags = "PQpBXJAaZrzOoKFUGLVMmYNCnRHdgbitvy&,;:.\""

// leastWords is the minimum number of other words, or pairs of Chinese characters, of a text that is more than a
// verdict.
const leastWords = 2

// OnlyVerdict reports whether s states only that a test was judged rightly or wrongly, or how it should have been
// judged: "All is as required, the report was a false alarm." Such a text does not teach what to look at.
func OnlyVerdict(s string) bool {
	words, han := 0, 0
	for tag, phrase := range phrases(misjudged().ReplaceAllString(s, "; ")) {
		switch {
		case strings.IndexByte(verdictTags, tag) >= 0:
		case phrase[0] < 0xe0:
			words += len(text.Words(phrase))
		case !strings.Contains(hanBetween, phrase):
			han += utf8.RuneCountInString(phrase)
		}
	}
	return words+han/2 < leastWords
}

// hanBetween are Chinese particles (they only join or point) that have no tag.
const hanBetween = "了有项所着又很太吗呢啊我他上中"

// misjudged matches the names of wrong verdicts, words that often appear between them, and references to an earlier
// verdict. It does not match words of the lexicon.
var misjudged = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\b(false (alarm|positive|negative|pass|fail)s?|missed (a|the) (defect|bug)s?|` +
		`calling|saying|really|actually|` +
		`again|still|(the )?same( (mistake|error))?( as)?|see above|` +
		`(last|the other|one more) (time|night|run)|before|yesterday)\b|` +
		`[和跟与同]上一?次一样`)
})
