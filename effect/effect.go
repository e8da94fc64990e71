// Package effect measures whether memory helps, and which memory does.
//
// Before a run begins, chance decides its arm (holdout.go): its memories, as many other ones, or none. A run
// with a known outcome is a [TrialRun], see [Joiner]. Everything else here is a pure function of runs:
//
//   - [Breaker] bets on harm and on help, run by run, and opens when harm is
//     proven (breaker.go, bet.go);
//   - [CreditBook.Fit] attributes the outcomes to the memories of the runs and their
//     ancestors (credit.go, ridge.go), [Next] derives a status for each (status.go),
//     and [Revise] writes both into the memory (revise.go);
//   - explain classifies what a run showed about its memories (explain.go);
//   - [Corrections] counts the results of corrected verdicts, and decides when
//     correcting has to stop (corrections.go);
//   - [Ablate] finds the memory that made a test fail, and [Blame] is the evidence
//     against it (ablate.go, blame.go);
//   - [NewReport] and [Compare] compare arms, test by test (report.go, lift.go,
//     arms.go);
//   - [Replay] measures memories on a history of judged runs, in order of time
//     (replay.go, replay_*.go).
//
// No information leaks from the future in a replay. An answer about run i depends only on runs before i: Replay passes
// the label of a run on only after every memory has answered. All memories measured together see the same runs. A
// replay cannot change a run: it shows when a memory would have given guidance and whether it would have warned of the
// right mistake, not whether the agent would have followed it.
//
// Nothing here depends on a clock, a file or map order: the same runs give the same bytes.
package effect

import (
	"cmp"
	"slices"
	"time"

	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// Treatment is the arm of a run: which memories it receives.
type Treatment string

// The arms of a run.
const (
	Memory Treatment = "memory" // the memories found for the run
	Other  Treatment = "other"  // as many memories, drawn at random: the control for the effect of any text
	None   Treatment = "none"   // no memory
)

// Chances are the probabilities of the arms of a run. The rest to 1 is the probability of None.
type Chances struct {
	Memory float64 `json:"memory"`          // probability of Memory, 0 to 1
	Other  float64 `json:"other,omitempty"` // probability of Other, 0 to 1
}

// None returns the probability that the run receives no memory.
func (c Chances) None() float64 { return max(0, 1-c.Memory-c.Other) }

// share returns the probability of Memory given Memory or None, and whether the choice between the two was random.
func (c Chances) share() (rho float64, drawn bool) {
	none := c.None()
	if !(c.Memory > 0) || !(none > 1e-9) {
		return 0, false
	}
	return c.Memory / (c.Memory + none), true
}

// TrialRun is one run with guidance, or deliberately without, whose outcome is known. Except for Joiner, this package
// uses only the first attempt of a trial: a later attempt was made because of the outcome of an earlier one.
type TrialRun struct {
	ID       string    // id of the trial
	Seq      uint64    // sequence number of the trial in the ledger; unlike At, it never decreases
	Ended    uint64    // sequence number of the run's outcome in the ledger
	At       time.Time // time at which Arm was drawn
	Test     string    // the test; all runs of one test count as equally hard
	Scene    tree.Scene
	Found    string      // how the first of Eligible was found, see ByFound; "" if not recorded
	Arm      Treatment   // what the run received
	Chances  Chances     // probabilities with which Arm was drawn
	Eligible []Candidate // the memories found for the run, whatever the arm
	Injected []Candidate // the memories that the run received
	Attempt  int         // from 1; 0 means unknown
	Correct  bool        // the judgment was right
	Wrong    Mistake     // the mistake, if the judgment was not right
}

// Mistake is the kind of error that a run made.
type Mistake struct {
	ErrorType string
	Direction taxonomy.Direction
}

// Candidate is a memory, or a fact about the product, that was found for a run.
type Candidate struct {
	ID        string
	Rank      int // place among the memories found or, in TrialRun.Injected, in the prompt, from 1
	Type      tree.Type
	ErrorType string
	Direction taxonomy.Direction

	// Lineage are the memory's ancestors in the tree, nearest first, and Origin is the tree in which it was made.
	Lineage []Ancestor
	Origin  string

	// Prior is the memory's assumed effect before any run, see [Prior]; 0 means 0.03, the prior of one case.
	Prior float64
}

// Ancestor is an experience or strategy above a memory in the tree.
type Ancestor struct {
	ID   string
	Type tree.Type
}

// first reports whether the run is a first attempt: retries are selected by their outcome.
func (r *TrialRun) first() bool { return r.Attempt <= 1 }

// types returns the error types of the eligible memories, sorted. They are the same in every arm.
func (r *TrialRun) types() []string {
	var out []string
	for i := range r.Eligible {
		if t := r.Eligible[i].ErrorType; t != "" && !slices.Contains(out, t) {
			out = append(out, t)
		}
	}
	slices.Sort(out)
	return out
}

// sorted returns the first attempts, by time and id, so that the order of runs is irrelevant.
func sorted(runs []TrialRun) []*TrialRun {
	out := make([]*TrialRun, 0, len(runs))
	for i := range runs {
		if runs[i].first() {
			out = append(out, &runs[i])
		}
	}
	slices.SortStableFunc(out, func(a, b *TrialRun) int {
		return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.ID, b.ID))
	})
	return out
}
