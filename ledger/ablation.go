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
	// OnFlaky: some runs with the same memories, or some without any, failed and others passed.
	OnFlaky Blame = "flaky"
	// Unfinished: the ablation ended before it had a conclusion.
	Unfinished Blame = "unfinished"
)

// Valid reports whether b is one of the conclusions.
func (b Blame) Valid() bool {
	return b == OnMemory || b == NotOnMemory || b == OnFlaky || b == Unfinished
}

// The values of Ablation.Why: the reason why an ablation ended early, or why it has several culprits.
const (
	WhyNoRuns    = "the runs allowed for it were used up"
	WhyBrokenOff = "a run failed or was cut short"                      // a run ended without a result
	WhyTogether  = "the test fails only when it is given them together" // the culprits fail together, but no half alone
)

// Ablation is the result of an experiment: a failed test was run again, with and without the memories that the failed
// run had received, to find out whether they caused the failure. No run of the experiment is recorded in another way:
// there is no evaluation, case or outcome of it.
type Ablation struct {
	Trial      string   `json:"trial"`      // id of the failed run's trial
	Evaluation string   `json:"evaluation"` // key of the failed run's evaluation
	CaseID     string   `json:"case_id,omitempty"`
	Pairs      int      `json:"pairs"` // number of runs with the memories, and of as many without, that were requested
	Given      []string `json:"given"` // ids of the memories that the failed run received, by rank
	Tried      []Tried  `json:"tried"` // the runs made, in order
	Blame      Blame    `json:"blame"`

	// Culprits are the ids of the memories that cause the failure; none unless Blame is OnMemory. There are several if
	// the test fails only with all of them, or if the ablation ended early.
	Culprits []string `json:"culprits,omitempty"`
	Why      string   `json:"why,omitempty"` // one of WhyNoRuns, WhyBrokenOff and WhyTogether; "": none applies
}

// Tried is one run of an ablation, and its result.
type Tried struct {
	Given   []string `json:"given"`   // ids of the memories that the run received
	Correct bool     `json:"correct"` // the judgment of the run was right
}

// Limits of an Ablation.
const (
	MaxGiven = 64  // most memories in Ablation.Given
	MaxTried = 256 // most runs of one Ablation
)

// Check returns a *tree.FieldError for the first field that breaks a limit or contradicts another field; else nil.
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
