package effect

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/taxonomy"
)

func TestExplain(t *testing.T) {
	c := Candidate{ID: "c_1", ErrorType: "x", Direction: taxonomy.FalsePass}
	other := Candidate{ID: "c_2", ErrorType: "y", Direction: taxonomy.Other}
	run := func(id string, wrong Mistake, given ...Candidate) TrialRun {
		return TrialRun{ID: id, Test: "a", Arm: Memory, Correct: wrong == Mistake{}, Wrong: wrong, Injected: given}
	}
	random := run("5", Mistake{}, c)
	random.Arm = Other
	got := explain([]TrialRun{
		run("1", Mistake{}, c), // no earlier mistake
		run("2", Mistake{"x", taxonomy.FalsePass}, c, other),
		run("3", Mistake{"z", taxonomy.FalseFail}, c, other),
		run("4", Mistake{}, other, c),
		random,
		run("6", Mistake{"y", taxonomy.FalsePass}, c), // another mistake
	})
	require.Equal(t, []runEvidence{
		{"2", "a", "c_1", repeated}, {"3", "a", "c_1", overCorrected}, {"4", "a", "c_1", confirmed},
	}, got)
}
