package cue

import (
	_ "embed" // phrases.flat
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/memtree/memtree/internal/flat"
	"github.com/memtree/memtree/taxonomy"
)

// number matches any number in a phrase, and ellipsis a few tokens or characters.
const (
	number   = "#"
	ellipsis = "…"
)

// table holds phrases by what they begin with, read where they are stored. A phrase is compiled into a pattern: its
// parts with … between, and in English the stems of a part with spaces between.
type table struct {
	firsts   flat.Names // what phrases begin with: a token, or a character
	ends     flat.Ints  // for each of firsts: the end of its phrases in the lists below
	kinds    flat.Ints
	weights  flat.Doubles
	texts    flat.Texts // as they were given
	patterns flat.Texts
}

func readTable(d *flat.Data) table {
	return table{d.Names(), d.Ints(), d.Ints(), d.Doubles(), d.Texts(), d.Texts()}
}

// with returns the places of the phrases that begin with first.
func (t *table) with(first string) (begin, end int) {
	i, ok := t.firsts.Find(first)
	if !ok {
		return 0, 0
	}
	if i > 0 {
		begin = t.ends.At(i - 1)
	}
	return begin, t.ends.At(i)
}

func (t *table) phrase(i int) Phrase {
	return Phrase{t.kinds.At(i), t.texts.At(i), t.weights.At(i)}
}

// readMatcher reads what compiled returned.
func readMatcher(gap int, d *flat.Data) *Matcher {
	return &Matcher{gap: gap, words: readTable(d), runes: readTable(d)}
}

// compiledPhrase is a phrase on its way into a table.
type compiledPhrase struct {
	Phrase
	first, pattern string
}

// compiled compiles phrases into the two tables of a Matcher.
func compiled(phrases []Phrase) []byte {
	var words, runes []compiledPhrase
	for _, p := range phrases {
		switch pattern := compile(p.Text); {
		case pattern == "":
		case chinese(p.Text):
			_, n := utf8.DecodeRuneInString(pattern)
			runes = append(runes, compiledPhrase{p, pattern[:n], pattern})
		default:
			first, _, _ := strings.Cut(pattern, ellipsis)
			first, _, _ = strings.Cut(first, " ")
			words = append(words, compiledPhrase{p, first, pattern})
		}
	}
	return appendTable(appendTable(nil, words), runes)
}

// appendTable adds the table of phrases. Those that begin alike keep their order.
func appendTable(b []byte, list []compiledPhrase) []byte {
	slices.SortStableFunc(list, func(a, b compiledPhrase) int { return strings.Compare(a.first, b.first) })
	var firsts, texts, patterns []string
	var ends, kinds []int
	var weights []float64
	for i, p := range list {
		if i == 0 || p.first != list[i-1].first {
			firsts, ends = append(firsts, p.first), append(ends, 0)
		}
		ends[len(ends)-1] = i + 1
		kinds, weights = append(kinds, p.Kind), append(weights, p.Weight)
		texts, patterns = append(texts, p.Text), append(patterns, p.pattern)
	}
	b = flat.AppendInts(flat.AppendInts(flat.AppendNames(b, firsts), ends), kinds)
	return flat.AppendTexts(flat.AppendTexts(flat.AppendDoubles(b, weights...), texts), patterns)
}

// compile returns the pattern of a phrase, "" for one without tokens.
func compile(phrase string) string {
	var parts []string
	for part := range strings.SplitSeq(strings.ToLower(phrase), ellipsis) {
		part = strings.TrimSpace(part)
		if !chinese(phrase) {
			part = strings.Join(tokens(part), " ")
		}
		if part != "" {
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, ellipsis)
}

// tokens returns the stems of a part of an English phrase. A # is not changed.
func tokens(s string) []string {
	var out []string
	for w := range strings.FieldsSeq(s) {
		if w == number {
			out = append(out, number)
			continue
		}
		if lettersOnly(w) { // thousands of words: most need no tokenizer
			out = append(out, stem(w))
			continue
		}
		out = append(out, stems(w)...)
	}
	return out
}

func lettersOnly(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r < 'a' || r > 'z' })
}

// builtinPhrases holds the compiled phrases of the built-in checks, by sort. "go generate ./internal/cue" writes it.
//
//go:generate go test . -run ^TestPhrases$ -update
//go:embed phrases.flat
var builtinPhrases string

var storedPhrases = sync.OnceValue(func() (all [sorts]*Matcher) {
	d := flat.Open(builtinPhrases)
	for sort := range all {
		all[sort] = readMatcher(Gap, d)
	}
	return all
})

// matcherOf returns the phrases of a sort: the stored ones for the built-in taxonomy, else compiled now.
func matcherOf(tax *taxonomy.Taxonomy, checks []taxonomy.Check, sort int) *Matcher {
	if tax == taxonomy.Default() {
		return storedPhrases()[sort]
	}
	return NewMatcher(Gap, phrasesOf(checks, sort))
}

func phrasesOf(checks []taxonomy.Check, sort int) (out []Phrase) {
	for i := range checks {
		k := &checks[i]
		for _, q := range [sorts][]taxonomy.Cue{notes: k.Said, claims: k.Claimed, tasks: k.Asked}[sort] {
			out = append(out, Phrase{i, q.Phrase, q.Weight})
		}
	}
	return out
}
