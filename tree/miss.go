package tree

import "slices"

// Miss is one thing that should have been checked and was not, or was checked
// wrongly. A wrong judgement has one or more. It holds facts; enhance.Wording makes
// the sentences for people and agents of them.
type Miss struct {
	Check     string   `json:"check,omitempty"`   // id of a check of the taxonomy or of the tree's own; "" where none fits
	ErrorType string   `json:"errorType"`         // how it was misjudged
	What      []string `json:"what,omitempty"`    // the things it was about, in the words of the task; at most MaxThings
	How       string   `json:"how,omitempty"`     // the mistake: whole sentences in people's own words
	Cause     string   `json:"cause,omitempty"`   // the root cause in general words, from a model, where no check fitted
	Instead   string   `json:"instead,omitempty"` // what to do, as a model said it
	Claimed   string   `json:"claimed,omitempty"` // what the agent held to be so; evidence, never shown to an agent
	Truth     string   `json:"truth,omitempty"`   // what was so; likewise
	From      string   `json:"from"`              // whose words: person, model or rules
	Sure      float64  `json:"sure"`              // how sure the check is, 0 to 1
	At        []string `json:"at,omitempty"`      // the fields of the evaluation it was read from, such as reason

	// Expect is what should be true of the page, as far as the form of the words was plain. At most
	// MaxExpectations. Empty in a case that was stored before there were any.
	Expect []Expectation `json:"expect,omitempty"`
}

// Whose words something is in.
const (
	FromPerson    = "person"
	FromModel     = "model"
	FromRules     = "rules"
	FromCatalogue = "catalogue" // of a lesson: the taxonomy's sentence about its kind
)

// Limits on misses.
const (
	MaxMisses = 32 // of one case: a count
	MaxThings = 4  // of one miss or lesson: a count
)

// Says returns the lessons of a memory: those stored in an experience or strategy,
// and for a case one for each check it missed. Misses of one check are merged into
// one lesson; a miss with no check and no words gives none.
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

// Has reports whether n is a case with a miss of the check.
func (n *Node) Has(check string) bool {
	return n.CaseData != nil && slices.ContainsFunc(n.CaseData.Misses, func(m Miss) bool { return m.Check == check })
}

// About is which checks a person said a case is about, and which not.
type About struct {
	Not []string `json:"not,omitempty"` // ids of checks, sorted
	Is  []string `json:"is,omitempty"`  // likewise
}

// Deny notes that the case is not about a check.
func (a *About) Deny(check string) { a.Not, a.Is = with(a.Not, check), without(a.Is, check) }

// Affirm notes that the case is about a check.
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

// Denies reports whether a person said that the case is not about the check of any of the lessons.
func (d *CaseData) Denies(lessons []Lesson) bool {
	if d == nil || d.About == nil {
		return false
	}
	return slices.ContainsFunc(lessons, func(l Lesson) bool { return slices.Contains(d.About.Not, l.Kind) })
}
