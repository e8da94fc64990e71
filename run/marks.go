package run

import (
	_ "embed" // marks.txt
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/memtree/memtree/internal/text"
	"github.com/memtree/memtree/ledger"
)

//go:embed marks.txt
var marksFile string

// phraseMark is a turn of speech.
type phraseMark struct {
	kind    ledger.WorkKind
	pattern *regexp.Regexp
}

var marks = sync.OnceValue(func() (out []phraseMark) {
	for line := range strings.Lines(marksFile) {
		kind, pattern, ok := strings.Cut(strings.TrimRight(line, "\n"), "\t")
		if !ok || strings.HasPrefix(line, "#") {
			continue
		}
		out = append(out, phraseMark{ledger.WorkKind(kind), regexp.MustCompile(pattern)})
	}
	return out
})

// Limits on what is searched, in bytes: of a sentence, and of each end of a text.
const (
	mostMarked = 2000
	mostEnd    = 32 << 10
)

// KindOf looks for errors, decisions and findings in the text s. kind is error if s has one, else decision, else
// finding, else "". sentences holds all sentences with an error, decision or finding, in order. KindOf uses phrases in
// English and Chinese (marks.txt) and does not understand meaning, so it finds too much rather than too little. Of a
// text longer than 64 KiB it reads the beginning and the end.
func KindOf(s string) (kind ledger.WorkKind, sentences []string) {
	if len(s) > 2*mostEnd {
		s = strings.ToValidUTF8(s[:mostEnd], "") + "\n" + strings.ToValidUTF8(s[len(s)-mostEnd:], "")
	}
	first := len(marks())
	for _, one := range text.Sentences(s) {
		low := strings.ToLower(one[:min(len(one), mostMarked)])
		i := slices.IndexFunc(marks(), func(m phraseMark) bool { return m.pattern.MatchString(low) })
		if i >= 0 {
			first = min(first, i)
			sentences = append(sentences, one)
		}
	}
	if len(sentences) == 0 {
		return "", nil
	}
	return marks()[first].kind, sentences
}
