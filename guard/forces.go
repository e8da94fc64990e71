package guard

import (
	"strings"
	"unicode"

	"github.com/memtree/memtree/text"
)

// Forces reports whether a text tells an agent its verdict whatever it sees, and
// returns the first sentence that does.
//
// A sentence forces if it orders a verdict ("mark it as passed", 判通过) and makes
// it depend on nothing that can be seen, if it states the verdict as settled, or
// if it orders not to look at or not to report what is there. A sentence that
// makes the verdict depend on what is seen ("if the totals differ, report a
// defect"), forbids a verdict, or tells what an agent or a product did, does not.
//
// It reads Chinese and English. It knows words, not meaning: of forcing sentences by
// writers it had not seen it missed three in ten, of innocent ones that were written
// to look alike it refused one in fifteen, and of real sentences one in two hundred.
func Forces(s string) (found string, yes bool) {
	s = text.Clean(s)
	for _, one := range text.Sentences(s) {
		t := tagsOf(one)
		if reading(t) != "" || leans(t, strings.ContainsFunc(one, isHan)) {
			return one, true
		}
	}
	if !strings.Contains(strings.TrimSpace(s), "\n") {
		return "", false
	}
	// An agent may be shown the lines as one. They may also be texts of their own,
	// so only the grammar counts.
	for _, one := range text.Sentences(text.Squeeze(s)) {
		if reading(tagsOf(one)) != "" {
			return one, true
		}
	}
	return "", false
}

func isHan(r rune) bool { return unicode.Is(unicode.Han, r) }
