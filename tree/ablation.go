package tree

import (
	"fmt"
	"slices"
)

// Blame says what an ablation puts the failure of a test down to.
type Blame string

// What a failure is put down to.
const (
	// OnMemory: with the memories the test fails each time, without them it passes each time.
	OnMemory Blame = "memory"
	// NotOnMemory: it fails without them too.
	NotOnMemory Blame = "not_memory"
	// OnFlaky: of runs that were given the same some fail and some pass, so nobody is to blame.
	OnFlaky Blame = "flaky"
	// Unfinished: it was broken off before that was known.
	Unfinished Blame = "unfinished"
)

// Valid reports whether b is one of these.
func (b Blame) Valid() bool {
	return b == OnMemory || b == NotOnMemory || b == OnFlaky || b == Unfinished
}

// Why an ablation was broken off, or its blame not narrowed further, in sentences.
const (
	WhyNoRuns    = "the runs allowed for it were used up"
	WhyBrokenOff = "a run failed or was cut short"
	WhyTogether  = "the test fails only when it is given them together"
)

// Ablation is what was learned by running a test that failed with memories again, with them
// and without. Its runs leave nothing else behind: no evaluation, no case, no outcome.
type Ablation struct {
	Trial      string   `json:"trial"`             // of the run that failed
	Evaluation string   `json:"evaluation"`        // of that run
	CaseID     string   `json:"case_id,omitempty"` //
	Pairs      int      `json:"pairs"`             // runs with and without that were asked for
	Given      []string `json:"given"`             // ids of the memories of the run that failed, by rank
	Tried      []Tried  `json:"tried"`             // the runs that were made, in order
	Blame      Blame    `json:"blame"`

	// Culprits are the memories that the blame was narrowed down to: one, or several if they
	// fail together only or the runs allowed were used up.
	Culprits []string `json:"culprits,omitempty"`
	Why      string   `json:"why,omitempty"` // why it was broken off, or the blame not narrowed further
}

// Tried is one run of an ablation.
type Tried struct {
	Given   []string `json:"given"` // ids of the memories it was given
	Correct bool     `json:"correct"`
}

// Limits on an ablation, counts.
const (
	MaxGiven = 64  // memories of a run
	MaxTried = 256 // runs
)

// Check reports the first field that breaks a limit or contradicts another, as a *FieldError.
func (a *Ablation) Check() error {
	for _, f := range []struct{ name, text string }{
		{"trial", a.Trial}, {"evaluation", a.Evaluation}, {"case_id", a.CaseID}, {"why", a.Why},
	} {
		if err := checkText(f.name, f.text, MaxName); err != nil {
			return err
		}
	}
	switch {
	case a.Trial == "" || a.Evaluation == "":
		return &FieldError{Field: "trial", Problem: "or evaluation is missing; say which run failed"}
	case len(a.Given) == 0 || len(a.Given) > MaxGiven:
		return &FieldError{Field: "given", Problem: fmt.Sprintf("are %d memories; use 1 to %d", len(a.Given), MaxGiven)}
	case len(a.Tried) > MaxTried:
		return &FieldError{Field: "tried", Problem: fmt.Sprintf("are %d runs; the most is %d", len(a.Tried), MaxTried)}
	case a.Pairs < 2 || a.Pairs > MaxTried:
		return &FieldError{Field: "pairs", Problem: fmt.Sprintf("is %d; use 2 to %d", a.Pairs, MaxTried)}
	case !a.Blame.Valid():
		return &FieldError{Field: "blame", Problem: "is " + quote(string(a.Blame)) +
			"; use memory, not_memory, flaky or unfinished"}
	case (a.Blame == OnMemory) != (len(a.Culprits) > 0):
		return &FieldError{Field: "culprits", Problem: "are named where memory is to blame, and nowhere else"}
	}
	return a.checkIDs()
}

func (a *Ablation) checkIDs() error {
	for i, id := range a.Given {
		if err := checkText("given", id, MaxName); err != nil {
			return err
		}
		if id == "" || slices.Contains(a.Given[:i], id) {
			return &FieldError{Field: "given", Problem: "names " + quote(id) + " twice, or not at all"}
		}
	}
	sets := [][]string{a.Culprits}
	for i := range a.Tried {
		sets = append(sets, a.Tried[i].Given)
	}
	for _, set := range sets {
		if len(set) > len(a.Given) {
			return &FieldError{Field: "tried", Problem: "or culprits have more memories than were given"}
		}
		for _, id := range set {
			if !slices.Contains(a.Given, id) {
				return &FieldError{Field: "tried", Problem: "or culprits name " + quote(id) + ", which was not given"}
			}
		}
	}
	return nil
}
