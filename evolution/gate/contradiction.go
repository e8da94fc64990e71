package gate

import (
	"slices"
	"strings"

	"github.com/memtree/memtree/internal/text"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// A draft and a memory of the other direction contradict each other when they share at least this part of the shorter
// one's tokens, and it has enough of them.
const (
	contradicted      = 0.60
	leastContradicted = 6 // tokens
)

// contradiction refuses a draft with the same content as a live memory of the other direction. A person has to decide
// between them.
func contradiction(j *Gates, v *view) string {
	said := slices.DeleteFunc(slices.Clone(v.draft.Lessons), func(l tree.Lesson) bool { return j.catalogued(v, &l) })
	if len(said) == 0 {
		return "" // the catalogue has advice for both directions
	}
	own := bagOf(advice(v.draft.AppliesWhen, said))
	for _, o := range v.about.Opposite {
		their := bagOf(advice(o.Content.AppliesWhen, o.Content.Lessons))
		n := min(len(own), len(their))
		if n >= leastContradicted && float64(own.shared(their)) >= contradicted*float64(n) && v.about.Type == o.Type {
			return v.because(taxonomy.Text{EN: "it speaks of the same as %s, which warns of the other direction (%q); " +
				"held for review", ZH: "与 %s 说的是同一件事，而后者提醒的方向相反（%q）；留待人工审核"}, o.ID,
				text.Clip(o.Content.Title, 60))
		}
	}
	return ""
}

func advice(when []string, lessons []tree.Lesson) string {
	all := append([]string{}, when...)
	for _, l := range lessons {
		all = append(append(all, l.Check, l.Instead), l.What...)
	}
	return strings.Join(all, "\n")
}

// bag is a set of tokens: stems of English words, pairs of Chinese characters.
type bag map[string]bool

func bagOf(s string) bag {
	out := bag{}
	for _, w := range text.Terms(s) {
		out[w] = true
	}
	return out
}

func (b bag) shared(o bag) int {
	n := 0
	for w := range b {
		if o[w] {
			n++
		}
	}
	return n
}
