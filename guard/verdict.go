package guard

import (
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/memtree/memtree/text"
)

// What a verdict is said with: what is found right or wrong, who judges what, how sure,
// and the words between. What is wrong with a page (E, e) and what to do (S, c) are not
// among them.
const verdictTags = "PQpBXJAaZrzOoKFUGLVMmYNCnRHdgbitvy&,;:.\""

// leastWords is how many words, or pairs of Chinese characters, beside those of a verdict
// say something.
const leastWords = 2

// OnlyVerdict reports whether a text says of a test that it was judged rightly or wrongly,
// or how it was to be judged, and nothing else: "All is as required, the report was a false
// alarm." Nobody can learn from it what to look at.
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

// hanBetween are Chinese characters that only join or point: the function words of a
// sentence, as far as they have no tag.
const hanBetween = "了有项所着又很太吗呢啊我他上中"

// misjudged are the names of what can be wrong with a verdict, and words between.
var misjudged = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\b(false (alarm|positive|negative|pass|fail)s?|missed (a|the) (defect|bug)s?|calling|saying|really|actually)\b`)
})
