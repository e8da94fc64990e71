package effect

import (
	"slices"
)

// Kind says what a run showed of a memory that was given to it.
type Kind string

// What a run can show.
const (
	repeated      Kind = "repeat"          // the very mistake it warns of: its wording did not help
	overCorrected Kind = "over-correction" // the opposite mistake: evidence of when it does not apply
	confirmed     Kind = "confirm"         // right, on a test that had gone that way wrong before
)

// Shown is what one run showed of one memory.
type Shown struct {
	Run    string `json:"run"`
	Test   string `json:"test"`
	Memory string `json:"memory"`
	Kind   Kind   `json:"kind"`
}

// explain says what runs showed of the memories given to them, by time and rank. Only
// first attempts are read, and of a mistake only its type and direction: whether the
// cause was the same, who reads the case may say.
func explain(runs []Run) []Shown {
	var out []Shown
	wrong := map[string][]Mistake{} // by test, so far
	for _, r := range sorted(runs) {
		for i := range r.Injected {
			c := &r.Injected[i]
			if k, ok := shown(r, c, wrong[r.Test]); ok {
				out = append(out, Shown{Run: r.ID, Test: r.Test, Memory: c.ID, Kind: k})
			}
		}
		if !r.Correct && !slices.Contains(wrong[r.Test], r.Wrong) {
			wrong[r.Test] = append(wrong[r.Test], r.Wrong)
		}
	}
	return out
}

func shown(r *Run, c *Candidate, before []Mistake) (Kind, bool) {
	warned := Mistake{c.ErrorType, c.Direction}
	switch {
	case r.Arm != Memory:
		return "", false
	case r.Correct:
		return confirmed, slices.Contains(before, warned)
	case r.Wrong == warned:
		return repeated, true
	}
	against := c.Direction.Opposite()
	return overCorrected, against != c.Direction && r.Wrong.Direction == against
}
