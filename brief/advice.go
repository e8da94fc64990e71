package brief

import (
	"math"
	"regexp"
	"strconv"
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
// beyond its role. Quoted texts come from the test or from the memory, and so do numbers, or they are next to one of
// the test: what is checked at 50 is checked at 49 and 51.
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
	if c := ungrounded(say, prompt, memory); c != "" {
		return "has “" + text.Clip(c, 40) + "”, which neither test nor memory has"
	}
	return ""
}

// ofTest reports whether advice is about a test: it shares tokens with it.
func ofTest(say, prompt string) bool {
	in, own, shared := text.TokenSet(prompt), map[string]bool{}, 0
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

// ungrounded returns the first number or quoted text of advice that appears neither in the test nor in the memory and
// is no number next to one of the test, "" for none.
func ungrounded(say, prompt, memory string) string {
	inPrompt, inMemory := text.Letters(prompt), text.Letters(memory)
	for _, c := range concrete().FindAllString(say, -1) {
		l := text.Letters(strings.Trim(c, ".,:/-"))
		if l != "" && !strings.Contains(inPrompt, l) && !strings.Contains(inMemory, l) && !nextTo(c, prompt) {
			return strings.TrimSpace(c)
		}
	}
	return ""
}

// nextTo reports whether a number differs from one of the test by one in its last decimal place.
func nextTo(number, prompt string) bool {
	n, places, ok := decimal(number)
	if !ok {
		return false
	}
	for _, c := range concrete().FindAllString(prompt, -1) {
		if o, p, ok := decimal(c); ok && p <= places && math.Round(math.Abs(n-o)*math.Pow10(places)) == 1 {
			return true
		}
	}
	return false
}

// mostDigits is the maximum length of a number that is compared with its neighbours; a float64 is exact that far.
const mostDigits = 15

// decimal returns a plain number and its decimal places. Dates, times and ranges are none.
func decimal(s string) (n float64, places int, ok bool) {
	s = strings.ReplaceAll(strings.TrimRight(s, ".,:/%-"), ",", "")
	if len(s) > mostDigits {
		return 0, 0, false
	}
	n, err := strconv.ParseFloat(s, 64)
	if _, fraction, found := strings.Cut(s, "."); found {
		places = len(fraction)
	}
	return n, places, err == nil
}
