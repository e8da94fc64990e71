package effect

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// ended returns a run of a test that received c_1, which warns of a missed defect.
func ended(at time.Time, id, test string, wrong taxonomy.Direction) TrialRun {
	r := TrialRun{
		ID: id, At: at, Test: test, Arm: Memory,
		Injected: []Candidate{{ID: "c_1", ErrorType: "x", Direction: taxonomy.FalsePass}},
	}
	r.Correct = wrong == ""
	if !r.Correct {
		r.Wrong = Mistake{"x", wrong}
	}
	return r
}

func TestTallies(t *testing.T) {
	runs := []TrialRun{
		ended(noon, "1", "a", taxonomy.FalsePass), // repeats the mistake
		ended(noon.Add(1), "2", "a", ""),          // right after the mistake
		ended(noon.Add(2), "3", "b", taxonomy.FalseFail),
		ended(noon.Add(3), "4", "b", taxonomy.FalseFail), // misled, twice
		ended(noon.Add(4), "5", "c", taxonomy.FalseFail),
		ended(noon.Add(5), "6", "c", taxonomy.FalseFail),
		ended(noon.Add(6), "7", "c", ""),
		ended(noon.Add(7), "8", "c", ""), // but equally often right
		ended(noon.Add(8), "9", "d", taxonomy.FalseFail),
	}
	got := Tallies(runs, noon)
	require.Equal(t, map[string]*MemoryTally{"c_1": {Repeated: 1, Confirmed: 1, NotOn: []string{"b"}}}, got)
	require.Empty(t, Tallies(runs, noon.Add(200*24*time.Hour))["c_1"].NotOn, "what is long past is tried again")
}

func TestRevise(t *testing.T) {
	n := tree.Node{
		ID: "c_1", Type: tree.Case, Status: tree.Active, Revision: 3, Content: tree.Content{Confidence: 0.6},
		Metadata: tree.Metadata{UsageCount: 5, SuccessRate: 0.4},
		Counters: map[string]tree.Counters{"theirs": {Used: 3, Correct: 1}},
	}
	e := Effect{ID: "c_1", Runs: 20, Tests: 9, Right: 15, Effect: 0.1, SD: 0.04, PHarm: 0.01, Before: 0.4}
	c, r, ok := Revise(&n, &e, &MemoryTally{Confirmed: 4}, "ours", noon)
	require.True(t, ok)
	require.Empty(t, r.ID)
	require.Equal(t, tree.OpCredit, c.Op)
	require.Equal(t, 25, c.Node.Metadata.UsageCount, "ours, theirs, and two of a time before counters")
	require.InDelta(t, 17.0/25, c.Node.Metadata.SuccessRate, 1e-4)
	require.Equal(t, tree.Counters{Used: 20, Correct: 15}, c.Node.Counters["ours"])
	require.Equal(t, 4, c.Node.Credit.Confirmed)
	require.InDelta(t, 0.99, c.Node.Content.Confidence, 1e-4, "what runs show")
	require.Equal(t, map[string]int{"c_1": 3}, c.Basis)

	_, _, ok = Revise(&c.Node, &e, &MemoryTally{Confirmed: 4}, "ours", noon)
	require.False(t, ok, "the same again changes nothing")

	e.PHarm, e.Effect = 0.97, -0.2
	c, r, ok = Revise(&c.Node, &e, nil, "ours", noon)
	require.True(t, ok)
	require.Equal(t, tree.Retired, r.Now)
	require.Equal(t, tree.OpStatus, c.Op)
	require.True(t, c.Node.HeldBack())
	require.Equal(t, tree.Held{Since: noon, Was: tree.Active, Why: c.Why}, *c.Node.Credit.Held)
	require.Less(t, c.Node.Content.Confidence, 0.3)

	e.PHarm, e.Effect = 0.2, 0.05
	c, r, ok = Revise(&c.Node, &e, nil, "ours", noon.Add(time.Hour))
	require.True(t, ok)
	require.Equal(t, Revised{"c_1", tree.Retired, tree.Active, r.Why}, r)
	require.False(t, c.Node.HeldBack())
	require.Nil(t, c.Node.Credit.Held)
	c.Node.Status = tree.Retired
	require.False(t, c.Node.HeldBack(), "retired by learning, and not for harm")

	c.Node.Status, c.Node.Credit.Held = tree.Active, &tree.Held{Since: noon, Was: tree.Active, Why: "it harmed"}
	c, _, ok = Revise(&c.Node, &e, nil, "ours", noon.Add(time.Hour))
	require.True(t, ok)
	require.Nil(t, c.Node.Credit.Held, "stored by an earlier version")
}

// TestSuspect: of two memories at different places, the harmful one is found, even if its place is as hard as the harm
// is large.
func TestSuspect(t *testing.T) {
	var runs []TrialRun
	for i := range 120 {
		r := watched(i, []Treatment{Memory, Memory, None}[i%3], 2.0/3, false)
		r.Test = "hard"
		id := "c_bad"
		right := r.Arm == None && i%2 == 0
		if i >= 60 {
			r.Test, id = "easy", "c_good"
			right = r.Arm == Memory || i%4 == 0
		}
		r.Correct = right
		r.Eligible = []Candidate{{ID: id, Type: tree.Case}}
		if r.Arm == Memory {
			r.Injected = r.Eligible
		}
		runs = append(runs, *r)
	}
	fit := Weigh(runs).Fit(runs[len(runs)-1].At)
	Suspect(fit, runs, nil, func(string) bool { return false })
	require.Equal(t, "c_bad", fit[0].ID)
	require.Greater(t, fit[0].EHarm, proof)
	require.Greater(t, fit[0].PHarm, injectTo)
	require.Less(t, fit[1].PHarm, 0.1)

	// A memory found together with one that is held back is not blamed.
	for i := range runs[:60] {
		runs[i].Eligible = append(runs[i].Eligible, Candidate{ID: "c_beside"})
	}
	beside := []Effect{{ID: "c_beside", PHarm: 0.4}}
	Suspect(beside, runs, nil, func(id string) bool { return id == "c_bad" })
	require.Equal(t, []Effect{{ID: "c_beside", PHarm: 0.4}}, beside)
}

// TestBlameCounts: a memory blamed by an ablation is detected without a hold-out.
func TestBlameCounts(t *testing.T) {
	e := []Effect{{ID: "c_1", PHarm: 0.3}, {ID: "c_2", PHarm: 0.3}}
	Suspect(e, nil, []Blamed{{Memory: "c_1", E: 16}, {Memory: "c_1", E: 16}}, func(string) bool { return false })
	require.Greater(t, e[0].PHarm, 0.9)
	require.InDelta(t, 256, e[0].EHarm, 1e-6)
	require.Equal(t, Effect{ID: "c_2", PHarm: 0.3}, e[1])
}

// TestWatchIsAFunctionOfTheLedger: an open breaker goes on trial at the point at which the tree learned.
func TestWatchIsAFunctionOfTheLedger(t *testing.T) {
	j := Joined{Drawn: 300}
	for i := range 300 {
		r := watched(i, []Treatment{Memory, None}[i%2], 0.5, i%2 == 1)
		r.Ended = uint64(1000 + i)
		j.Runs = append(j.Runs, *r)
	}
	b := Watch(&j)
	require.Equal(t, Open, b.All.State)
	require.Equal(t, 300, b.Drawn)
	require.Equal(t, b, Watch(&j), "again the same")
	j.Evolved = []learnedAt{{Seq: 2000, At: noon.Add(48 * time.Hour)}}
	require.Equal(t, HalfOpen, Watch(&j).All.State)
}

// BenchmarkLearn measures the work after new outcomes: all of it for 10,000 runs of a joined ledger.
func BenchmarkLearn(b *testing.B) {
	var runs []TrialRun
	for i := range 10_000 {
		r := watched(i, []Treatment{Memory, Memory, Memory, None}[i%4], 0.75, i%3 == 0)
		r.Eligible = nil
		for k := range 3 {
			r.Eligible = append(r.Eligible, Candidate{ID: "c_" + string(rune('a'+(i+k*7)%26)), Type: tree.Case, ErrorType: "x"})
		}
		if r.Arm == Memory {
			r.Injected = r.Eligible
		}
		runs = append(runs, *r)
	}
	j := Joined{Runs: runs}
	for b.Loop() {
		Watch(&j)
		fit := Weigh(runs).Fit(runs[len(runs)-1].At)
		Suspect(fit, runs, nil, func(string) bool { return false })
		Tallies(runs, runs[len(runs)-1].At)
	}
}
