package enhance

import (
	"cmp"

	"github.com/memtree/memtree/fact"
)

// ToldFact is what an observation shows of an earlier miss or false claim.
type ToldFact struct {
	Memory    string               `json:"memory"` // id of the case it was read from
	ErrorType string               `json:"-"`      // of that case
	Check     string               `json:"check,omitempty"`
	Kind      fact.ExpectationKind `json:"kind"`
	Thing     string               `json:"thing,omitempty"`  // its subject: a name on the page, a label
	State     string               `json:"state"`            // holds, broken or unknown
	Line      int                  `json:"line,omitempty"`   // of the observation, from 1; 0 where an absence shows it
	Seen      string               `json:"seen,omitempty"`   // that line
	Text      string               `json:"text"`             // the fact, or why it is unknown
	Silent    bool                 `json:"silent,omitempty"` // not in the text, because another part of the page is open
}

// Told returns facts for output: with the clause of the text, or with the reason why they are unknown.
func Told(facts []ObservedFact) []ToldFact {
	var out []ToldFact
	for i := range facts {
		f := &facts[i]
		if f.Aside {
			continue
		}
		text := f.Clause
		if f.State == fact.Unknown && text == "" {
			text = f.Why
		}
		out = append(out, ToldFact{
			Memory: f.ID, ErrorType: f.Type, Check: f.Check, Kind: f.Kind, Thing: cmp.Or(f.Thing, f.Want, f.Got),
			State: f.State.String(), Line: f.Line, Seen: f.Seen, Text: text, Silent: f.Silent,
		})
	}
	return out
}
