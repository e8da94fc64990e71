package brief

import (
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/memtree/memtree/guard"
	"github.com/memtree/memtree/text"
)

// Limits of a sentence for one test.
const (
	leastSaid    = 6    // characters
	mostSaid     = 260  // characters
	mostSaidHan  = 110  // characters of a Chinese sentence
	leastOfTest  = 0.15 // share of its words that the test has
	leastMeaning = 2    // words of the test in it
)

// sayable reports whether the advice of a reader may be given before a test: one or two sentences
// in the language of the test, of its words, that neither force a verdict nor instruct the agent
// beyond its place. Numbers and quoted words come from the test or from the memory.
func sayable(say, prompt, memory string) bool {
	n := utf8.RuneCountInString(say)
	zh := text.Lang(say) == "zh"
	switch {
	case n < leastSaid, n > mostSaid, zh && n > mostSaidHan, zh != (text.Lang(prompt) == "zh"):
		return false
	case len(text.Sentences(say)) > 2:
		return false
	}
	if _, unsafe := guard.Unsafe(say); unsafe || guard.OnlyVerdict(say) {
		return false
	}
	return ofTest(say, prompt) && grounded(say, letters(prompt), letters(memory))
}

// ofTest reports whether advice is about a test: it has words of it.
func ofTest(say, prompt string) bool {
	in := map[string]bool{}
	for _, w := range text.Tokens(prompt) {
		in[w] = true
	}
	own := map[string]bool{}
	shared := 0
	for _, w := range text.Tokens(say) {
		if own[w] {
			continue
		}
		own[w] = true
		if in[w] {
			shared++
		}
	}
	return shared >= min(leastMeaning, len(in)) && float64(shared) >= leastOfTest*float64(len(own))
}

// concrete matches numbers, and texts in quotation marks.
var concrete = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\d[\d.,:/%-]*|“[^”]+”|"[^"]+"|「[^」]+」|『[^』]+』|‘[^’]+’|(?:^|\s)'[^']+'`)
})

// grounded reports whether every number and quoted text of advice stands in the test or in the
// memory. Both are given as their letters and digits.
func grounded(say, prompt, memory string) bool {
	for _, c := range concrete().FindAllString(say, -1) {
		c = letters(strings.Trim(c, ".,:/-"))
		if c != "" && !strings.Contains(prompt, c) && !strings.Contains(memory, c) {
			return false
		}
	}
	return true
}
