package gate

import (
	"slices"
	"strings"

	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// When a lesson is taken to be of a kind, and when that kind speaks against its
// cases. Found on labelled drafts; a lesson scores 8 to 30 for its own kind and
// below 6 for others.
const (
	ofKind       = 6.0  // a lesson is of a kind
	otherKind    = 8.0  // it is of a kind that none of its cases missed
	clearKind    = 9.0  // the same where the kind of most cases is unknown
	hint         = 1.6  // more than half a phrase in the notes
	aPhrase      = 3.0  // a phrase that says a kind by itself
	quiet        = 0.25 // of what the notes say most of
	halfAsMuch   = 0.40 // while it is less than this share of any kind they did
	typedCases   = 0.50 // of the cases, of which the kind is known
	inTheirWords = 0.50 // of a lesson's telling words in what is said of the cases: then half of that half tells
)

// cause: what is to be done is what was left undone in the cases. Where the kind
// of most cases is unknown, only a lesson that is clearly of a kind nothing in
// their notes speaks of is refused.
func cause(j *Judge, v *view) string {
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
			return v.because(taxonomy.Text{EN: "lesson %d is about “%s”, which is not what went wrong in the cases", ZH: "第 %d 条讲的是“%s”，而案例的原因不是这个"}, i+1, best.Name.In(v.about.Lang))
		}
	}
	return ""
}

// apart reports whether a lesson is much less of any kind that its cases missed
// than of its own.
func (j *Judge) apart(v *view, l *tree.Lesson, score float64, scores []float64, missed map[string]int) bool {
	own := 0.0
	for k, c := range j.kinds.checks {
		if missed[c.ID] > 0 {
			own = max(own, scores[k])
		}
	}
	return own < halfAsMuch*score && (own < halfAsMuch*halfAsMuch*score || v.inWords(l) < inTheirWords)
}

// unspoken reports whether the notes of the cases speak of another kind than a
// lesson does, or not at all of the kind that it clearly is of.
func (j *Judge) unspoken(v *view, id string, score float64, scores []float64) bool {
	said := make([]float64, len(j.kinds.checks))
	for _, e := range v.cases {
		for i, s := range j.kinds.scores(e.said, e.node.Lang, v.about.Direction) {
			said[i] += s
		}
	}
	most, own := 0, 0
	for i := range said {
		if said[i] > said[most] {
			most = i
		}
		if j.kinds.checks[i].ID == id {
			own = i
		}
	}
	if said[own] < hint {
		return score >= clearKind || said[most] >= ofKind && scores[most] < halfAsMuch*score
	}
	return said[most] >= 2*ofKind && said[own] < quiet*said[most] && scores[most] < halfAsMuch*score
}

// missed counts the checks that cases missed, and the cases of which any is known.
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

// kindOf returns the check that a lesson is about, nil where nothing is known of
// any, and how near it is to each.
func (j *Judge) kindOf(v *view, l *tree.Lesson) (*taxonomy.Check, float64, []float64) {
	scores := j.kinds.scores(strings.Join([]string{v.draft.Title, l.Check, l.Mistake, l.Instead}, "\n"), v.about.Lang, v.about.Direction)
	best := -1
	for i, s := range scores {
		if s > 0 && (best < 0 || s > scores[best]) {
			best = i
		}
	}
	if best < 0 {
		return nil, 0, scores
	}
	return &j.kinds.checks[best], scores[best], scores
}

// related reports whether a check, one it is a kind of, or one that is a kind of
// it was missed.
func (j *Judge) related(id string, missed map[string]int) bool {
	for other, n := range missed {
		if n > 0 && (other == id || j.within(other, id) || j.within(id, other)) {
			return true
		}
	}
	return false
}

func (j *Judge) within(narrow, wide string) bool {
	for range len(j.kinds.checks) {
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

// inWords is the share of a lesson's telling words that stand in what is said of
// its cases.
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
