package effect

import (
	"slices"
	"time"

	"github.com/memtree/memtree/tree"
)

// Tally counts what runs showed of a memory that was given to them.
type Tally struct {
	Repeated  int      // runs that made the mistake it warns of all the same
	Confirmed int      // right runs of tests that had gone that way wrong before
	NotOn     []string // ids of the tests that it leads astray, sorted
}

// fewAstray is how many runs of a test a memory leads astray before it is no longer
// given there: one may be chance.
const fewAstray = 2

// Tallies counts what runs showed, by the id of the memory. A memory leads a test astray
// if more runs of it made the opposite mistake than were right, of those that were given the
// memory in the last 90 days. now is the time of the latest run.
func Tallies(runs []Run, now time.Time) map[string]*Tally {
	out := map[string]*Tally{}
	of := func(id string) *Tally {
		if out[id] == nil {
			out[id] = &Tally{}
		}
		return out[id]
	}
	astray := map[string]map[string]int{} // by memory and test: opposite mistakes less right runs
	wrong := map[string]map[string]int{}
	note := func(in map[string]map[string]int, memory, test string, by int) {
		if in[memory] == nil {
			in[memory] = map[string]int{}
		}
		in[memory][test] += by
	}
	late := now.Add(-longest)
	at := map[string]time.Time{}
	for i := range runs {
		r := &runs[i]
		if at[r.ID] = r.At; !r.first() || !r.Correct || r.Arm != Memory || r.At.Before(late) {
			continue
		}
		for _, c := range r.Injected {
			note(astray, c.ID, r.Test, -1)
		}
	}
	for _, s := range explain(runs) {
		switch s.Kind {
		case repeated:
			of(s.Memory).Repeated++
		case confirmed:
			of(s.Memory).Confirmed++
		case overCorrected:
			if !at[s.Run].Before(late) {
				note(astray, s.Memory, s.Test, 1)
				note(wrong, s.Memory, s.Test, 1)
			}
		}
	}
	for memory, tests := range wrong {
		for test, n := range tests {
			if n >= fewAstray && astray[memory][test] > 0 {
				of(memory).NotOn = append(of(memory).NotOn, test)
			}
		}
	}
	for _, t := range out {
		slices.Sort(t.NotOn)
		t.NotOn = t.NotOn[:min(len(t.NotOn), tree.MaxNotOn)]
	}
	return out
}
