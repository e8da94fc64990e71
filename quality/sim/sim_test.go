// Package sim simulates agents whose memories have known effects, so that rules that estimate the effects can be
// compared with the truth. It is for `make sim` and the tests of package effect; it is not part of the product.
//
// A world has tests of unequal difficulty, some of them flaky, that drift. Its memories form a tree: the cases of one
// experience mostly share its character, and a part of them is harmful. A run includes some of the memories that
// match its test, and its outcome arrives late or never.
package sim

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/memtree/memtree/effect"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// World is the truth of a simulation.
type World struct {
	Memories []Known
	tests    []testCase
	rng      *rand.Rand
	plan     Plan
}

// Plan describes a world to create. A field of zero switches its property off.
type Plan struct {
	Seed    uint64
	Harmful float64 // share of the memories that harm
	Drift   float64 // how far difficulty swings, as a share of runs
	Flaky   float64 // share of the tests that are right or wrong by themselves
	Missing float64 // share of the outcomes that never arrive, twice as many of the wrong ones
	Late    float64 // runs before an outcome arrives, in the mean
}

// Real is a world with all difficulties.
func Real(seed uint64) Plan {
	return Plan{Seed: seed, Harmful: 0.3, Drift: 0.1, Flaky: 0.1, Missing: 0.1, Late: 10}
}

// Known is a memory with its true effect.
type Known struct {
	effect.Candidate
	Effect float64 // by how much the share of right runs changes
}

type testCase struct {
	name  string
	scene tree.Scene
	right float64 // share of right runs without memory
	flaky bool
	finds []int // memories, of which a run includes some
}

// The size of a world.
const (
	tests       = 60
	scenes      = 12
	types       = 8
	experiences = 3 // of a type
	cases       = 4 // of an experience
	finds       = 8 // memories that match a test
	Given       = 3 // memories that a run includes
)

// Start is the time of the first run of a world.
var Start = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// New creates a world.
func New(p Plan) *World {
	w := &World{rng: rand.New(rand.NewPCG(p.Seed, 0x73696d)), plan: p} //nolint:gosec // must come out the same again
	for t := range types {
		for e := range experiences {
			w.grow(t, e)
		}
	}
	for i := range tests {
		t := testCase{name: fmt.Sprintf("test%02d", i), scene: tree.Scene{ID: fmt.Sprintf("scene%02d", i%scenes)}}
		t.right = max(0.05, min(0.95, 0.65+0.22*w.rng.NormFloat64()))
		t.flaky = w.rng.Float64() < p.Flaky
		t.finds = w.rng.Perm(len(w.Memories))[:finds]
		w.tests = append(w.tests, t)
	}
	return w
}

// grow adds an experience and its cases. A case has the character of its experience with probability 0.8. The effect
// of an experience is that of its cases.
func (w *World) grow(t, e int) {
	errorType := fmt.Sprintf("type%d", t)
	top := effect.Ancestor{ID: fmt.Sprintf("s_%d", t), Type: tree.Strategy}
	mid := effect.Ancestor{ID: fmt.Sprintf("e_%d_%d", t, e), Type: tree.Experience}
	harms := w.rng.Float64() < w.plan.Harmful
	whole := 0.0
	for c := range cases {
		bad := harms
		if w.rng.Float64() < 0.2 {
			bad = w.rng.Float64() < w.plan.Harmful
		}
		does := 0.10 + 0.04*w.rng.NormFloat64()
		if bad {
			does = -0.15 + 0.05*w.rng.NormFloat64()
		}
		whole += does / cases
		w.Memories = append(w.Memories, Known{effect.Candidate{
			ID: fmt.Sprintf("c_%d_%d_%d", t, e, c), Type: tree.Case, ErrorType: errorType, Direction: taxonomy.FalsePass,
			Lineage: []effect.Ancestor{mid, top}, Origin: "here",
		}, does})
	}
	w.Memories = append(w.Memories, Known{effect.Candidate{
		ID: mid.ID, Type: tree.Experience, ErrorType: errorType, Direction: taxonomy.FalsePass,
		Lineage: []effect.Ancestor{top}, Origin: "here",
	}, whole})
}

// Ask is a run before its arm is drawn: the test, and the memories it would include.
type Ask struct {
	Run   effect.TrialRun
	test  *testCase
	given []*Known
	right float64 // probability of a right run
}

// Choose returns which of the memories that match a run may be included, in order.
type Choose func(found []*Known, runID string) []*Known

// all returns all matching memories.
func all(found []*Known, _ string) []*Known { return found }

// Next returns the i-th run.
func (w *World) Next(i int, choose Choose) Ask {
	t := &w.tests[w.rng.IntN(len(w.tests))]
	a := Ask{test: t, Run: effect.TrialRun{
		ID: fmt.Sprintf("t_%d_%05d", w.plan.Seed, i), Seq: uint64(i), At: Start.Add(time.Duration(i) * 20 * time.Minute),
		Test: t.name, Scene: t.scene,
	}}
	found := make([]*Known, 0, finds)
	for _, m := range w.rng.Perm(finds) {
		found = append(found, &w.Memories[t.finds[m]])
	}
	for rank, k := range choose(found, a.Run.ID) {
		if rank == Given {
			break
		}
		c := k.Candidate
		c.Rank = rank + 1
		a.given, a.Run.Eligible = append(a.given, k), append(a.Run.Eligible, c)
	}
	return a
}

// End draws the outcome of a run in its arm, and returns after how many runs it is known, below 0 for never. Other
// memories, included at random, have no effect.
func (w *World) End(i int, a *Ask) (known int) {
	p := a.test.right + w.drift(i)
	if a.Run.Arm == effect.Memory {
		a.Run.Injected = a.Run.Eligible
		for _, k := range a.given {
			p += k.Effect
		}
	}
	if a.test.flaky {
		p = 0.5
	}
	a.right = max(0.02, min(0.98, p))
	a.Run.Correct = w.rng.Float64() < a.right
	missing := w.plan.Missing
	if !a.Run.Correct {
		a.Run.Wrong = effect.Mistake{ErrorType: "type0", Direction: taxonomy.FalsePass}
		missing *= 2
	}
	if w.rng.Float64() < missing {
		return -1
	}
	return i + int(w.plan.Late*w.rng.ExpFloat64())
}

// drift has a period of 1,500 runs, and drops once after 1,000 by half its amplitude.
func (w *World) drift(i int) float64 {
	d := w.plan.Drift * math.Sin(2*math.Pi*float64(i)/1500)
	if i >= 1000 {
		d -= w.plan.Drift / 2
	}
	return d
}

// Play runs n runs with all memories allowed and the schedule h, and returns those with an outcome, in the order of
// arrival.
func (w *World) Play(n int, h effect.Holdout) []effect.TrialRun {
	var line queue
	out := make([]effect.TrialRun, 0, n)
	for i := range n {
		a := w.Next(i, all)
		a.Run.Chances = h.Chances(i, 1)
		a.Run.Arm = effect.DrawArm(a.Run.ID, "sim", a.Run.Chances)
		if known := w.End(i, &a); known >= 0 {
			line.put(known, a.Run)
		}
		out = append(out, line.take(i)...)
	}
	return append(out, line.take(math.MaxInt)...)
}

// queue holds runs until their outcome is known.
type queue struct {
	at   []int
	runs []effect.TrialRun
}

func (q *queue) put(at int, r effect.TrialRun) {
	i, _ := slices.BinarySearch(q.at, at+1) // behind those of the same time
	q.at = slices.Insert(q.at, i, at)
	q.runs = slices.Insert(q.runs, i, r)
}

// take returns those known by now.
func (q *queue) take(now int) []effect.TrialRun {
	n := 0
	for n < len(q.at) && q.at[n] <= now {
		n++
	}
	out := slices.Clone(q.runs[:n])
	q.at, q.runs = slices.Delete(q.at, 0, n), slices.Delete(q.runs, 0, n)
	return out
}
