package gate

import (
	"regexp"
	"strings"
	"sync"

	"github.com/memtree/memtree/tree"
)

// RefusesTaught returns every reason why d, a lesson that somebody taught without a case, is not valid; none if it is
// valid. It applies only the gates limits, breadth, forcing and safety. lang, zh or en, is the language of the reasons.
// Call d.Clean first.
func (j *Gates) RefusesTaught(d *Draft, lang string) []string {
	about := &Subject{Type: tree.Experience, Lang: lang, Person: true, Strict: true}
	return j.ask(j.view(about, d), []string{"limits", "breadth", "forcing", "safety"})
}

// Two lessons are paraphrases from alike on: the number of common tokens divided by that of all their tokens. They are
// about one matter when they share at least contradicted of the shorter one's tokens, and it has leastMatter. They
// contradict each other when one negates leastClash of the tokens that the other affirms, or half of those in common.
const (
	alike       = 0.8
	leastMatter = 2 // tokens
	leastClash  = 2 // tokens
)

// Alike reports whether the lessons of a and b have the same content: mostly the same tokens, none of which is affirmed
// in one and negated in the other. It ignores connectives and conditions.
func Alike(a, b *tree.Content) bool {
	x, y := mattersOf(advice(nil, a.Lessons)), mattersOf(advice(nil, b.Lessons))
	both := x.shared(y)
	return both > 0 && float64(both) >= alike*float64(len(x)+len(y)-both) && x.clash(y) == 0
}

// Against reports whether a and b contradict each other: their lessons share tokens, and either negate these
// differently or have opposite directions, but not both. It compares tokens, not meaning, so use it only to show a
// person a possible conflict.
func Against(a, b *tree.Node) bool {
	x, y := mattersOf(advice(nil, a.Content.Lessons)), mattersOf(advice(nil, b.Content.Lessons))
	if len(y) < len(x) {
		a, b, x, y = b, a, y, x
	}
	about := mattersOf(advice(b.Content.AppliesWhen, b.Content.Lessons))
	if len(x) < leastMatter || float64(x.shared(about)) < contradicted*float64(len(x)) {
		return false
	}
	opposite := a.Direction != b.Direction && a.Direction == b.Direction.Opposite()
	n := x.clash(y)
	return opposite != (n >= leastClash || n > 0 && 2*n >= x.shared(y))
}

// matters are the tokens of a lesson without connectives and negations, and whether each is only affirmed (1), only
// negated (-1), or both (0).
type matters map[string]int

// mattersOf reads a text clause by clause: a negation reaches from its place to the end of its clause.
func mattersOf(s string) matters {
	out := matters{}
	for _, clause := range clauses().Split(strings.ToLower(s), -1) {
		at := negation().FindStringIndex(clause)
		if at == nil {
			at = []int{len(clause), len(clause)}
		}
		out.add(clause[:at[0]], 1)
		out.add(clause[at[1]:], -1)
	}
	for _, w := range []string{"next", "besid", "near", "everi", "it", "not", "never", "no", "cannot", "nor", "without"} {
		delete(out, w)
	}
	return out
}

var (
	clauses = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`[,;.!?\n，。；！？、]+`)
	})
	negation = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`\b(?:not|no|never|without|cannot|nor)\b|n['’]t\b|[不没无别勿未]`)
	})
)

func (m matters) add(s string, sign int) {
	for w := range bagOf(s) {
		if was, ok := m[w]; ok && was != sign {
			m[w] = 0
			continue
		}
		m[w] = sign
	}
}

func (m matters) shared(o matters) (n int) {
	for w := range m {
		if _, ok := o[w]; ok {
			n++
		}
	}
	return n
}

// clash counts the tokens that one affirms and the other negates.
func (m matters) clash(o matters) (n int) {
	for w, sign := range m {
		if sign*o[w] < 0 {
			n++
		}
	}
	return n
}
