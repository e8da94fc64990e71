package plot

import (
	"fmt"
	"html/template"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/effect"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// history is a report on n runs; of three of them one is held out, and fails.
func history(n int) *effect.Report {
	j, b, book := &effect.Joined{}, &effect.Breaker{}, effect.NewCreditBook()
	for i := range n {
		r := effect.TrialRun{
			ID: fmt.Sprint("run ", i), At: time.Date(2026, 3, 1, i, 0, 0, 0, time.UTC), Test: fmt.Sprint("test", i%5),
			Eligible: []effect.Candidate{{ID: "c_one", Rank: 1, Type: tree.Case, ErrorType: "form_validation_error",
				Direction: taxonomy.FalsePass}},
			Chances: effect.Chances{Memory: 2. / 3}, Arm: effect.Memory, Correct: i%4 > 0,
		}
		if i%3 == 0 {
			r.Arm, r.Correct = effect.None, i%2 == 0
		}
		b.Observe(&r)
		book.Add(&r)
		j.Runs = append(j.Runs, r)
		j.Asked = append(j.Asked, effect.Asked{At: r.At, Found: i%4 > 0, Took: float64(i%7) / 2})
	}
	return effect.NewReport(j, b, book.Fit(time.Date(2026, 4, 1, 0, 0, 0, 0, time.UTC)))
}

// Every plot has a text and a short table that ends with the present values.
func TestCharts(t *testing.T) {
	say := func(english string, args ...any) string { return fmt.Sprintf(english, args...) }
	made := []time.Time{time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC), time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC)}
	charts := Charts(say, history(90), &Growth{Cases: effect.Growth(made)})
	require.Len(t, charts, 5)
	plots, err := template.New("plots").Parse(Template)
	require.NoError(t, err)
	for _, c := range charts {
		require.NotEmpty(t, c.Says)
		require.NotEmpty(t, c.Rows)
		for _, row := range c.Rows {
			require.Len(t, row, len(c.Heads))
		}
		var b strings.Builder
		require.NoError(t, plots.ExecuteTemplate(&b, "plot", c))
		require.NotContains(t, b.String(), "NaN")
	}
	require.Equal(t, "90", charts[0].Rows[mostRows-1][0])
	require.Len(t, charts[0].Rows, mostRows)
	require.Equal(t, []string{"cases", "2026-03-02 00:00", "2"}, charts[4].Rows[1])
}

// Who reads the riskiest first finds more than who reads at random, where risk ranks well.
// TestSameTests: shares are not said to differ where they do not.
func TestSameTests(t *testing.T) {
	r := &effect.Report{Guided: 1, None: 1, Lift: effect.Lift{N: 1, M: 1, Tests: 1, With: 1}}
	r.Right.Guided = 1
	same := "The comparison goes test by test: 1 of 1 runs with memory and 1 of 1 without, of the tests that ran both " +
		"ways (1)."
	require.Equal(t, same, SameTests(fmt.Sprintf, r))
	r.Right.Guided = 0
	require.Equal(t, same+" So its shares differ from those of all runs.", SameTests(fmt.Sprintf, r))
	require.NotContains(t, SameTests(fmt.Sprintf, &effect.Report{Guided: 3, None: 1}), "differ", "none is compared")
}

func TestGain(t *testing.T) {
	say := func(english string, args ...any) string { return fmt.Sprintf(english, args...) }
	var verdicts []Ranked
	for i := range 50 {
		verdicts = append(verdicts, Ranked{Order: float64(i), Wrong: i >= 45})
	}
	require.Contains(t, Gain(say, verdicts).Says, "fifth of 50 verdicts finds 100 % of the wrong ones")
	require.Nil(t, Gain(say, verdicts[:45]), "none is wrong")
	require.Nil(t, Gain(say, verdicts[30:]), "too few")
}

// A plot without enough data is not drawn, and a sentence states how many runs it takes.
func TestTooLittle(t *testing.T) {
	say := func(english string, args ...any) string { return fmt.Sprintf(english, args...) }
	r := history(0)
	require.Empty(t, Charts(say, r, &Growth{}))
	require.Contains(t, Next(say, r, 0), "Ask for guidance before each run")
	require.Equal(t, "With one run of five held out, a gain of 20 points is shown after about 390 runs, "+
		"one of 10 points after about 1600.", Wait(say, r))
	require.Empty(t, Wait(say, history(90)), "it is foretold from the runs")
}
