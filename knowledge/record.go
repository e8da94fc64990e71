package knowledge

import (
	"slices"
	"strings"
	"time"

	"github.com/memtree/memtree/ledger"
)

// factRecord is what the ledger has of one fact.
type factRecord struct {
	ID string `json:"id"`
	ledger.Statement
	From  Source    `json:"from"`
	By    string    `json:"by,omitempty"`
	Since time.Time `json:"since"`
	Used  time.Time `json:"used"`

	People []Vote   `json:"people,omitempty"` // sorted by name
	Cases  []string `json:"cases,omitempty"`  // one for each test, in the order of the ledger
	Tests  []string `json:"tests,omitempty"`  // their tests, likewise; "" where a run named none

	Given   int            `json:"given,omitempty"`
	Right   decayingCount  `json:"right,omitzero"`
	Missed  decayingCount  `json:"missed,omitzero"`
	Rights  int            `json:"rights,omitempty"`
	Misses  int            `json:"misses,omitempty"`
	Row     int            `json:"row,omitempty"`     // runs that missed a defect since one went right
	RowOf   map[string]int `json:"rowOf,omitempty"`   // likewise, by test
	Backed  bool           `json:"backed,omitempty"`  // a person or a note spoke of it
	Settled bool           `json:"settled,omitempty"` // a person decided since: Against is answered

	Against   []string `json:"against,omitempty"` // facts that say otherwise, sorted
	Next      string   `json:"next,omitempty"`    // it is superseded by this one
	Forgotten string   `json:"forgotten,omitempty"`

	in    *index   // where it is found; nil: nobody but an agent or another tree says it
	slot  int32    // its place there
	words []uint64 // of its text, sorted, each once
}

// mostTests bounds the tests of which a row is counted.
const mostTests = 64

// see moves the clock of the record on.
func (r *factRecord) see(at time.Time) time.Time {
	if at.After(r.Used) {
		r.Used = at
	}
	return r.Used
}

// vote notes what a person decided last.
func (r *factRecord) vote(by string, holds bool, at time.Time, why string) {
	i, found := slices.BinarySearchFunc(r.People, by, func(v Vote, by string) int { return strings.Compare(v.By, by) })
	v := Vote{By: by, Holds: holds, At: at, Why: why}
	if found {
		r.People[i] = v
	} else {
		r.People = slices.Insert(r.People, i, v)
	}
	if holds { // who looked at it knows better than the runs before
		r.Row, r.RowOf = 0, nil
	}
}

// outcome notes how a run ended that was given the fact.
func (r *factRecord) outcome(test string, o *ledger.Outcome, at time.Time) {
	at = r.see(at)
	switch {
	case o.Correct:
		r.Rights++
		r.Right.add(at)
		r.Row = 0
		delete(r.RowOf, test)
	case o.Direction == "false_pass":
		r.Misses++
		r.Missed.add(at)
		r.Row++
		if r.RowOf == nil {
			r.RowOf = map[string]int{}
		}
		if _, known := r.RowOf[test]; known || len(r.RowOf) < mostTests {
			r.RowOf[test]++
		}
	}
}

// The reasons that no person gave.
const (
	saysOtherwise = "another fact contradicts it"
	missedInARow  = "runs that were given it missed defects, three in a row"
	contradicted  = "a person contradicted it"
	hadForgotten  = "a person had it forgotten"
)

// state returns the state of the fact, and why where that needs a reason. live reports whether another fact is in use.
func (r *factRecord) state(live func(id string) bool) (FactState, string) {
	yes, no := r.votes()
	switch {
	case r.Next != "":
		return Superseded, ""
	case r.Forgotten != "":
		return Archived, r.Forgotten
	case no > 0 && yes == 0:
		return Archived, r.contradiction()
	case no > 0:
		return Disputed, r.contradiction()
	case yes == 0 && len(r.Cases) == 0:
		return Proposed, ""
	case !r.Settled && slices.ContainsFunc(r.Against, live):
		return Disputed, saysOtherwise
	case r.Row >= inARow:
		return Disputed, missedInARow
	}
	return Active, ""
}

// inUse reports whether somebody else than an agent or another tree states it, and nothing took it out of use. Of two
// facts that contradict each other both are in use.
func (r *factRecord) inUse() bool {
	yes, no := r.votes()
	return r.Next == "" && r.Forgotten == "" && (yes > 0 || no == 0 && len(r.Cases) > 0)
}

// contradiction returns the reason of the last person who contradicts.
func (r *factRecord) contradiction() string {
	var last *Vote
	for i := range r.People {
		if v := &r.People[i]; !v.Holds && (last == nil || v.At.After(last.At)) {
			last = v
		}
	}
	if last.Why != "" {
		return last.Why
	}
	return contradicted
}
