package gate

import (
	"strings"

	"github.com/memtree/memtree/internal/text"
	"github.com/memtree/memtree/tree"
)

// RefusesTaught returns every reason why what somebody teaches without any case does not hold; none if
// it does. It asks the gates that need no case. lang is that of the reasons.
func (j *Gates) RefusesTaught(d *Draft, lang string) []string {
	about := &About{Type: tree.Experience, Lang: lang, Person: true, Strict: true}
	return j.ask(j.view(about, d), []string{"limits", "breadth", "forcing", "safety"})
}

// Two lessons say the same from alike on: the share of the words of both that both have. They are of
// one matter when they share at least contradicted of the shorter one's words, and it has leastMatter.
const (
	alike       = 0.8
	leastMatter = 3 // words
)

// Alike reports whether two lessons say the same, for the same kind of test.
func Alike(a, b *tree.Content) bool {
	x, y := bagOf(advice(a.AppliesWhen, a.Lessons)), bagOf(advice(b.AppliesWhen, b.Lessons))
	both := x.shared(y)
	return both > 0 && float64(both) >= alike*float64(len(x)+len(y)-both)
}

// Against reports whether two lessons say the opposite of one matter: they have its words in common, and
// one of them denies them, or warns of the other direction. It knows words, not meaning: it is for naming a
// conflict to a person, and refuses nothing.
func Against(a, b *tree.Node) bool {
	s, t := advice(nil, a.Content.Lessons), advice(nil, b.Content.Lessons)
	x, y := bagOf(s), bagOf(t)
	n := min(len(x), len(y))
	if n < leastMatter || float64(x.shared(y)) < contradicted*float64(n) {
		return false
	}
	opposite := a.Direction != b.Direction && a.Direction == b.Direction.Opposite()
	return opposite != (denials(s)%2 != denials(t)%2)
}

// denials counts the words of a text that deny.
func denials(s string) (n int) {
	for _, w := range text.Words(strings.ToLower(s)) {
		switch w {
		case "not", "no", "never", "without", "cannot", "nor":
			n++
		default:
			if strings.HasSuffix(w, "n't") || strings.HasSuffix(w, "n’t") {
				n++
			}
		}
	}
	for _, r := range s {
		if strings.ContainsRune("不没无别勿未", r) {
			n++
		}
	}
	return n
}
