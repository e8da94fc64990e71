package effect

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/tree"
)

func TestNext(t *testing.T) {
	long := noon.Add(-91 * 24 * time.Hour)
	for _, c := range []struct {
		name   string
		harm   float64
		runs   int
		status tree.Status
		mark   tree.Mark
		since  time.Time
		want   tree.Status
	}{
		{"likely to help", 0.3, 50, tree.Active, "", noon, tree.Active},
		{"as likely as may be", 0.65, 50, tree.Active, "", noon, tree.Active},
		{"likely to harm", 0.66, 5, tree.Probation, "", noon, tree.Quarantined},
		{"too few runs", 0.94, 4, tree.Active, "", noon, tree.Active},
		{"sure to harm, few runs", 0.96, 19, tree.Active, "", noon, tree.Quarantined},
		{"sure to harm", 0.96, 20, tree.Active, "", noon, tree.Retired},
		{"waits", 0.5, 20, tree.Quarantined, "", noon, tree.Quarantined},
		{"clears itself", 0.39, 20, tree.Quarantined, "", noon, tree.Active},
		{"clears itself late", 0.39, 20, tree.Quarantined, "", long, tree.Active},
		{"never clears itself", 0.5, 20, tree.Quarantined, "", long, tree.Retired},
		{"retired stays", 0.5, 20, tree.Retired, "", long, tree.Retired},
		{"retired comes back", 0.39, 20, tree.Retired, "", long, tree.Active},
		{"pinned stays", 0.99, 90, tree.Active, tree.Pinned, noon, tree.Active},
		{"pinned on probation stays", 0.99, 90, tree.Probation, tree.Pinned, noon, tree.Probation},
		{"pinned comes back", 0.99, 90, tree.Retired, tree.Pinned, noon, tree.Active},
		{"on probation", 0.39, 5, tree.Probation, "", noon, tree.Active},
		{"on probation for a while yet", 0.39, 4, tree.Probation, "", noon, tree.Probation},
		{"banned stays", 0.99, 90, tree.Active, tree.Banned, noon, tree.Active},
		{"banned stays away", 0.01, 90, tree.Retired, tree.Banned, noon, tree.Retired},
		{"archived is over", 0.99, 90, tree.Archived, tree.Pinned, noon, tree.Archived},
	} {
		next, why := Next(
			&Effect{ID: "c_1", PHarm: c.harm, Runs: c.runs, Tests: c.runs},
			Standing{c.status, c.mark, c.since, true},
			noon,
		)
		require.Equal(t, c.want, next, c.name)
		require.Equal(t, c.want == c.status, why.EN == "", c.name)
		require.Equal(t, c.want == c.status, why.ZH == "", c.name)
	}
}

// TestNextLeavesOthersAlone: an import in quarantine and a lesson retired by evolution are not restored.
func TestNextLeavesOthersAlone(t *testing.T) {
	for _, status := range []tree.Status{tree.Quarantined, tree.Retired} {
		for _, mark := range []tree.Mark{tree.Unmarked, tree.Pinned, tree.Banned} {
			next, why := Next(&Effect{PHarm: 0.01, Runs: 50}, Standing{Status: status, Mark: mark, Since: noon}, noon)
			require.Equal(t, status, next)
			require.Zero(t, why)
		}
	}
	next, _ := Next(&Effect{PHarm: 0.99, Runs: 50, Tests: 9}, Standing{Status: tree.Active}, noon)
	require.Equal(t, tree.Retired, next, "whoever made it active")
}

func TestGiven(t *testing.T) {
	require.True(t, Given(tree.Active, ""))
	require.True(t, Given(tree.Probation, ""))
	require.False(t, Given(tree.Quarantined, ""))
	require.False(t, Given(tree.Active, tree.Banned))
	require.False(t, Given(tree.Quarantined, tree.Pinned), "an import waits for a person to promote it")
}

func TestProbe(t *testing.T) {
	probed := 0
	for i := range 5000 {
		if Probes(fmt.Sprint("t_", i), "s") {
			probed++
		}
	}
	require.InDelta(t, 500, probed, 100)
}

func TestSentence(t *testing.T) {
	e := Effect{ID: "e_7f3a", Runs: 41, Tests: 9, Effect: 0.07, SD: 0.05}
	require.Equal(t, "e_7f3a: +7 points (95 %: -3 to +17) on tests of equal difficulty, n=41, tests 9.", e.Sentence().EN)
	require.Equal(t, "e_7f3a：在难度相同的测试上 +7 个百分点（95 %：-3 至 +17），n=41，测试 9 个。", e.Sentence().ZH)
	require.Equal(t, "e_7f3a: given to no run yet.", (&Effect{ID: "e_7f3a"}).Sentence().EN)
	require.Equal(t, "0", points(-0.001))
}
