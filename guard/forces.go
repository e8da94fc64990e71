package guard

import (
	"strings"
	"unicode"

	"github.com/memtree/memtree/text"
)

// Forces reports whether a text tells an agent its verdict whatever it sees, and
// returns the first sentence that does.
//
// A sentence forces a verdict in three ways. It orders the verdict ("mark it as
// passed", 判通过) and does not make it depend on something that can be seen. It
// states the verdict as settled. Or it orders the agent not to look at what is
// there, or not to report it. A sentence does not force when it makes the verdict
// depend on what is seen ("if the totals differ, report a defect"), forbids a
// verdict, or tells what an agent or a product did.
//
// Forces reads Chinese and English. It knows words, not meaning. It missed three in
// ten forcing sentences by writers it had not seen. It refused one in fifteen
// innocent sentences that were written to look like forcing ones, and one in two
// hundred real sentences.
func Forces(s string) (found string, yes bool) {
	s = text.Clean(s)
	for _, one := range text.Sentences(s) {
		t := tagsOf(one)
		if forcingRule(t) != "" || leans(t, strings.ContainsFunc(one, isHan)) {
			return one, true
		}
	}
	if !strings.Contains(strings.TrimSpace(s), "\n") {
		return "", false
	}
	// The text has several lines. An agent may be shown them as one line, where a
	// sentence can go on over a line break. But the lines may also be separate texts,
	// so here only the grammar counts, not the weights.
	for _, one := range text.Sentences(text.Squeeze(s)) {
		if forcingRule(tagsOf(one)) != "" {
			return one, true
		}
	}
	return "", false
}

func isHan(r rune) bool { return unicode.Is(unicode.Han, r) }
