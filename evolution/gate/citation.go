package gate

import (
	"slices"
	"strings"

	"github.com/memtree/memtree/internal/cue"
	"github.com/memtree/memtree/internal/text"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// citations refuses a lesson about a check that none of the cases it cites missed. It applies only when the checks of
// at least half of these cases are known.
func citations(j *Gates, v *view) string {
	if v.about.Type == tree.Strategy {
		return ""
	}
	for i, l := range v.draft.Lessons {
		missed, known := v.missed(&l)
		if 2*known < len(v.cited(&l)) || known == 0 || j.catalogued(v, &l) {
			continue
		}
		said := strings.Join([]string{v.draft.Title, l.Check, l.Mistake, l.Instead}, ". ")
		r, ok := j.catalogue().Missed(cue.MissTexts{Said: []string{said}, Direction: v.about.Direction})
		if !ok || r.Sure < j.cuts.sure || j.related(r.Check, missed) {
			continue
		}
		c, _ := j.tax.Check(r.Check)
		return v.because(taxonomy.Text{
			EN: "lesson %d, %q, is about “%s”, which none of the cases it cites missed",
			ZH: "第 %d 条（%q）讲的是“%s”，而它引用的案例都没有漏掉这一点",
		}, i+1, text.Clip(l.Check, 60), c.Name.In(v.about.Lang))
	}
	return ""
}

// missed returns the checks that the cases of a lesson missed, and how many cases have a known one.
func (v *view) missed(l *tree.Lesson) (checks []string, known int) {
	if v.about.Check != "" { // the group is defined by it
		checks = append(checks, v.about.Check)
	}
	for _, e := range v.cited(l) {
		named := slices.DeleteFunc(slices.Clone(e.node.CaseData.Misses), func(m tree.Miss) bool { return m.Check == "" })
		for _, m := range named {
			checks = append(checks, m.Check)
		}
		if len(named) > 0 || v.about.Check != "" {
			known++
		}
	}
	return checks, known
}

// related reports whether a check is one of others, or a wider or narrower one.
func (j *Gates) related(id string, others []string) bool {
	for _, o := range others {
		if o == id || j.isKindOf(o, id) || j.isKindOf(id, o) {
			return true
		}
	}
	return false
}

// isKindOf reports whether the check wide is an ancestor of the check narrow.
func (j *Gates) isKindOf(narrow, wide string) bool {
	for range len(j.tax.Checks()) {
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

// catalogued reports whether a lesson's advice is that of the catalogue, about a check that a case it cites has
// missed. People have reviewed such a sentence.
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
