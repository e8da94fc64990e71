package effect

import (
	"slices"
)

// evidenceKind classifies what a run showed about an injected memory.
type evidenceKind string

// The kinds.
const (
	repeated      evidenceKind = "repeat"          // the mistake it warns of: its wording did not help
	overCorrected evidenceKind = "over-correction" // the opposite mistake: evidence that it does not apply here
	confirmed     evidenceKind = "confirm"         // right, on a test with this mistake in an earlier run
)

// runEvidence is what one run showed about one memory.
type runEvidence struct {
	Run    string       `json:"run"`
	Test   string       `json:"test"`
	Memory string       `json:"memory"`
	Kind   evidenceKind `json:"kind"`
}

// explain classifies what runs showed about their memories, sorted by time and rank. It uses only first attempts, and
// of a mistake only type and direction: whether the cause was the same, a reader of the case has to decide.
func explain(runs []TrialRun) []runEvidence {
	var out []runEvidence
	wrong := map[string][]Mistake{} // by test, so far
	for _, r := range sorted(runs) {
		for i := range r.Injected {
			c := &r.Injected[i]
			if k, ok := shown(r, c, wrong[r.Test]); ok {
				out = append(out, runEvidence{Run: r.ID, Test: r.Test, Memory: c.ID, Kind: k})
			}
		}
		if !r.Correct && !slices.Contains(wrong[r.Test], r.Wrong) {
			wrong[r.Test] = append(wrong[r.Test], r.Wrong)
		}
	}
	return out
}

func shown(r *TrialRun, c *Candidate, before []Mistake) (evidenceKind, bool) {
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
