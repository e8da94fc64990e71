package gate

import (
	"slices"

	"github.com/memtree/memtree/text"
	"github.com/memtree/memtree/tree"
)

// Draft is what somebody proposes to say about a group of cases.
type Draft struct {
	Title       string        `json:"title"`
	Description string        `json:"description"`
	AppliesWhen []string      `json:"appliesWhen,omitempty"`
	NotWhen     []string      `json:"notWhen,omitempty"`
	Lessons     []tree.Lesson `json:"lessons"`
}

// Lengths of what is written, in characters.
const (
	maxTitle     = 100
	maxSummary   = 300
	maxCheck     = 320
	maxMistake   = 140
	maxCondition = 120
)

// Clean makes a draft fit to be judged and stored: one clean line each, cut at a
// sentence's end, conditions and citations without repeats, lessons with ids.
func (d *Draft) Clean() {
	d.Title, d.Description = one(d.Title, maxTitle), one(d.Description, maxSummary)
	d.AppliesWhen, d.NotWhen = conditions(d.AppliesWhen), conditions(d.NotWhen)
	for i := range d.Lessons {
		l := &d.Lessons[i]
		l.Check, l.Mistake, l.Instead = one(l.Check, maxCheck), one(l.Mistake, maxMistake), one(l.Instead, maxCheck)
		l.ID = tree.LessonID(*l)
		l.Cites = slices.Compact(slices.Sorted(slices.Values(l.Cites)))
	}
}

func one(s string, limit int) string { return text.Clip(text.Line(s), limit) }

func conditions(in []string) []string {
	var out []string
	for _, s := range in {
		if s = one(s, maxCondition); s != "" && !slices.Contains(out, s) && len(out) < tree.MaxConditions {
			out = append(out, s)
		}
	}
	return out
}

// Texts returns all words of a draft that anybody will read, without empty ones.
func (d *Draft) Texts() []string {
	all := append([]string{d.Title, d.Description}, d.AppliesWhen...)
	all = append(all, d.NotWhen...)
	for _, l := range d.Lessons {
		all = append(all, l.Check, l.Mistake, l.Instead)
		all = append(all, l.What...)
	}
	return slices.DeleteFunc(all, func(s string) bool { return s == "" })
}
