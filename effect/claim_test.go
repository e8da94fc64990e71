package effect

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/tree"
)

// TestNoClaimOfFewRuns: a memory with many cases is expected to help before any run, which is no claim before ten runs
// of five tests.
func TestNoClaimOfFewRuns(t *testing.T) {
	given := []Candidate{{ID: "s_1", Rank: 1, Type: tree.Strategy, Prior: 4 * expected}}
	for runs := 1; runs <= 12; runs++ {
		for tests := 1; tests <= runs; tests++ {
			var in []TrialRun
			for i := range runs {
				in = append(in, TrialRun{
					ID: fmt.Sprint("t_", i), At: noon, Test: fmt.Sprint("test", i%tests), Arm: Memory, Correct: true,
					Chances: Chances{Memory: 0.5}, Eligible: given, Injected: given,
				})
			}
			fit := Weigh(in).Fit(noon)
			e := &fit[0]
			require.Equal(t, []int{runs, tests, runs}, []int{e.Runs, e.Tests, e.Right})
			r := NewReport(&Joined{Runs: in}, &Breaker{}, fit)
			if runs >= ClaimRuns && tests >= ClaimTests {
				require.True(t, e.Enough())
				require.Zero(t, r.TooFew)
				continue
			}
			e.PHarm = 0.001
			require.Equal(t, unclear, e.claim())
			require.Contains(t, e.Size().EN, fmt.Sprintf("too few runs to tell: n=%d, tests %d, right %d", runs, tests, runs))
			require.NotContains(t, e.Size().EN, "points")
			require.NotContains(t, e.Size().ZH, "百分点")
			require.Empty(t, r.Helpful)
			require.Empty(t, r.Harmful)
			require.Equal(t, 1, r.TooFew)
			e.PHarm, e.EHarm = 0.999, 1000
			require.Equal(t, unclear, e.claim())
			for _, was := range []tree.Status{tree.Active, tree.Quarantined} {
				_, why := judge(e, Standing{Status: was, Since: noon, Ours: true}, noon)
				require.NotContains(t, why.EN, "harm", "a precaution claims nothing")
			}
		}
	}
}

// TestClaim checks the claims with enough runs.
func TestClaim(t *testing.T) {
	for want, p := range map[conclusion]float64{helps: 0.05, harms: 0.66, unclear: 0.5} {
		require.Equal(t, want, (&Effect{Runs: ClaimRuns, Tests: ClaimTests, PHarm: p}).claim())
	}
}
