// Package effect says whether memory helps, and which memory does.
//
// A run is drawn into an arm before it begins (draw.go): with its memories, with
// as many other ones, or with none. When its outcome is known it is a [Run], see
// [Joiner], and everything else here is a pure function of runs:
//
//   - [Breaker] bets on harm and on help, run by run, and opens when harm is
//     proven (breaker.go, bet.go);
//   - [Book.Fit] shares the outcomes out to the memories that were given and to the
//     lineage above them (credit.go, ridge.go), [Next] says what follows for
//     each (life.go), and [Revise] writes both into the memory (revise.go);
//   - explain says what a run showed of what it was given (explain.go);
//   - [Corrections] says what came of verdicts that were corrected, and when that has
//     to stop (corrections.go);
//   - [Ablate] finds the memory that made a test fail, and [Blame] is the evidence
//     against it (ablate.go, ablation.go);
//   - [NewReport] and [Compare] say how far one arm is above another, test by test
//     (report.go, lift.go, arms.go).
//
// Nothing here reads a clock, a file or a map in its own order: the same runs give
// the same bytes.
package effect

import (
	"cmp"
	"slices"
	"time"

	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// Arm says what a run was given.
type Arm string

// The arms of a run.
const (
	Memory Arm = "memory" // the memories retrieved for it
	Other  Arm = "other"  // as many, drawn at random: the control for what any text does
	None   Arm = "none"   // nothing
)

// Chances are the probabilities with which a run was drawn into the arms. What is
// left to 1 is that of None.
type Chances struct {
	Memory float64 `json:"memory"`
	Other  float64 `json:"other,omitempty"`
}

// None is the probability of no memory.
func (c Chances) None() float64 { return max(0, 1-c.Memory-c.Other) }

// share is the probability of Memory where it is either that or None, and whether
// chance decided between the two at all.
func (c Chances) share() (rho float64, drawn bool) {
	none := c.None()
	if !(c.Memory > 0) || !(none > 1e-9) {
		return 0, false
	}
	return c.Memory / (c.Memory + none), true
}

// Run is one run whose outcome is known. Of a trial only the first attempt counts;
// everything here passes over later ones, which are made because of an outcome.
type Run struct {
	ID       string      // of the trial
	Seq      uint64      // of the trial in the ledger: clocks go back, this does not
	Ended    uint64      // of its outcome
	At       time.Time   // when it was drawn
	Test     string      // the test case: runs of one are equally hard
	Scene    tree.Scene  //
	Found    string      // who found what was found for it: read, words or test; "" where that was not kept
	Arm      Arm         //
	Chances  Chances     // with which Arm was drawn
	Eligible []Candidate // what memory would have given, in every arm
	Injected []Candidate // what was given
	Attempt  int         // from 1; 0 means not said
	Correct  bool
	Wrong    Mistake // of a run that is not correct
}

// Mistake is what went wrong in a run.
type Mistake struct {
	ErrorType string
	Direction taxonomy.Direction
}

// Candidate is a memory as it stood when a run was drawn.
type Candidate struct {
	ID        string
	Rank      int // from 1
	Type      tree.Type
	ErrorType string
	Direction taxonomy.Direction

	// Lineage are the memories above it, the nearest first, and Origin the tree
	// it was made in.
	Lineage []Ancestor
	Origin  string

	// Prior is the effect expected of it before any run, see [Prior]. 0 means
	// that nothing is known, and counts as expected.
	Prior float64
}

// Ancestor is a memory above another.
type Ancestor struct {
	ID   string
	Type tree.Type
}

// first reports whether the run counts: repetitions after a failure are chosen
// by their outcome.
func (r *Run) first() bool { return r.Attempt <= 1 }

// types returns the error types memory spoke to, sorted. They are those of what
// was eligible, which is the same in every arm.
func (r *Run) types() []string {
	var out []string
	for i := range r.Eligible {
		if t := r.Eligible[i].ErrorType; t != "" && !slices.Contains(out, t) {
			out = append(out, t)
		}
	}
	slices.Sort(out)
	return out
}

// sorted returns the runs that count, by time and id, so that it makes no
// difference in which order they came.
func sorted(runs []Run) []*Run {
	out := make([]*Run, 0, len(runs))
	for i := range runs {
		if runs[i].first() {
			out = append(out, &runs[i])
		}
	}
	slices.SortStableFunc(out, func(a, b *Run) int {
		return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.ID, b.ID))
	})
	return out
}
