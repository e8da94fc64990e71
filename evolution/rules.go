package evolution

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/memtree/memtree/evolution/cluster"
	"github.com/memtree/memtree/evolution/gate"
	"github.com/memtree/memtree/text"
	"github.com/memtree/memtree/tree"
)

// byRules writes without a model. It composes no sentences: what to do is the
// taxonomy's, how it was missed is a whole sentence of a person or the taxonomy's,
// and where no check is known the hint that was given for most cases. It returns
// no draft where there is neither.
func (e *Evolver) byRules(j *job) []gate.Draft {
	if j.Type == tree.Strategy {
		if len(j.counts) == 0 {
			return nil
		}
		var d gate.Draft // a strategy is its counts
		for _, c := range j.counts {
			d.Lessons = append(d.Lessons, c.lesson)
		}
		return []gate.Draft{d}
	}
	l := tree.Lesson{Kind: j.Check, From: tree.FromCatalogue, Cites: idsOf(j.Members), Tests: tests(j.Members), Times: times(j.Members)}
	if j.Check == "" {
		l.Check, l.From = repeatedHint(j.bucket)
		if l.Check == "" {
			return nil
		}
	}
	l.What = e.oftenMissed(j)
	l.Mistake = e.central(j)
	return []gate.Draft{{Lessons: []tree.Lesson{l}}}
}

// times returns in how many runs the mistakes of cases were made.
func times(cases []*tree.Node) (n int) {
	for _, c := range cases {
		n += max(1, len(c.Occurrences))
	}
	return n
}

// oftenMissed returns the things that were missed in half of the tests, and in two
// or more, sorted: what was missed in a few alone says nothing of another page.
func (e *Evolver) oftenMissed(j *job) []string {
	in := map[string]map[string]bool{}
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

// Lengths of a sentence that is said of a whole group, in characters.
const (
	longestMistake = 120
	shortestEN     = 20
	shortestZH     = 8
	leastWords     = 4 // an error code is no sentence
)

// central returns the sentence of a person that says best how the check was
// missed, or "" where none speaks for the others too: it has to say the check by
// itself, name nothing of one test, and share words with what others wrote.
func (e *Evolver) central(j *job) string {
	var list, from []string
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
	words := cluster.New(list)
	best, most := "", leastCentral
	for i, s := range list {
		near, n := 0.0, 0
		for k := range list {
			if from[k] != from[i] {
				near += words.Like(i, k)
				n++
			}
		}
		if near /= float64(max(1, n)); n > 0 && (near > most || near == most && s < best) {
			best, most = s, near
		}
	}
	return best
}

// leastCentral is how alike a sentence must be to those about other tests on
// average to be said of all; mostHeard is of how many cases the sentences are
// compared, each with each.
const (
	leastCentral = 0.20
	mostHeard    = 256
)

// speaksForAll reports whether a sentence may stand for a group.
func (e *Evolver) speaksForAll(j *job, s string) bool {
	n := utf8.RuneCountInString(s)
	least := shortestEN
	if j.Lang == "zh" {
		least = shortestZH
	}
	if n < least || n > longestMistake || j.Lang != "zh" && len(strings.Fields(s)) < leastWords || text.Lang(s) != j.Lang || strings.ContainsAny(s, "0123456789“”\"'‘’「」《》…?？") {
		return false
	}
	if j.Check == "" {
		return true
	}
	r, ok := e.checks().Outright(s, j.Direction)
	return ok && (r.Check == j.Check || e.within(r.Check, j.Check))
}

// repeatedHint is the sentence that a person or a model gave as a hint for most
// cases of a bucket, in at least two tests, and who gave it.
func repeatedHint(b *bucket) (hint, from string) {
	in, by := map[string]map[string]bool{}, map[string]string{}
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
