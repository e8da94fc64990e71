package gate

import (
	"strings"

	"github.com/memtree/memtree/internal/text"
	"github.com/memtree/memtree/tree"
)

// RefusesTaught returns every reason why a lesson taught without a case is not valid; none if it is. It applies the
// gates that need no case. lang is that of the reasons.
func (j *Gates) RefusesTaught(d *Draft, lang string) []string {
	about := &About{Type: tree.Experience, Lang: lang, Person: true, Strict: true}
	return j.ask(j.view(about, d), []string{"limits", "breadth", "forcing", "safety"})
}

// Two lessons are paraphrases from alike on: the number of common tokens divided by that of all their tokens. They are
// about one matter when they share at least contradicted of the shorter one's tokens, and it has leastMatter.
const (
	alike       = 0.8
	leastMatter = 3 // tokens
)

// Alike reports whether two lessons have the same content, ignoring their conditions: a paraphrase has the same tokens
// except connectives.
func Alike(a, b *tree.Content) bool {
	s, t := advice(nil, a.Lessons), advice(nil, b.Lessons)
	x, y := matterOf(s), matterOf(t)
	both := x.shared(y)
	return both > 0 && float64(both) >= alike*float64(len(x)+len(y)-both) && denials(s)%2 == denials(t)%2
}

// matterOf returns the tokens of a lesson's subject, without connectives and negations.
func matterOf(s string) bag {
	b := bagOf(s)
	for _, w := range []string{"next", "besid", "near", "everi", "it", "not", "never", "no", "cannot", "nor", "without"} {
		delete(b, w)
	}
	return b
}

// Against reports whether two lessons contradict each other on one matter: they share its tokens, and exactly one of
// them negates them or warns of the other direction. It compares tokens, not meaning: it serves to show a conflict to
// a person, and refuses nothing.
func Against(a, b *tree.Node) bool {
	s, t := advice(nil, a.Content.Lessons), advice(nil, b.Content.Lessons)
	x, y := matterOf(s), matterOf(t)
	n := min(len(x), len(y))
	if n < leastMatter || float64(x.shared(y)) < contradicted*float64(n) {
		return false
	}
	opposite := a.Direction != b.Direction && a.Direction == b.Direction.Opposite()
	return opposite != (denials(s)%2 != denials(t)%2)
}

// denials returns the number of negations in a text.
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
