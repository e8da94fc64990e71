package effect

import (
	"slices"
	"time"

	"github.com/memtree/memtree/tree"
)

// MemoryTally counts what runs showed about one memory that they received.
type MemoryTally struct {
	Repeated  int      // runs that made the mistake that the memory warns of
	Confirmed int      // right runs of tests on which an earlier run made this mistake
	NotOn     []string // ids of tests that the memory misleads, see Tallies, sorted; at most tree.MaxNotOn
}

// fewAstray is the number of misled runs of a test from which a memory is no longer injected there: a single one may be
// chance.
const fewAstray = 2

// Tallies counts what runs showed about the memories they received, by the id of the memory. A memory misleads a test
// if, of the first attempts at the test in the last 90 days that received it in the arm [Memory], at least two made the
// opposite mistake, and more than were right. now is the time of the latest run.
func Tallies(runs []TrialRun, now time.Time) map[string]*MemoryTally {
	out := map[string]*MemoryTally{}
	of := func(id string) *MemoryTally {
		if out[id] == nil {
			out[id] = &MemoryTally{}
		}
		return out[id]
	}
	astray := map[string]map[string]int{} // by memory and test: opposite mistakes minus right runs
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
