package gate

import (
	"strings"

	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/text"
	"github.com/memtree/memtree/tree"
)

// How much a lesson must say. Telling words are those that not all testing shares.
const (
	leastTellingEN = 2    // telling words of a lesson
	leastTellingZH = 2    // the same in Chinese, in pairs of characters; about one word
	mostRepeats    = 0.70 // share of different words, below which a text repeats itself
	oneWord        = 0.50 // share of one word among the telling words, above which a text dwells on it
	leastRepeats   = 3    // times that this word must stand there
	fewTelling     = 3    // a text with more telling words is no circle
	leastGrounded  = 0.04 // share of a draft's telling words that its cases must have
)

// substance refuses a lesson that would fit any test, such as an exhortation to care.
func substance(j *Gates, v *view) string {
	for i, l := range v.draft.Lessons {
		if j.catalogued(v, &l) {
			continue
		}
		least := leastTellingEN
		if v.about.Lang == "zh" {
			least = leastTellingZH
		}
		if len(telling(l.Check+"\n"+l.Instead)) < least {
			return v.because(taxonomy.Text{EN: "lesson %d would fit any test; say which action to take and what to see",
				ZH: "第 %d 条放在任何测试上都成立；请写出要做的动作和要看到的结果"}, i+1)
		}
	}
	return ""
}

// circle refuses a lesson that only repeats its title or one word.
func circle(j *Gates, v *view) string {
	title := telling(v.draft.Title)
	for i, l := range v.draft.Lessons {
		if j.catalogued(v, &l) {
			continue
		}
		said := l.Check + "\n" + l.Instead
		own, fresh := telling(said), 0
		for w := range own {
			if !title[w] {
				fresh++
			}
		}
		if len(own) <= fewTelling && (fresh == 0 && len(title) > 0 || fresh == 1 && repeats(said)) || dwells(said) {
			return v.because(taxonomy.Text{EN: "lesson %d goes in a circle: it repeats its title; say how to look",
				ZH: "第 %d 条只是重复标题；请写出怎样去看"}, i+1)
		}
	}
	return ""
}

// repeats reports whether a text has the same words again and again. Words with the
// same first six letters count as one: validate, validation.
func repeats(s string) bool {
	words := text.Tokens(s)
	roots := bag{}
	for _, w := range words {
		roots[w[:min(len(w), 6)]] = true
	}
	return float64(len(roots)) < mostRepeats*float64(len(words))
}

// dwells reports whether a text has hardly more than one telling word.
func dwells(s string) bool {
	count, all := map[string]int{}, 0
	words := telling(s)
	for _, w := range text.Tokens(withoutPlainZH(s)) {
		if words[w] {
			count[w[:min(len(w), 6)]]++
			all++
		}
	}
	for _, n := range count {
		if len(words) <= fewTelling && n >= leastRepeats && float64(n) > oneWord*float64(all) {
			return true
		}
	}
	return false
}

// grounding refuses a draft that hardly has a word of its cases. The bound is low,
// because a good lesson generalises and its cases may be in another language.
func grounding(j *Gates, v *view) string {
	if j.ofTheirKind(v) {
		return ""
	}
	said := bag{}
	for _, n := range v.about.Parts { // the experiences of a strategy have their words from their own cases
		for _, s := range append([]string{n.Content.Title}, textsOf(n)...) {
			for w := range bagOf(s) {
				said[w] = true
			}
		}
	}
	all, held := 0, 0
	for w := range telling(strings.Join(v.ownTexts(j), "\n")) {
		all++
		if said[w] || v.testsWith(func(e *evidence) bool { return e.words[w] }) > 0 {
			held++
		}
	}
	if all > 0 && (held == 0 || float64(held) < leastGrounded*float64(all)) {
		return v.because(taxonomy.Text{EN: "of its %d telling words %d stand in the cases; say it in the words of the cases",
			ZH: "它的 %d 个关键词中只有 %d 个出现在案例里；请用案例中的说法"}, all, held)
	}
	return ""
}

// ofTheirKind reports whether a lesson speaks of a check that the cases missed. Such a
// lesson is about the cases, whatever its words.
func (j *Gates) ofTheirKind(v *view) bool {
	missed, _ := v.missed(v.cases)
	if v.about.Check != "" {
		missed[v.about.Check]++
	}
	for _, l := range v.draft.Lessons {
		_, _, scores := j.kindOf(v, &l)
		for i, s := range scores {
			if s >= aPhrase && missed[j.kinds().checks[i].ID] > 0 {
				return true
			}
		}
	}
	return false
}

// textsOf returns the texts of a memory's lessons.
func textsOf(n *tree.Node) []string {
	var out []string
	for _, l := range n.Content.Lessons {
		out = append(out, l.Check, l.Instead)
		out = append(out, l.What...)
	}
	return out
}

// ownTexts returns the texts of a draft, but not those of lessons from the catalogue.
func (v *view) ownTexts(j *Gates) []string {
	var out []string
	own := false
	for _, l := range v.draft.Lessons {
		if !j.catalogued(v, &l) {
			out, own = append(out, l.Check, l.Mistake, l.Instead), true
		}
	}
	if own {
		out = append(append(out, v.draft.Title, v.draft.Description), v.draft.AppliesWhen...)
	}
	return out
}

// catalogued reports whether a lesson's advice is that of the catalogue, about a check
// that a case it cites has missed. People have read such a sentence, so it need not
// have words of the cases.
func (j *Gates) catalogued(v *view, l *tree.Lesson) bool {
	if l.Kind == "" || l.From != tree.FromCatalogue {
		return false
	}
	if _, known := j.tax.Check(l.Kind); !known {
		return false
	}
	for _, e := range v.cited(l) {
		if e.node.Has(l.Kind) {
			return true
		}
	}
	return l.Kind == v.about.Check
}
