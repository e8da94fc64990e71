package evolution

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/memtree/memtree/evolution/gate"
	"github.com/memtree/memtree/internal/text"
	"github.com/memtree/memtree/tree"
)

// byRules writes drafts without a model. It composes no sentences. With a check, the advice is the taxonomy's, and the
// mistake is a whole sentence of a person or of the taxonomy. Without a check, or with one of the tree's own, the
// lesson is the most frequent hint of the cases; without such a hint, there is no draft.
func (e *Evolver) byRules(j *job) []gate.Draft {
	if j.Type == tree.Strategy {
		if len(j.counts) == 0 {
			return nil
		}
		var d gate.Draft // a strategy has no text except its counts
		for _, c := range j.counts {
			d.Lessons = append(d.Lessons, c.lesson)
		}
		return []gate.Draft{d}
	}
	l := tree.Lesson{
		Kind: j.Check, From: tree.FromCatalogue, Cites: idsOf(j.Members),
		Tests: tests(j.Members), Times: times(j.Members),
	}
	if j.Check == "" || e.own(j.Check) {
		l.Check, l.From = repeatedHint(j.bucket)
		if l.Check == "" {
			return nil
		}
	}
	l.What = e.oftenMissed(j)
	l.Mistake = e.centralSentence(j)
	return []gate.Draft{{Lessons: []tree.Lesson{l}}}
}

// times returns the number of runs in which the mistakes of the cases were made.
func times(cases []*tree.Node) (n int) {
	for _, c := range cases {
		n += max(1, len(c.Occurrences))
	}
	return n
}

// oftenMissed returns the things that were missed in at least half of the tests and in at least two, sorted. A thing
// that few tests missed does not generalize to other pages.
func (e *Evolver) oftenMissed(j *job) []string {
	in := map[string]map[string]bool{} // by thing: the tests that missed it
	for _, n := range j.Members {
		for i := range n.CaseData.Misses {
			m := &n.CaseData.Misses[i]
			if !e.speaksOf(m, j.Check) {
				continue
			}
			for _, w := range m.What {
				if in[w] == nil {
					in[w] = map[string]bool{}
				}
				in[w][testOf(n)] = true
			}
		}
	}
	var out []string
	for w, where := range in {
		if len(where) >= leastTests && 2*len(where) >= tests(j.Members) {
			out = append(out, w)
		}
	}
	slices.SortFunc(out, func(a, b string) int { return cmp.Or(cmp.Compare(len(in[b]), len(in[a])), cmp.Compare(a, b)) })
	out = out[:min(len(out), tree.MaxThings)]
	slices.Sort(out)
	return out
}

// Limits on a sentence that represents a whole group.
const (
	longestMistake = 120 // characters
	shortestEN     = 20  // characters
	shortestZH     = 8   // characters
	leastWords     = 4   // an error code is no sentence
)

// centralSentence returns the sentence of a person that best describes how the check was missed: among the eligible
// ones, the one with the highest average similarity to the sentences about other tests. It returns "" if none is
// similar enough.
func (e *Evolver) centralSentence(j *job) string {
	var list, from []string // sentences, and the test of each
	for _, n := range evenly(j.Members, mostHeard) {
		for i := range n.CaseData.Misses {
			m := &n.CaseData.Misses[i]
			if !e.speaksOf(m, j.Check) || m.From != tree.FromPerson {
				continue
			}
			for _, s := range text.Sentences(m.How) {
				if e.speaksForAll(j, s) {
					list, from = append(list, s), append(from, testOf(n))
				}
			}
		}
	}
	words := weighTexts(list)
	best, most := "", leastCentral
	for i, s := range list {
		near, n := 0.0, 0
		for k := range list {
			if from[k] != from[i] {
				near += words.like(i, k)
				n++
			}
		}
		if near /= float64(max(1, n)); n > 0 && (near > most || near == most && s < best) {
			best, most = s, near
		}
	}
	return best
}

const (
	leastCentral = 0.20 // the minimum average similarity to sentences about other tests
	mostHeard    = 256  // cases whose sentences are compared, each with each
)

// speaksForAll reports whether a sentence may represent a group. It must be a short sentence in the language of the
// group, name nothing of a single test (no number, no quotation), and name the check by its phrases.
func (e *Evolver) speaksForAll(j *job, s string) bool {
	n := utf8.RuneCountInString(s)
	least := shortestEN
	if j.Lang == "zh" {
		least = shortestZH
	}
	if n < least || n > longestMistake || j.Lang != "zh" && len(strings.Fields(s)) < leastWords ||
		text.Lang(s) != j.Lang || strings.ContainsAny(s, "0123456789“”\"'‘’「」《》…?？") {
		return false
	}
	if j.Check == "" || e.own(j.Check) {
		return true
	}
	r, ok := e.checks().Outright(s, j.Direction)
	return ok && (r.Check == j.Check || e.isKindOf(r.Check, j.Check))
}

// repeatedHint returns the hint of most tests of a bucket: a whole sentence of a person or a model for at least half
// of the tests, and at least two. from is its source. Both are "" for none.
func repeatedHint(b *bucket) (hint, from string) {
	in, by := map[string]map[string]bool{}, map[string]string{} // of each sentence: its tests, and its source
	for _, n := range b.cases {
		for _, m := range n.CaseData.Misses {
			for _, s := range text.Sentences(m.Instead) {
				if in[s] == nil {
					in[s] = map[string]bool{}
				}
				in[s][testOf(n)] = true
				if by[s] != tree.FromPerson {
					by[s] = m.From
				}
			}
		}
	}
	best := ""
	for s, where := range in {
		if len(where) >= leastTests && 2*len(where) >= tests(b.cases) && len(text.Tokens(s)) >= 4 &&
			(best == "" || len(where) > len(in[best]) || len(where) == len(in[best]) && s < best) {
			best = s
		}
	}
	return best, by[best]
}
