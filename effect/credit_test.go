package effect

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/memtree/memtree/tree"
)

// many makes runs of 100 tests, 20 scenes and 300 cases under 60 experiences and 8 strategies, three of them in a run,
// a fifth held out.
func many(n int, seed uint64) []TrialRun {
	rng := rand.New(rand.NewPCG(seed, 1))
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	runs := make([]TrialRun, n)
	for i := range runs {
		at := rng.IntN(100)
		r := TrialRun{
			ID: fmt.Sprintf("t%05d", i), At: start.Add(time.Duration(i) * 10 * time.Minute),
			Test: fmt.Sprintf("test%02d", at), Scene: tree.Scene{ID: fmt.Sprintf("scene%02d", at%20)},
			Chances: Chances{Memory: 0.8}, Arm: None, Correct: rng.Float64() < 0.7,
		}
		for k := range 3 {
			c := rng.IntN(300)
			r.Eligible = append(r.Eligible, Candidate{
				ID: fmt.Sprintf("c%03d", c), Rank: k + 1, Type: tree.Case, Origin: "here", ErrorType: fmt.Sprintf("type%d", c%8),
				Lineage: []Ancestor{{fmt.Sprintf("e%02d", c%60), tree.Experience}, {fmt.Sprintf("s%d", c%8), tree.Strategy}},
			})
		}
		if rng.Float64() < 0.8 {
			r.Arm, r.Injected = Memory, r.Eligible
		}
		runs[i] = r
	}
	return runs
}

func fit(runs []TrialRun, now time.Time) []Effect {
	b := NewCreditBook()
	for i := range runs {
		b.Add(&runs[i])
	}
	return b.Fit(now)
}

func effectOf(t require.TestingT, es []Effect, id string) *Effect {
	i := slices.IndexFunc(es, func(e Effect) bool { return e.ID == id })
	require.GreaterOrEqual(t, i, 0, id)
	return &es[i]
}

// TestFitIsTheMinimum compares the fit with a full solution of the normal equations.
func TestFitIsTheMinimum(t *testing.T) {
	runs := many(300, 3)
	b := NewCreditBook()
	for i := range runs {
		b.Add(&runs[i])
	}
	p := b.problem(runs[len(runs)-1].At.Add(24 * time.Hour))
	y := slices.Clone(p.left)
	p.solve()
	n := len(p.theta)
	for j := range n { // the gradient of the objective is 0 in every coordinate
		slope := -p.lambda[j] * p.theta[j]
		for _, e := range p.entry[p.begin[j]:p.begin[j+1]] {
			slope += p.weight[e.row] * float64(e.times) * p.left[e.row]
		}
		require.InDelta(t, 0, slope, 1e-4)
	}
	sum := 0.0
	for i := range p.left {
		sum += p.weight[i] * p.left[i]
	}
	require.InDelta(t, 0, sum, 1e-4, "the mean too")
	for i := range y { // and the residual is the part that the coordinates do not explain
		y[i] -= p.mean
	}
	for j := range n {
		for _, e := range p.entry[p.begin[j]:p.begin[j+1]] {
			y[e.row] -= float64(e.times) * p.theta[j]
		}
	}
	require.InDeltaSlice(t, y, p.left, 1e-9)
}

// TestOrderDoesNotMatter: the same runs give the same bytes, in any order and with duplicates.
func TestOrderDoesNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		runs := many(rapid.IntRange(1, 60).Draw(t, "n"), rapid.Uint64().Draw(t, "seed"))
		now := runs[len(runs)-1].At
		want, err := json.Marshal(fit(runs, now))
		require.NoError(t, err)
		other := append(rapid.Permutation(runs).Draw(t, "order"), runs[0])
		got, err := json.Marshal(fit(other, now))
		require.NoError(t, err)
		require.Equal(t, string(want), string(got))
	})
}

func TestAddingLaterIsAddingAtOnce(t *testing.T) {
	runs := many(200, 4)
	now := runs[199].At
	b := NewCreditBook()
	for i := range runs {
		b.Add(&runs[i])
		if i == 77 {
			b.Fit(now)
		}
	}
	require.Equal(t, fit(runs, now), b.Fit(now))
}

// TestWithoutMemory: a run without memories informs about the difficulty of its test. A right one of a test that also
// ran with a memory cannot raise the effect of that memory, and one of a test and scene without memories reverses no
// effect.
func TestWithoutMemory(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		runs := many(rapid.IntRange(5, 60).Draw(t, "n"), rapid.Uint64().Draw(t, "seed"))
		for i := range runs { // one memory a run, without lineage
			runs[i].Scene = tree.Scene{}
			if len(runs[i].Injected) > 0 {
				c := runs[i].Injected[0]
				c.Lineage, c.Origin = nil, ""
				runs[i].Injected = []Candidate{c}
			}
		}
		now := runs[len(runs)-1].At
		before := fit(runs, now)
		on := rapid.SampledFrom(runs).Draw(t, "on")
		right := rapid.Bool().Draw(t, "right")
		same := TrialRun{ID: "new", At: now, Test: on.Test, Arm: None, Correct: right}
		after := fit(append(slices.Clone(runs), same), now)
		for i := range before {
			// The mean may be outside of the possible range at first, because memories are expected to help.
			if moved := after[i].Effect - before[i].Effect; right {
				require.LessOrEqual(t, moved, expected/20)
			} else {
				require.GreaterOrEqual(t, moved, -expected/20)
			}
		}
		elsewhere := same
		elsewhere.Test = "a test no memory met"
		after = fit(append(slices.Clone(runs), elsewhere), now)
		for i := range before {
			require.InDelta(t, before[i].Effect, after[i].Effect, 1/float64(len(runs)), "by no more than the mean moves")
			if math.Abs(before[i].Effect) > 1/float64(len(runs)) {
				require.Equal(t, before[i].Effect > 0, after[i].Effect > 0)
			}
		}
	})
}

// given returns a run that received one case.
func given(i int, test, id string, correct bool) TrialRun {
	return TrialRun{
		ID: fmt.Sprint(test, id, i), At: noon.Add(time.Duration(i) * time.Minute), Test: test, Arm: Memory, Correct: correct,
		Injected: []Candidate{{ID: id, Type: tree.Case}},
	}
}

// TestHardTestsAreNotHeldAgainstAMemory: the good memory has fewer right runs than the bad one.
func TestHardTestsAreNotHeldAgainstAMemory(t *testing.T) {
	var runs []TrialRun
	for i := range 60 {
		runs = append(runs,
			given(i, "hard", "good", i%10 < 4),
			TrialRun{ID: fmt.Sprint("h", i), At: noon, Test: "hard", Arm: None, Correct: i%10 < 1},
			given(i, "easy", "bad", i%10 < 7),
			TrialRun{ID: fmt.Sprint("e", i), At: noon, Test: "easy", Arm: None, Correct: true})
	}
	es := fit(runs, noon)
	good, bad := effectOf(t, es, "good"), effectOf(t, es, "bad")
	require.Less(t, good.Right*bad.Runs, bad.Right*good.Runs)
	require.Greater(t, good.Effect, 0.1)
	require.Less(t, bad.Effect, -0.05)
	require.Greater(t, good.Confidence(), 0.8)
	require.Greater(t, bad.PHarm, 0.65)
}

// TestSiblingsLend: of two cases with one run each, the one under a harmful experience has the lower confidence.
func TestSiblingsLend(t *testing.T) {
	var runs []TrialRun
	under := func(i int, id, parent string, correct bool) {
		r := given(i, fmt.Sprint("test", i%10), id, correct)
		r.Injected[0].Lineage = []Ancestor{{parent, tree.Experience}}
		runs = append(runs, r)
	}
	for i := range 40 {
		under(i, fmt.Sprint("c", i%4), "e_bad", i%4 == 0)
		under(i, fmt.Sprint("d", i%4), "e_good", i%4 != 0)
	}
	under(50, "c_new", "e_bad", true)
	under(50, "d_new", "e_good", true)
	es := fit(runs, noon)
	require.Less(t, effectOf(t, es, "c_new").Effect, effectOf(t, es, "d_new").Effect-0.1)
}

func TestOldRunsCountForLess(t *testing.T) {
	var runs []TrialRun
	for i := range 40 {
		r := given(i, fmt.Sprint("test", i%5), "c", i < 20)
		if i < 20 {
			r.At = r.At.Add(-365 * 24 * time.Hour)
		}
		runs = append(runs, r, TrialRun{ID: fmt.Sprint("n", i), At: r.At, Test: r.Test, Arm: None, Correct: i%2 == 0})
	}
	e := effectOf(t, fit(runs, noon), "c")
	require.Negative(t, e.Effect, "it helped a year ago, and harms now")
	require.Equal(t, 20, e.Right)
	require.Equal(t, 40, e.Runs)
	now := fit(runs, noon.Add(-400*24*time.Hour))
	require.False(t, math.IsNaN(now[0].Effect), "a clock that went back")
}

func TestBookPassesOver(t *testing.T) {
	b := NewCreditBook()
	require.Empty(t, b.Fit(noon))
	r := given(0, "a", "c", true)
	r.Attempt = 2
	b.Add(&r)
	require.Empty(t, b.Fit(noon), "a later attempt")
	r.Attempt = 1
	r.Injected = append(r.Injected, r.Injected[0])
	b.Add(&r)
	b.Add(&r)
	es := b.Fit(noon)
	require.Len(t, es, 1)
	require.Equal(t, 1, es[0].Runs, "the same run twice, and a memory twice in it")
}

func TestPrior(t *testing.T) {
	require.InDelta(t, expected, Prior(0.5, 1), 1e-12)
	require.InDelta(t, expected, Prior(0.5, 0), 1e-12)
	require.Zero(t, Prior(-1, 5))
	require.Less(t, Prior(1, 1000), 4*expected)
	require.Greater(t, Prior(0.8, 5), Prior(0.8, 2))
	c := given(0, "a", "c", true)
	c.Injected[0].Prior = 0.1
	d := given(1, "b", "d", true)
	es := fit([]TrialRun{c, d}, noon)
	require.Greater(t, effectOf(t, es, "c").Effect, effectOf(t, es, "d").Effect+0.05)
}

func BenchmarkFit(b *testing.B) {
	book := NewCreditBook()
	runs := many(10000, 1)
	for i := range runs {
		book.Add(&runs[i])
	}
	now := runs[len(runs)-1].At
	for b.Loop() {
		book.Fit(now)
	}
}
