package enhance

import (
	"cmp"

	"github.com/memtree/memtree/fact"
)

// ToldFact is an ObservedFact as programs print it: what the page, as it is now, shows about an earlier mistake.
type ToldFact struct {
	Memory    string               `json:"memory"`          // id of the case that the fact comes from
	ErrorType string               `json:"-"`               // error type of the case
	Check     string               `json:"check,omitempty"` // check that the case missed
	Kind      fact.ExpectationKind `json:"kind"`
	Thing     string               `json:"thing,omitempty"` // what the fact is about: a name on the page, a label
	State     string               `json:"state"`           // holds, broken or unknown
	// line of the observation that decides the fact, from 1; 0 if no line does
	Line int    `json:"line,omitempty"`
	Seen string `json:"seen,omitempty"` // text of that line
	Text string `json:"text"`           // what is true of the page, or why that is unknown
	// the page meets the expectation, and guidance omits the fact because of an undecided or broken one
	Silent bool `json:"silent,omitempty"`
}

// Told returns facts as programs print them, without those that have Aside set.
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
