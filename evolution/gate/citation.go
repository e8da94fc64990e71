package gate

import (
	"slices"

	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/text"
	"github.com/memtree/memtree/tree"
)

// A lesson cites wrongly when it shares less than farthest of its words with the cases
// it cites, and by nearer more with the others.
const (
	nearer   = 0.15
	farthest = 0.15
)

// citations refuses a lesson that is about other cases of the group than it cites.
func citations(j *Gates, v *view) string {
	reason := taxonomy.Text{EN: "lesson %d cites cases that it is not about; cite those it rests on",
		ZH: "第 %d 条引用的案例与它无关；请引用它所依据的案例"}
	for i, l := range v.draft.Lessons {
		cited := v.cited(&l)
		var rest []*evidence
		for _, e := range v.cases {
			if !slices.Contains(cited, e) {
				rest = append(rest, e)
			}
		}
		if best, score, _ := j.kindOf(v, &l); best != nil && score >= ofKind && v.about.Type != tree.Strategy {
			count, typed := v.missed(cited)
			others, _ := v.missed(rest)
			if typed > 0 && !j.related(best.ID, count) && others[best.ID] > 0 {
				return v.because(reason, i+1)
			}
		}
		near, known := v.likeness(&l, cited)
		far, others := v.likeness(&l, rest)
		if known && others && near < farthest && far-near > nearer {
			return v.because(reason, i+1)
		}
	}
	return ""
}

// likeness returns the share of a lesson's telling words that a case has, as a mean
// over the cases in the lesson's language. It returns false if there are none.
func (v *view) likeness(l *tree.Lesson, cases []*evidence) (float64, bool) {
	words := telling(l.Check + "\n" + l.Mistake + "\n" + l.Instead)
	sum, n := 0.0, 0
	for _, e := range cases {
		if text.Lang(e.prompt) == v.about.Lang && len(words) > 0 {
			sum += float64(words.shared(e.about)) / float64(len(words))
			n++
		}
	}
	return sum / float64(max(1, n)), n > 0
}
