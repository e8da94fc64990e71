package tree

import "slices"

// Miss is one thing that the agent should have checked in a test and did not check, or checked wrongly. A wrong
// judgment has one or more misses. enhance.Wording turns the fields of a Miss into sentences for people and agents.
type Miss struct {
	Check     string   `json:"check,omitempty"`   // id of a check of the taxonomy or of the tree's own; "" if none fits
	ErrorType string   `json:"errorType"`         // the kind of misjudgment
	What      []string `json:"what,omitempty"`    // the things concerned, in the terms of the task; at most MaxThings
	How       string   `json:"how,omitempty"`     // the mistake, in whole sentences
	Cause     string   `json:"cause,omitempty"`   // the root cause in general terms, from a model, if no check fits
	Instead   string   `json:"instead,omitempty"` // what to do, as written by a model
	Claimed   string   `json:"claimed,omitempty"` // what the agent assumed, which was wrong
	Truth     string   `json:"truth,omitempty"`   // what was true
	From      string   `json:"from"`              // author: person, model or rules
	Sure      float64  `json:"sure"`              // confidence in Check, 0 to 1
	At        []string `json:"at,omitempty"`      // fields of the evaluation that the miss was read from, such as reason

	// Expect holds what the page should have shown, as far as the evaluation states it in a plain form; at most
	// MaxExpectations. It is empty in cases that were stored before Expect existed.
	Expect []Expectation `json:"expect,omitempty"`
}

// The authors of a text, as in Miss.From and Lesson.From.
const (
	FromPerson    = "person"
	FromModel     = "model"
	FromRules     = "rules"
	FromCatalogue = "catalogue" // of Lesson.From: the taxonomy's sentence for Lesson.Kind
)

// Limits of a Miss.
const (
	MaxMisses = 32 // misses of one case
	MaxThings = 4  // things that one miss or lesson names in What
)

// Says returns the lessons of n: Content.Lessons, or for a case with misses, one lesson for each missed check and one
// for each miss without a check. It skips a miss that has neither check nor text.
func (n *Node) Says() []Lesson {
	if n.CaseData == nil || len(n.CaseData.Misses) == 0 {
		return n.Content.Lessons
	}
	var out []Lesson
	for _, m := range n.CaseData.Misses {
		if m.Check == "" && m.How == "" && m.Instead == "" {
			continue
		}
		i := slices.IndexFunc(out, func(l Lesson) bool { return m.Check != "" && l.Kind == m.Check })
		if i < 0 {
			l := Lesson{Kind: m.Check, Check: m.Instead, Mistake: m.How, What: slices.Clone(m.What), From: m.From,
				Cites: []string{n.ID}}
			if m.Instead == "" {
				l.From = FromCatalogue
			}
			l.ID = LessonID(l)
			out = append(out, l)
			continue
		}
		for _, w := range m.What {
			if !slices.Contains(out[i].What, w) && len(out[i].What) < MaxThings {
				out[i].What = append(out[i].What, w)
			}
		}
		if out[i].Mistake == "" {
			out[i].Mistake = m.How
		}
	}
	return out
}

// Has reports whether n is a case with a miss of the check with this id.
func (n *Node) Has(check string) bool {
	return n.CaseData != nil && slices.ContainsFunc(n.CaseData.Misses, func(m Miss) bool { return m.Check == check })
}

// About holds a person's decisions on which checks a case concerns. They outweigh the analysis of the case.
type About struct {
	Not []string `json:"not,omitempty"` // ids of checks that the case does not concern, sorted
	Is  []string `json:"is,omitempty"`  // ids of checks that the case concerns, sorted
}

// Deny records that the case does not concern the check: it moves the check to a.Not.
func (a *About) Deny(check string) { a.Not, a.Is = with(a.Not, check), without(a.Is, check) }

// Affirm records that the case concerns the check: it moves the check to a.Is.
func (a *About) Affirm(check string) { a.Is, a.Not = with(a.Is, check), without(a.Not, check) }

func (a *About) clone() *About {
	if a == nil {
		return nil
	}
	return &About{slices.Clone(a.Not), slices.Clone(a.Is)}
}

func with(list []string, s string) []string {
	out := append(slices.Clone(list), s)
	slices.Sort(out)
	return slices.Compact(out)
}

func without(list []string, s string) []string {
	out := slices.DeleteFunc(slices.Clone(list), func(x string) bool { return x == s })
	if len(out) == 0 {
		return nil
	}
	return out
}

// Denies reports whether a person decided (d.About.Not) that the case does not concern the check of one or more of the
// lessons. d may be nil.
func (d *CaseData) Denies(lessons []Lesson) bool {
	if d == nil || d.About == nil {
		return false
	}
	return slices.ContainsFunc(lessons, func(l Lesson) bool { return slices.Contains(d.About.Not, l.Kind) })
}
