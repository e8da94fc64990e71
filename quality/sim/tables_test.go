package sim

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/effect"
	"github.com/memtree/memtree/internal/golden"
)

// whole skips the test unless the full tables are requested, as `make sim` does. They take some minutes.
func whole(t *testing.T) {
	t.Helper()
	if os.Getenv("MEMTREE_SIM") == "" {
		t.Skip("make sim draws the full tables")
	}
}

func TestWorldIsTheSameAgain(t *testing.T) {
	a, b := New(Real(7)).Play(300, effect.Schedule()), New(Real(7)).Play(300, effect.Schedule())
	require.Equal(t, a, b)
	require.Less(t, len(a), 300, "some outcomes never come")
	late := 0
	for i := range a[1:] {
		if a[i+1].At.Before(a[i].At) {
			late++
		}
	}
	require.Positive(t, late, "and some come late")
}

// TestRidgeBeatsTheRules is a small part of the table of memories.
func TestRidgeBeatsTheRules(t *testing.T) {
	found := Nodes(Rules(), 2000, 2)
	for i, f := range found[1:] {
		require.Greater(t, found[0].AUC, f.AUC, Rules()[i+1].Name)
		require.Greater(t, found[0].Spearman, f.Spearman, Rules()[i+1].Name)
	}
}

func TestStreamsAreWatched(t *testing.T) {
	x := Watch(Stream{Fail: 0.1, Harm: 0.3, Runs: 400, Holdout: effect.Schedule()}, 20)
	require.Greater(t, x.Harm, 0.8)
	require.Zero(t, x.Help)
	require.Positive(t, x.Half)
	x = Watch(Stream{Fail: 0.4, Harm: -0.3, Late: 5, Missing: 0.1, Runs: 400, Holdout: effect.Schedule()}, 20)
	require.Greater(t, x.Help, 0.8)
	require.Zero(t, x.Harm)
}

func TestLoopIsClosed(t *testing.T) {
	shares := Loops(400, 100, 1)
	require.Equal(t, "oracle", shares[0].Name)
	require.Greater(t, shares[0].Right, shares[1].Right)
}

func TestSimNodes(t *testing.T) {
	whole(t)
	const worlds = 40
	var out strings.Builder
	var bars golden.Bars
	fmt.Fprintf(&out, "Which memories harm: %d worlds, seeds 1 to %d; 120 memories, 3 in 10 of them harmful, "+
		"three to a run; drift, flaky tests,\n", worlds, worlds)
	fmt.Fprintf(&out, "late and missing outcomes; hold-out 20 %% of 200 runs, then 5 %%. AUC of \"it harms\", "+
		"Spearman's correlation with the true effect.\n\n")
	fmt.Fprintf(&out, "%-26s", "runs")
	sizes := []int{200, 500, 2000, 8000}
	for _, n := range sizes {
		fmt.Fprintf(&out, "%12d  ", n)
	}
	out.WriteString("\n")
	var all [][]Found
	for _, n := range sizes {
		all = append(all, Nodes(Rules(), n, worlds))
	}
	for i, r := range Rules() {
		fmt.Fprintf(&out, "%-26s", r.Name)
		for k := range sizes {
			fmt.Fprintf(&out, "%6.3f %5.2f  ", all[k][i].AUC, all[k][i].Spearman)
		}
		out.WriteString("\n")
	}
	for k, n := range sizes {
		var auc, rho float64
		for _, f := range all[k][1:] {
			auc, rho = max(auc, f.AUC), max(rho, f.Spearman)
		}
		bars.Least(fmt.Sprintf("AUC above the best other, %d runs", n), all[k][0].AUC-auc, 0)
		bars.Least(fmt.Sprintf("Spearman above the best other, %d runs", n), all[k][0].Spearman-rho, 0)
	}
	out.WriteString("\nOurs: true effects within its 95 % interval; memories it would retire, " +
		"in the mean of a world, and the share of them that harm\n")
	for _, n := range sizes {
		s := Trust(n, worlds)
		fmt.Fprintf(&out, "%26d  %.3f  %5.1f  %.3f\n", n, s.Covered, float64(s.Retired)/worlds, s.Rightly)
	}
	bars.Least("AUC at 2,000 runs", all[2][0].AUC, 0.93)
	bars.Least("Spearman at 2,000 runs", all[2][0].Spearman, 0.70)
	fmt.Fprint(t.Output(), out.String())
	golden.Equal(t, "testdata/nodes.golden", out.String())
	bars.Check(t)
}

func TestSimLoop(t *testing.T) {
	whole(t)
	const worlds = 20
	var out strings.Builder
	var bars golden.Bars
	fmt.Fprintf(&out, "Closed loop: the rule decides what is given; share of right runs in the last 1,000 of 6,000, "+
		"%d worlds, seeds 1 to %d,\n", worlds, worlds)
	fmt.Fprintf(&out, "± a standard error. Ours and the window hold runs out and pay for it; "+
		"the others hold none out.\n\n")
	shares := Loops(6000, 1000, worlds)
	best := 0.0
	for i, s := range shares {
		fmt.Fprintf(&out, "%-26s %.3f ± %.3f\n", s.Name, s.Right, s.Error)
		if i > 1 {
			best = max(best, s.Right)
		}
	}
	bars.Least("ours less the oracle", shares[1].Right-shares[0].Right, -0.04)
	bars.Least("ours less the best other", shares[1].Right-best, 0)
	fmt.Fprint(t.Output(), out.String())
	golden.Equal(t, "testdata/loop.golden", out.String())
	bars.Check(t)
}

// doubt is a hold-out of 20 %, and of half while harm is suspected.
var doubt = effect.Holdout{First: 0.2, Later: 0.2, Doubt: 0.5}

func TestSimStreams(t *testing.T) {
	whole(t)
	steady := Stream{Fail: 0.3, Spread: 0.2, Runs: 1000, Holdout: effect.Schedule()}
	drift := Stream{Fail: 0.3, Spread: 0.2, Drift: 0.15, Late: 10, Missing: 0.1, Runs: 1000, Holdout: effect.Schedule()}
	at20 := drift
	at20.Holdout = doubt
	var out strings.Builder
	var bars golden.Bars
	out.WriteString("What the breaker says of streams, seeds from 1, 40 tests. " +
		"fail: share of failures without memory, ± its spread between tests.\n" +
		"harm, help: share of streams in which it was proven. " +
		"type: in which some error type of eight opened. window: 20 runs of each arm .15 apart.\n" +
		"oracle: the bet of one who knows every test's share and the size of the effect: " +
		"in the mean none wins faster. half, 95 %: runs until proven.\n\n")
	fmt.Fprintf(&out, "%-38s %7s %6s %6s %6s %6s %6s %6s %5s %5s\n",
		"memory", "streams", "runs", "harm", "help", "type", "window", "oracle", "half", "95 %")
	row := func(name string, s Stream, n int) Watched {
		x := Watch(s, n)
		fmt.Fprintf(&out, "%-38s %7d %6d %6.3f %6.3f %6.3f %6.3f %6.3f %5s %5s\n",
			name, n, s.Runs, x.Harm, x.Help, x.Typed, x.Window, x.Oracle, known(x.Half), known(x.Most))
		return x
	}
	x := row("does nothing, steady", steady, 10000)
	bars.Least("no false trip, steady", 1-x.Harm, 0.95)
	x = row("does nothing, drift, late, missing", drift, 10000)
	bars.Least("no false trip, drift", 1-x.Harm, 0.95)
	bars.Least("no false proof of help, drift", 1-x.Help, 0.95)
	x = row("the same, 20 % held out, 50 % in doubt", at20, 10000)
	bars.Least("no false trip, 20 % held out", 1-x.Harm, 0.95)
	for _, fail := range []float64{0.05, 0.1, 0.2, 0.3, 0.5} {
		x = row(fmt.Sprintf("harms +20, fail %.2f, 20 %% held out", fail),
			Stream{Fail: fail, Harm: 0.2, Runs: 400, Holdout: doubt}, 1000)
		bars.Tell(fmt.Sprintf("harm found, fail %.2f", fail), x.Harm)
	}
	found := Stream{Fail: 0.3, Spread: 0.2, Harm: 0.2, Runs: 400, Holdout: doubt}
	x = row("harms +20, fail .30 ± .20, 20 %", found, 1000)
	bars.Tell("harm found of the bar's .95, fail .30 ± .20", x.Harm)
	found.Runs = 1000
	row("the same, longer", found, 1000)
	found.Holdout = effect.Schedule()
	row("the same, 20 % of 200, then 5 %", found, 1000)
	found.Runs, found.Holdout = 400, effect.Fixed(0.2)
	row("the same, 20 % always", found, 1000)
	help := Stream{Fail: 0.4, Spread: 0.2, Harm: -0.2, Runs: 400, Holdout: doubt}
	x = row("helps -20, fail .40 ± .20, 20 %", help, 1000)
	bars.Tell("help found of the bar's .95, fail .40 ± .20", x.Help)
	help.Runs = 1000
	row("the same, longer", help, 1000)
	row("helps -20 in 3,000 runs, then harms",
		Stream{Fail: 0.3, Spread: 0.2, Harm: 0.2, Turn: 3000, Runs: 6000, Holdout: effect.Schedule()}, 200)
	fmt.Fprint(t.Output(), out.String())
	golden.Equal(t, "testdata/streams.golden", out.String())
	bars.Check(t)
}

func known(n int) string {
	if n == 0 {
		return "-"
	}
	return fmt.Sprint(n)
}
