package brief

import (
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/memtree/memtree/internal/guard"
	"github.com/memtree/memtree/internal/text"
)

// Limits of a sentence for one test.
const (
	leastSaid    = 6    // characters
	mostSaid     = 260  // characters
	mostSaidHan  = 110  // characters of a Chinese sentence
	leastOfTest  = 0.15 // share of its tokens that are in the test
	leastMeaning = 2    // tokens of the test in it
)

// whyUnsaid returns why the advice of a reader may not be given before a test, "" if it may. Advice is one or two
// sentences in the language of the test, with tokens of the test, that neither force a verdict nor instruct the agent
// beyond its role. Numbers and quoted texts come from the test or from the memory.
func whyUnsaid(say, prompt, memory string) string {
	n := utf8.RuneCountInString(say)
	zh := text.Lang(say) == "zh"
	switch {
	case n < leastSaid:
		return "is empty"
	case n > mostSaid, zh && n > mostSaidHan, len(text.Sentences(say)) > 2:
		return "is too long"
	case zh != (text.Lang(prompt) == "zh"):
		return "is not in the language of the test"
	}
	if reason, unsafe := guard.Unsafe(say); unsafe {
		return reason
	}
	switch {
	case guard.OnlyVerdict(say):
		return "is no more than a verdict"
	case !ofTest(say, prompt):
		return "has hardly a word of the test"
	}
	if c := ungrounded(say, text.Letters(prompt), text.Letters(memory)); c != "" {
		return "has “" + text.Clip(c, 40) + "”, which neither test nor memory has"
	}
	return ""
}

// ofTest reports whether advice is about a test: it shares tokens with it.
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

// ungrounded returns the first number or quoted text of advice that appears neither in the test nor in the memory, ""
// for none. Both are passed as their letters and digits.
func ungrounded(say, prompt, memory string) string {
	for _, c := range concrete().FindAllString(say, -1) {
		l := text.Letters(strings.Trim(c, ".,:/-"))
		if l != "" && !strings.Contains(prompt, l) && !strings.Contains(memory, l) {
			return strings.TrimSpace(c)
		}
	}
	return ""
}
