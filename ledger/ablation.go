package ledger

import (
	"fmt"
	"github.com/memtree/memtree/tree"
	"slices"
)

// Blame is the conclusion of an Ablation about the cause of a failed test.
type Blame string

// The conclusions of an ablation.
const (
	// OnMemory: the test fails in each run with the memories and passes in each run without them.
	OnMemory Blame = "memory"
	// NotOnMemory: the test also fails without the memories.
	NotOnMemory Blame = "not_memory"
	// OnFlaky: runs with the same memories both failed and passed, so no cause can be named.
	OnFlaky Blame = "flaky"
	// Unfinished: the ablation ended before it had a conclusion.
	Unfinished Blame = "unfinished"
)

// Valid reports whether b is one of the conclusions.
func (b Blame) Valid() bool {
	return b == OnMemory || b == NotOnMemory || b == OnFlaky || b == Unfinished
}

// The values of Ablation.Why, as sentences: why an ablation ended early, or why it has several culprits.
const (
	WhyNoRuns    = "the runs allowed for it were used up"               // the runs allowed for the ablation were used up
	WhyBrokenOff = "a run failed or was cut short"                      // a run ended without a result
	WhyTogether  = "the test fails only when it is given them together" // no smaller set of memories makes the test fail
)

// Ablation is the result of running a failed test again with and without the memories that it had been given. Its runs
// leave nothing else behind: no evaluation, no case, no outcome.
type Ablation struct {
	Trial      string   `json:"trial"`      // id of the failed run's trial
	Evaluation string   `json:"evaluation"` // key of the failed run's evaluation
	CaseID     string   `json:"case_id,omitempty"`
	Pairs      int      `json:"pairs"` // requested number of runs with, and of runs without the memories
	Given      []string `json:"given"` // ids of the memories injected into the failed run, by rank
	Tried      []Tried  `json:"tried"` // the runs made, in order
	Blame      Blame    `json:"blame"`

	// Culprits are the memories that cause the failure: one, or several if the test fails only with all of them or if
	// the allowed runs were used up.
	Culprits []string `json:"culprits,omitempty"`
	Why      string   `json:"why,omitempty"` // why the ablation ended early, or why Culprits was not narrowed down further
}

// Tried is one run of an ablation, and its result.
type Tried struct {
	Given   []string `json:"given"` // ids of the injected memories
	Correct bool     `json:"correct"`
}

// Limits of an Ablation.
const (
	MaxGiven = 64  // most memories of the failed run of an Ablation
	MaxTried = 256 // most runs of one Ablation
)

// Check returns the first field that breaks a limit or contradicts another, as a *FieldError, or nil.
func (a *Ablation) Check() error {
	for _, f := range []struct{ name, text string }{
		{"trial", a.Trial}, {"evaluation", a.Evaluation}, {"case_id", a.CaseID}, {"why", a.Why},
	} {
		if err := tree.CheckText(f.name, f.text, tree.MaxName); err != nil {
			return err
		}
	}
	switch {
	case a.Trial == "" || a.Evaluation == "":
		return &tree.FieldError{Field: "trial", Problem: "or evaluation is missing; say which run failed"}
	case len(a.Given) == 0 || len(a.Given) > MaxGiven:
		return &tree.FieldError{Field: "given", Problem: fmt.Sprintf("are %d memories; use 1 to %d", len(a.Given), MaxGiven)}
	case len(a.Tried) > MaxTried:
		return &tree.FieldError{Field: "tried", Problem: fmt.Sprintf("are %d runs; the most is %d", len(a.Tried), MaxTried)}
	case a.Pairs < 2 || a.Pairs > MaxTried:
		return &tree.FieldError{Field: "pairs", Problem: fmt.Sprintf("is %d; use 2 to %d", a.Pairs, MaxTried)}
	case !a.Blame.Valid():
		return &tree.FieldError{Field: "blame", Problem: "is " + quoted(string(a.Blame)) +
			"; use memory, not_memory, flaky or unfinished"}
	case (a.Blame == OnMemory) != (len(a.Culprits) > 0):
		return &tree.FieldError{Field: "culprits", Problem: "are named where memory is to blame, and nowhere else"}
	}
	return a.checkIDs()
}

func (a *Ablation) checkIDs() error {
	for i, id := range a.Given {
		if err := tree.CheckText("given", id, tree.MaxName); err != nil {
			return err
		}
		if id == "" || slices.Contains(a.Given[:i], id) {
			return &tree.FieldError{Field: "given", Problem: "names " + quoted(id) + " twice, or not at all"}
		}
	}
	sets := [][]string{a.Culprits}
	for i := range a.Tried {
		sets = append(sets, a.Tried[i].Given)
	}
	for _, set := range sets {
		if len(set) > len(a.Given) {
			return &tree.FieldError{Field: "tried", Problem: "or culprits have more memories than were given"}
		}
		for _, id := range set {
			if !slices.Contains(a.Given, id) {
				return &tree.FieldError{Field: "tried", Problem: "or culprits name " + quoted(id) + ", which was not given"}
			}
		}
	}
	return nil
}
