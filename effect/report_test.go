package effect

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/internal/golden"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// history simulates runs in which one memory helps and one harms, and returns them with their breaker and fit.
func history(n int, lift float64, h Holdout, seed uint64) ([]TrialRun, *Breaker, []Effect) {
	rng := rand.New(rand.NewPCG(seed, 5))
	b, book := &Breaker{}, NewCreditBook()
	var runs []TrialRun
	for i := range n {
		r := TrialRun{
			ID: fmt.Sprintf("t_%d_%04d", seed, i), At: noon.Add(time.Duration(i) * time.Hour / 4),
			Test: fmt.Sprint("test", rng.IntN(20)),
			Eligible: []Candidate{{
				ID: []string{"c_good", "c_bad"}[i%2], Rank: 1, Type: tree.Case,
				ErrorType: "form_validation_error", Direction: taxonomy.FalsePass,
			}},
		}
		r.Chances = b.Decide(r.types(), h).Chances
		r.Arm = DrawArm(r.ID, "salt", r.Chances)
		p := 0.55
		switch r.Arm {
		case Memory:
			r.Injected = r.Eligible
			p += lift + []float64{0.1, -0.1}[i%2]
		case Other:
			p += lift / 2
			r.Injected = []Candidate{{ID: "c_any", Type: tree.Case}}
		case None:
		}
		if r.Correct = rng.Float64() < p; !r.Correct {
			way := []taxonomy.Direction{taxonomy.FalsePass, taxonomy.FalseFail}[rng.IntN(2)]
			r.Wrong = Mistake{"form_validation_error", way}
		}
		b.Observe(&r)
		book.Add(&r)
		runs = append(runs, r)
	}
	return runs, b, book.Fit(noon)
}

func TestReport(t *testing.T) {
	var out strings.Builder
	three := Fixed(0.2)
	three.Other = 0.25
	for _, c := range []struct {
		name string
		n    int
		lift float64
		h    Holdout
	}{
		{"no run", 0, 0, Schedule()},
		{"nothing held out", 40, 0.1, Fixed(0)},
		{"a few runs", 60, 0.1, Schedule()},
		{"it helps", 800, 0.2, Fixed(0.2)},
		{"it harms", 300, -0.3, Fixed(0.2)},
		{"three arms", 800, 0.05, three},
	} {
		runs, b, effects := history(c.n, c.lift, c.h, 1)
		r := NewReport(&Joined{Runs: runs}, b, effects)
		r.EHelp, r.EHarm = math.Round(100*r.EHelp)/100, math.Round(100*r.EHarm)/100
		data, err := json.Marshal(r)
		require.NoError(t, err)
		fmt.Fprintf(&out, "== %s\n%s\n%s\n%s\n", c.name, r.Verdict.EN, r.Verdict.ZH, data)
		for _, e := range append(r.Helpful, r.Harmful...) {
			out.WriteString(e.Sentence().EN + "\n" + e.Sentence().ZH + "\n")
		}
	}
	golden.Equal(t, "testdata/report.golden", out.String())
}

func TestReportOnTrial(t *testing.T) {
	runs, b, effects := history(600, -0.3, Fixed(0.2), 1)
	require.Equal(t, Open, b.All.State)
	b.Evolved(noon, 1)
	r := NewReport(&Joined{Runs: runs}, b, effects)
	require.Equal(t, "Memory harmed before the tree evolved and is on trial: "+
		"0 of 100 runs, half of them without it.", r.Verdict.EN)
	require.Equal(t, "演化之前记忆有害，现正试用：已完成 0 / 100 次运行，其中一半不提供记忆。", r.Verdict.ZH)
}

// TestReportNamesBothFiguresOfEvidence: what proved help is the highest evidence, which need not be the present one.
func TestReportNamesBothFiguresOfEvidence(t *testing.T) {
	runs, b, effects := history(100, 0.3, Fixed(0.2), 1)
	b.All.Help.Best = b.All.Help.E()
	r := NewReport(&Joined{Runs: runs}, b, effects)
	require.NotContains(t, r.Verdict.EN, "at its highest")
	b.All.Help.Best = 4 * b.All.Help.E()
	r = NewReport(&Joined{Runs: runs}, b, effects)
	require.Contains(t, r.Verdict.EN, fmt.Sprintf(", evidence %s at its highest and %s now; 20 at any time is proof.",
		amount(4*r.EHelp).EN, amount(r.EHelp).EN))
	require.Contains(t, r.Verdict.ZH, fmt.Sprintf("，证据值最高时为%s，现为%s（曾达到 20 即为证实）。",
		amount(4*r.EHelp).ZH, amount(r.EHelp).ZH))
}

// TestReportKeepsDirectionsApart: memory that turns missed defects into false alarms has no total effect, and the
// report shows both.
func TestReportKeepsDirectionsApart(t *testing.T) {
	var runs []TrialRun
	for i := range 200 {
		r := TrialRun{
			ID: fmt.Sprint(i), Test: "t", Chances: Chances{Memory: 0.5}, Arm: Memory, Correct: i%2 == 0,
			Eligible: []Candidate{{ID: "c", ErrorType: "x", Direction: taxonomy.FalsePass}},
		}
		d := taxonomy.FalseFail
		if i%4 < 2 {
			r.Arm, d = None, taxonomy.FalsePass
		}
		if !r.Correct {
			r.Wrong = Mistake{"x", d}
		}
		runs = append(runs, r)
	}
	r := NewReport(&Joined{Runs: runs}, &Breaker{}, nil)
	require.InDelta(t, 0, r.Lift.Lift, 1e-12)
	require.InDelta(t, -0.5, r.FalsePass.Lift, 1e-12)
	require.InDelta(t, 0.5, r.FalseFail.Lift, 1e-12)
	require.InDelta(t, -0.5, r.Repeat.Lift, 1e-12, "and what was warned of did not recur")
	require.Less(t, r.Repeat.High, -0.3)
}
