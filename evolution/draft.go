package evolution

import (
	"cmp"
	"slices"
	"time"

	"github.com/memtree/memtree/text"
	"github.com/memtree/memtree/tree"
)

// job is one thing to be written: an experience from cases, or a strategy from
// the cases of its experiences.
type job struct {
	kind      tree.Type
	partition Partition
	lang      string
	members   []*tree.Node // the cases, sorted by id
	shown     []*tree.Node // up to maxShown of them: the most central, then the farthest
	rest      []*tree.Node // other cases of the error type
	read      reader       // of their words
	parts     []*tree.Node // of a strategy: its experiences, sorted by id
	present   *tree.Node   // what it replaces, nil for none
	opposite  []*tree.Node // live abstractions of the other direction of the type
	cohesion  float64      // of the members
	now       time.Time    // of the newest evaluation
}

// maxShown is how many raw cases a model sees.
const maxShown = 12

// rulesVersion changes whenever the rules word the same cases otherwise.
const rulesVersion = "rules@7"

// key names the job: the same evidence, asked in the same way, is the same job.
func (j *job) key(writer, model string) string {
	parts := []string{string(j.kind), writer, model, j.lang, j.partition.ErrorType, string(j.partition.Direction)}
	for _, n := range j.members {
		parts = append(parts, n.ID, n.CaseData.ActualError, n.CaseData.ErrorReason, n.CaseData.AvoidanceHint)
	}
	for _, n := range j.parts {
		parts = append(parts, n.ID)
	}
	return "j_" + tree.Hash(parts...)
}

// tests returns how many distinct tests cases come from.
func tests(cases []*tree.Node) int {
	seen := map[string]bool{}
	for _, n := range cases {
		seen[testOf(n)] = true
	}
	return len(seen)
}

// draft is what was written, before the gates.
type draft struct {
	Title       string        `json:"title"`
	Description string        `json:"description"`
	AppliesWhen []string      `json:"appliesWhen,omitempty"`
	NotWhen     []string      `json:"notWhen,omitempty"`
	Lessons     []tree.Lesson `json:"lessons"`
}

// texts are all words of a draft that anybody will read.
func (d *draft) texts() []string {
	all := append([]string{d.Title, d.Description}, d.AppliesWhen...)
	all = append(all, d.NotWhen...)
	for _, l := range d.Lessons {
		all = append(all, l.Check, l.Mistake, l.Instead)
	}
	return slices.DeleteFunc(all, func(s string) bool { return s == "" })
}

// Lengths of what is written, in characters.
const (
	maxTitle     = 100
	maxSummary   = 300
	maxCheck     = 320
	maxMistake   = 140
	maxCondition = 120
)

// finish makes a draft fit to be stored: one clean line each, cut at a sentence's
// end, ids of lessons, citations sorted.
func (d *draft) finish() {
	one := func(s string, limit int) string {
		return text.Clip(text.Line(s), limit)
	}
	d.Title, d.Description = one(d.Title, maxTitle), one(d.Description, maxSummary)
	list := func(in []string) []string {
		var out []string
		for _, s := range in {
			if s = one(s, maxCondition); s != "" && !slices.Contains(out, s) && len(out) < tree.MaxConditions {
				out = append(out, s)
			}
		}
		return out
	}
	d.AppliesWhen, d.NotWhen = list(d.AppliesWhen), list(d.NotWhen)
	for i := range d.Lessons {
		l := &d.Lessons[i]
		l.Check, l.Mistake, l.Instead = one(l.Check, maxCheck), one(l.Mistake, maxMistake), one(l.Instead, maxCheck)
		l.ID = tree.LessonID(*l)
		l.Cites = slices.Compact(slices.Sorted(slices.Values(l.Cites)))
	}
}

// content is the draft as a node holds it.
func (d *draft) content(confidence float64) tree.Content {
	guidance := ""
	for _, l := range d.Lessons {
		guidance = text.Append(text.Append(guidance, l.Check), l.Instead)
	}
	return tree.Content{
		Title: d.Title, Description: cmp.Or(d.Description, d.Title), Guidance: text.Clip(guidance, 1000), Confidence: confidence,
		AppliesWhen: d.AppliesWhen, NotWhen: d.NotWhen, Lessons: d.Lessons,
	}
}

// langOf is the language of most cases, that of the first for a tie.
func langOf(cases []*tree.Node) string {
	zh := 0
	for _, n := range cases {
		if n.Lang == "zh" {
			zh++
		}
	}
	if 2*zh > len(cases) || 2*zh == len(cases) && cases[0].Lang == "zh" {
		return "zh"
	}
	return "en"
}
