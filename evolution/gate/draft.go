package gate

import (
	"slices"

	"github.com/memtree/memtree/internal/text"
	"github.com/memtree/memtree/tree"
)

// Draft is the proposed text of an experience or strategy about a group of cases.
type Draft struct {
	Title       string        `json:"title"`                 // a few words
	Description string        `json:"description"`           // what went wrong, for people
	AppliesWhen []string      `json:"appliesWhen,omitempty"` // conditions, one sentence each
	NotWhen     []string      `json:"notWhen,omitempty"`     // conditions under which it does not apply
	Lessons     []tree.Lesson `json:"lessons"`               // 1 to tree.MaxLessons
	// Other is the title, conditions and first lesson in the other language, Chinese or English; nil for none.
	Other *tree.Translation `json:"other,omitempty"`
}

// The maximum lengths of the texts of a draft, in characters.
const (
	maxTitle     = 100
	maxSummary   = 300
	maxCheck     = 320
	maxMistake   = 140
	maxCondition = 160
)

// Clean changes d so that it can be checked and stored. Each text becomes one clean line, cut to its maximum length.
// Conditions and citations lose repeats, conditions also those beyond tree.MaxConditions, and lessons get their ids.
func (d *Draft) Clean() {
	d.Title, d.Description = oneLine(d.Title, maxTitle), oneLine(d.Description, maxSummary)
	d.AppliesWhen, d.NotWhen = conditions(d.AppliesWhen), conditions(d.NotWhen)
	for i := range d.Lessons {
		l := &d.Lessons[i]
		l.Check, l.Mistake = oneLine(l.Check, maxCheck), oneLine(l.Mistake, maxMistake)
		l.Instead = oneLine(l.Instead, maxCheck)
		l.ID = tree.LessonID(*l)
		l.Cites = slices.Compact(slices.Sorted(slices.Values(l.Cites)))
	}
	if o := d.Other; o != nil && len(d.Lessons) > 0 {
		o.Lesson, o.Title, o.AppliesWhen = d.Lessons[0].ID, oneLine(o.Title, maxTitle), conditions(o.AppliesWhen)
		o.Check, o.Mistake = oneLine(o.Check, maxCheck), oneLine(o.Mistake, maxMistake)
	}
}

func oneLine(s string, limit int) string { return text.Clip(text.Line(s), limit) }

func conditions(in []string) []string {
	var out []string
	for _, s := range in {
		if s = oneLine(s, maxCondition); s != "" && !slices.Contains(out, s) && len(out) < tree.MaxConditions {
			out = append(out, s)
		}
	}
	return out
}

// Texts returns every text of d that people or agents may read, without empty ones. It omits the translation, d.Other.
func (d *Draft) Texts() []string {
	all := append([]string{d.Title, d.Description}, d.AppliesWhen...)
	all = append(all, d.NotWhen...)
	for _, l := range d.Lessons {
		all = append(all, l.Check, l.Mistake, l.Instead)
		all = append(all, l.What...)
	}
	return slices.DeleteFunc(all, func(s string) bool { return s == "" })
}
