package gate

import (
	"slices"
	"strings"

	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// A kind here is a check of the catalogue. These scores and shares say when a lesson
// is of a kind, and when that kind is not the cause of its cases. They were found on
// labelled drafts: a lesson scores 8 to 30 for its own kind and below 6 for others.
const (
	ofKind       = 6.0  // the score from which on a lesson is of a kind
	otherKind    = 8.0  // the same when none of its cases missed the kind
	clearKind    = 9.0  // the same when the kinds of most cases are unknown
	hint         = 1.6  // the score of notes that mention a kind; more than half a phrase
	aPhrase      = 3.0  // the score of a phrase that names a kind by itself
	quiet        = 0.25 // share of the notes' best score, below which they hardly speak of a kind
	halfAsMuch   = 0.40 // share of the lesson's score, below which another kind is much less likely
	typedCases   = 0.50 // share of the cases that must have a known kind
	inTheirWords = 0.50 // share of a lesson's telling words that its cases must use
)

// cause refuses a lesson about a check that its cases did not miss. When the kinds of
// most cases are unknown, it refuses only a lesson that is clearly about a check of
// which the notes do not speak.
func cause(j *Gates, v *view) string {
	missed, typed := v.missed(v.cases)
	if v.about.Check != "" {
		missed[v.about.Check], typed = len(v.cases), len(v.cases)
	}
	if len(v.cases) == 0 || v.about.Type == tree.Strategy {
		return ""
	}
	known := float64(typed) >= typedCases*float64(len(v.cases))
	for i, l := range v.draft.Lessons {
		best, score, scores := j.kindOf(v, &l)
		if best == nil || score < otherKind || j.related(best.ID, missed) {
			continue
		}
		if known && j.apart(v, &l, score, scores, missed) || !known && j.unspoken(v, best.ID, score, scores) {
			return v.because(taxonomy.Text{
				EN: "lesson %d is about “%s”, which is not what went wrong in the cases",
				ZH: "第 %d 条讲的是“%s”，而案例的原因不是这个",
			}, i+1, best.Name.In(v.about.Lang))
		}
	}
	return ""
}

// apart reports whether a lesson, whose best kind has the given score, is much less of
// any kind that its cases missed.
func (j *Gates) apart(v *view, l *tree.Lesson, score float64, scores []float64, missed map[string]int) bool {
	own := 0.0
	for k, c := range j.kinds().checks {
		if missed[c.ID] > 0 {
			own = max(own, scores[k])
		}
	}
	return own < halfAsMuch*score && (own < halfAsMuch*halfAsMuch*score || v.inWords(l) < inTheirWords)
}

// unspoken reports whether the notes of the cases speak of another kind than the one a
// lesson is about (id), or do not mention that one although the lesson clearly is of it.
func (j *Gates) unspoken(v *view, id string, score float64, scores []float64) bool {
	said := make([]float64, len(j.kinds().checks))
	for _, e := range v.cases {
		for i, s := range j.kinds().scores(e.said, e.node.Lang, v.about.Direction) {
			said[i] += s
		}
	}
	most, own := 0, 0
	for i := range said {
		if said[i] > said[most] {
			most = i
		}
		if j.kinds().checks[i].ID == id {
			own = i
		}
	}
	if said[own] < hint {
		return score >= clearKind || said[most] >= ofKind && scores[most] < halfAsMuch*score
	}
	return said[most] >= 2*ofKind && said[own] < quiet*said[most] && scores[most] < halfAsMuch*score
}

// missed counts how many cases missed each check, and how many have a known check.
func (v *view) missed(cases []*evidence) (count map[string]int, typed int) {
	count = map[string]int{}
	for _, e := range cases {
		known := false
		for _, m := range e.node.CaseData.Misses {
			if m.Check != "" {
				count[m.Check]++
				known = true
			}
		}
		if known {
			typed++
		}
	}
	return count, typed
}

// kindOf returns the check that a lesson is about with its score, nil if it is about
// none, and the scores of all checks.
func (j *Gates) kindOf(v *view, l *tree.Lesson) (*taxonomy.Check, float64, []float64) {
	scores := j.kinds().scores(strings.Join([]string{v.draft.Title, l.Check, l.Mistake, l.Instead}, "\n"), v.about.Lang,
		v.about.Direction)
	best := -1
	for i, s := range scores {
		if s > 0 && (best < 0 || s > scores[best]) {
			best = i
		}
	}
	if best < 0 {
		return nil, 0, scores
	}
	return &j.kinds().checks[best], scores[best], scores
}

// related reports whether a check was missed, or a wider or narrower one.
func (j *Gates) related(id string, missed map[string]int) bool {
	for other, n := range missed {
		if n > 0 && (other == id || j.isKindOf(other, id) || j.isKindOf(id, other)) {
			return true
		}
	}
	return false
}

// isKindOf reports whether the check wide is an ancestor of the check narrow.
func (j *Gates) isKindOf(narrow, wide string) bool {
	for range len(j.kinds().checks) {
		c, known := j.tax.Check(narrow)
		if !known || c.Wider == "" {
			return false
		}
		if narrow = c.Wider; narrow == wide {
			return true
		}
	}
	return false
}

// inWords returns the share of a lesson's telling words that the notes of its cases
// have.
func (v *view) inWords(l *tree.Lesson) float64 {
	words := telling(l.Check + "\n" + l.Mistake)
	n := 0
	for w := range words {
		if slices.ContainsFunc(v.cases, func(e *evidence) bool { return e.notes[w] }) {
			n++
		}
	}
	return float64(n) / float64(max(1, len(words)))
}
