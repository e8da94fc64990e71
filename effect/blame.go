package effect

import (
	"math"
	"slices"

	"github.com/memtree/memtree/ledger"
)

// Blamed is the evidence of an ablation against one memory: the runs with it failed, those without it passed.
type Blamed struct {
	Memory  string `json:"memory"`  // id of the memory
	With    int    `json:"with"`    // runs with it; all failed
	Without int    `json:"without"` // runs without it; all passed

	// E is the evidence against the memory: how many times more probable these results are if the memory breaks the test
	// than if they are random, even with the pass rate that fits them best. It is at least 4 to the power of the pairs.
	E float64 `json:"e"`
}

// Blame returns the evidence against the memory that ablation a blames. ok is false unless a is valid and blames
// exactly one memory, all runs with this memory failed and all runs without it passed. The runs of an ablation are no
// outcomes of trials, because they were made only after a run had failed; so [Join] leaves them out of Joined.Runs.
func Blame(a *ledger.Ablation) (b Blamed, ok bool) {
	if a.Check() != nil || a.Blame != ledger.OnMemory || len(a.Culprits) != 1 {
		return Blamed{}, false
	}
	b.Memory = a.Culprits[0]
	for _, t := range a.Tried {
		with := slices.Contains(t.Given, b.Memory)
		if with == t.Correct {
			return Blamed{}, false
		}
		if with {
			b.With++
		} else {
			b.Without++
		}
	}
	s, f := float64(b.Without), float64(b.With)
	if s == 0 || f == 0 {
		return Blamed{}, false
	}
	b.E = math.Exp(s*math.Log((s+f)/s) + f*math.Log((s+f)/f))
	return b, true
}
