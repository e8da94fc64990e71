package effect

import (
	"fmt"

	"github.com/memtree/memtree/taxonomy"
)

// With fewer runs and tests than these, the measured effect of a memory is mostly the assumed one.
const (
	ClaimRuns  = 10 // least number of runs that must have received a memory before its effect is stated
	ClaimTests = 5  // least number of different tests among these runs
)

// Enough reports whether e rests on at least ClaimRuns runs of ClaimTests tests, as a statement about the memory
// requires.
func (e *Effect) Enough() bool { return e.Runs >= ClaimRuns && e.Tests >= ClaimTests }

// conclusion is what the runs of one memory show.
type conclusion string

// The claims.
const (
	unclear conclusion = ""      // too few runs, or no clear result
	helps   conclusion = "helps" // with a probability of at least 95 %
	harms   conclusion = "harms" // likely, see [Next]
)

// claim returns the conclusion about the memory.
func (e *Effect) claim() conclusion {
	switch {
	case !e.Enough():
		return unclear
	case e.Confidence() >= surely:
		return helps
	case e.PHarm > injectTo:
		return harms
	}
	return unclear
}

// Size describes the effect in a sentence: its size and the number of runs, or that there are too few runs.
func (e *Effect) Size() taxonomy.Text {
	if e.Runs == 0 {
		return taxonomy.Text{EN: "given to no run yet.", ZH: "尚未用于任何运行。"}
	}
	if !e.Enough() {
		return taxonomy.Text{
			EN: fmt.Sprintf("too few runs to tell: n=%d, tests %d, right %d; it takes %d runs of %d tests.",
				e.Runs, e.Tests, e.Right, ClaimRuns, ClaimTests),
			ZH: fmt.Sprintf("运行太少，尚无法判断：n=%d，测试 %d 个，正确 %d 次；至少需要 %d 次运行、%d 个测试。",
				e.Runs, e.Tests, e.Right, ClaimRuns, ClaimTests),
		}
	}
	half := 1.96 * e.SD
	low, high := points(e.Effect-half), points(e.Effect+half)
	return taxonomy.Text{
		EN: fmt.Sprintf("%s points (95 %%: %s to %s) on tests of equal difficulty, n=%d, tests %d.",
			points(e.Effect), low, high, e.Runs, e.Tests),
		ZH: fmt.Sprintf("在难度相同的测试上 %s 个百分点（95 %%：%s 至 %s），n=%d，测试 %d 个。",
			points(e.Effect), low, high, e.Runs, e.Tests),
	}
}
