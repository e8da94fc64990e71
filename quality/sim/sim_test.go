// Package sim makes up agents whose memories have known effects, so that a rule
// that says which memories help can be held against the truth. It is for `make sim`
// and the tests of package effect; nothing that ships runs it.
//
// A world has tests of unequal difficulty, some of them flaky, that drift. Its
// memories form a tree: the cases of one experience mostly share its character,
// and a part of them harms. A run is given some of the memories its test finds, and
// its outcome comes late or not at all.
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

// World is what is true.
type World struct {
	Memories []Known
	tests    []testCase
	rng      *rand.Rand
	plan     Plan
}

// Plan says what kind of world to make. The zero value of a field is none of it.
type Plan struct {
	Seed    uint64
	Harmful float64 // share of the memories that harm
	Drift   float64 // how far difficulty swings, as a share of runs
	Flaky   float64 // share of the tests that are right or wrong by themselves
	Missing float64 // share of the outcomes that never come, twice as many of the wrong ones
	Late    float64 // runs that come in before an outcome does, in the mean
}

// Real is a world with everything that goes wrong in one.
func Real(seed uint64) Plan {
	return Plan{Seed: seed, Harmful: 0.3, Drift: 0.1, Flaky: 0.1, Missing: 0.1, Late: 10}
}

// Known is a memory and what it truly does.
type Known struct {
	effect.Candidate
	Effect float64 // by how much the share of right runs changes
}

type testCase struct {
	name  string
	scene tree.Scene
	right float64 // share of right runs without memory
	flaky bool
	finds []int // memories, of which a run is given some
}

// The size of a world.
const (
	tests       = 60
	scenes      = 12
	types       = 8
	experiences = 3 // of a type
	cases       = 4 // of an experience
	finds       = 8 // memories a test finds
	Given       = 3 // memories a run is given
)

// Start is when the first run of a world is.
var Start = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// New makes a world.
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

// grow adds an experience and its cases. A case has the character of its
// experience four times in five; an experience does what its cases do.
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

// Ask is a run before its arm is drawn: the test, and the memories it would be given.
type Ask struct {
	Run   effect.Run
	test  *testCase
	given []*Known
	right float64 // probability of a right run
}

// Choose returns which of the memories found for a run may be given to it, in order.
type Choose func(found []*Known, runID string) []*Known

// all gives what is found.
func all(found []*Known, _ string) []*Known { return found }

// Next returns the i-th run.
func (w *World) Next(i int, choose Choose) Ask {
	t := &w.tests[w.rng.IntN(len(w.tests))]
	a := Ask{test: t, Run: effect.Run{
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

// End draws what becomes of a run in its arm, and after how many runs that is
// known; never is below 0. Other memories, given at random, do nothing.
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

// drift swings once in 1,500 runs, and falls by half as much at once after 1,000.
func (w *World) drift(i int) float64 {
	d := w.plan.Drift * math.Sin(2*math.Pi*float64(i)/1500)
	if i >= 1000 {
		d -= w.plan.Drift / 2
	}
	return d
}

// Play makes n runs with all memories allowed and the schedule h, and returns
// those whose outcome came, in the order in which it did.
func (w *World) Play(n int, h effect.Holdout) []effect.Run {
	var line queue
	out := make([]effect.Run, 0, n)
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
	runs []effect.Run
}

func (q *queue) put(at int, r effect.Run) {
	i, _ := slices.BinarySearch(q.at, at+1) // behind those of the same time
	q.at = slices.Insert(q.at, i, at)
	q.runs = slices.Insert(q.runs, i, r)
}

// take returns those known by now.
func (q *queue) take(now int) []effect.Run {
	n := 0
	for n < len(q.at) && q.at[n] <= now {
		n++
	}
	out := slices.Clone(q.runs[:n])
	q.at, q.runs = slices.Delete(q.at, 0, n), slices.Delete(q.runs, 0, n)
	return out
}
