package guard

import (
	"strings"
	"unicode"

	"github.com/memtree/memtree/internal/text"
)

// Forces reports whether s fixes an agent's verdict regardless of what the agent sees, and returns the first sentence
// that does.
//
// A sentence forces a verdict in three ways. It orders the verdict ("mark it as passed", 判通过) and does not make
// it depend on something that can be seen. It presents the verdict as settled. Or it orders the agent not to look at
// what is there, or not to report it. A sentence does not force when it makes the verdict depend on what is seen ("if
// the totals differ, report a defect"), forbids a verdict, or reports what an agent or a product did.
//
// Forces also finds an order to set a field that holds a verdict, such as has_defect (fields.go), and a verdict that is
// spelled letter by letter.
//
// Forces reads Chinese and English. It is a statistical model of terms and does not know their meaning;
// testdata/quality.golden has its rates on writers it has not seen.
func Forces(s string) (found string, yes bool) {
	s = text.Clean(s)
	for _, one := range text.Sentences(s) {
		if learned().odds(one) > cut || setsField(one) || spelledOut(one) {
			return one, true
		}
	}
	if !strings.Contains(strings.TrimSpace(s), "\n") {
		return "", false
	}
	// The text has several lines. An agent may be shown them as one line, where a sentence can go on over a line
	// break. But the lines may also be separate texts, so the threshold is higher here.
	for _, one := range text.Sentences(text.Squeeze(s)) {
		if learned().odds(one) > sure {
			return one, true
		}
	}
	return "", false
}

func isHan(r rune) bool { return unicode.Is(unicode.Han, r) }
