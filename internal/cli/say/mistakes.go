package say

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/memtree/memtree/internal/po"
)

// mistake is a pattern of an English error text about bad input, with its translation. Its msgid has %s for each
// value that the text names.
type mistake struct {
	english *regexp.Regexp
	other   string
	fixed   int // bytes of the msgid outside of the placeholders
}

// mistakesOf are the sections of zh.po whose entries are patterns.
var mistakesOf = []string{"curation", "enhance/midscene", "ingest", "ingest/report", "judgment", "knowledge",
	"store/json", "store/postgres", "tree"}

// mistakes returns all patterns, those with the most fixed text first, so that a longer text does not match a shorter
// pattern with the same beginning and end.
var mistakes = sync.OnceValue(func() []mistake {
	var all []mistake
	for english, other := range sectionsOf(chineseFile, mistakesOf) {
		parts := strings.Split(english, "%s")
		for i := range parts {
			parts[i] = regexp.QuoteMeta(parts[i])
		}
		all = append(all, mistake{
			english: regexp.MustCompile(`(?s)^` + strings.Join(parts, `(.+?)`) + `$`),
			other:   other,
			fixed:   len(strings.Join(parts, "")),
		})
	}
	slices.SortFunc(all, func(a, b mistake) int {
		return cmp.Or(cmp.Compare(b.fixed, a.fixed), cmp.Compare(a.other, b.other))
	})
	return all
})

// Mistake translates sentence, the text of an error about bad input, into the language of the user. The packages that
// find mistakes write English, which --json prints. A text without a translation stays English.
func (v *Voice) Mistake(sentence string) string {
	if v.words == nil {
		return sentence
	}
	for _, m := range mistakes() {
		named := m.english.FindStringSubmatch(sentence)
		if named == nil {
			continue
		}
		args := make([]any, len(named)-1)
		for i, n := range named[1:] {
			args[i] = cmp.Or(sectionsWords()[n], n) // such as a kind of value
			if clause := v.words[n]; clause != "" && strings.Contains(n, " ") {
				args[i] = clause // of another package
			}
		}
		return fmt.Sprintf(m.other, args...)
	}
	return sentence
}

// sectionsWords are the entries of all patterns by their English.
var sectionsWords = sync.OnceValue(func() map[string]string { return sectionsOf(chineseFile, mistakesOf) })

// sectionsOf returns the entries of some sections of a translation.
func sectionsOf(file string, names []string) map[string]string {
	out := map[string]string{}
	for section := range strings.SplitSeq(file, "\n# ") {
		name, entries, _ := strings.Cut(section, "\n\n")
		if !slices.Contains(names, name) {
			continue
		}
		texts, err := po.Read(entries)
		if err != nil {
			panic("zh.po, " + name + ": " + err.Error()) // a test reads it
		}
		maps.Copy(out, texts)
	}
	return out
}
