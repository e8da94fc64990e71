package memtree_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/curation"
	"github.com/memtree/memtree/effect"
	"github.com/memtree/memtree/harness"
	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/tree"
)

var buttons = []string{"Gift wrap", "Check out", "Remove", "Apply coupon"}

// cartTest is a test of a page to which four memories apply.
func cartTest(run string) harness.Test {
	page := "- main:\n  - heading \"Cart\"\n"
	for _, b := range buttons {
		page += "  - button \"" + b + "\"\n"
	}
	return harness.Test{
		ID: "cart-all", RunID: run, Prompt: "Can all buttons of the cart be used?", Observation: page,
		Scene: tree.Scene{ID: "cart", Type: "cart", Route: "/cart"}, Scope: tree.Scope{Test: "cart-all"},
		GroundTruth: tree.Raw(`{"has_defect":false}`),
	}
}

// rememberCart opens a memory of four mistakes on the page of cartTest.
func rememberCart(t *testing.T, dir string) *memtree.Memory {
	t.Helper()
	m := open(t, dir, nil)
	for i, b := range buttons {
		require.NoError(t, m.Record(t.Context(), memtree.Evaluation{
			RunID: fmt.Sprint("before-", i), CaseID: "cart-all", Prompt: `Can the "` + b + `" button of the cart be used?`,
			Scene: cartTest("").Scene, Scope: cartTest("").Scope, Judgment: tree.Raw(`{"has_defect":false}`),
			GroundTruth: tree.Raw(`{"has_defect":true,"defect_details":["The \"` + b + `\" button is disabled."]}`),
		}))
	}
	require.NoError(t, m.Wait(t.Context()))
	return m
}

// misled is an agent that judges wrongly when its prompt speaks of one button.
func misled(by string) harness.RunTest {
	return func(_ context.Context, c harness.Test) (harness.TestResult, error) {
		wrong := strings.Contains(c.Prompt, by)
		return harness.TestResult{Judgment: tree.Raw(fmt.Sprintf(`{"has_defect":%v}`, wrong))}, nil
	}
}

func inPairs(pairs int) *harness.WrapOptions {
	return &harness.WrapOptions{Ablate: harness.AblateOptions{Pairs: pairs}}
}

// ablationsOf closes a memory and returns what it found of failures.
func ablationsOf(t *testing.T, m *memtree.Memory, dir string) (found []ledger.Ablation, verdicts int) {
	t.Helper()
	for _, e := range ledgerOf(t, m, dir) {
		if e.Ablation != nil {
			require.NoError(t, e.Ablation.Check())
			found = append(found, *e.Ablation)
		}
		if e.Verdict != nil && strings.HasPrefix(e.Verdict.RunID, "tonight") {
			verdicts++
		}
	}
	return found, verdicts
}

// Of four memories the harmful one is found, in any position, after the caller has the result, and nothing but the
// finding remains of the runs it took.
func TestAblationFindsTheMemory(t *testing.T) {
	for _, bad := range buttons {
		t.Run(bad, func(t *testing.T) {
			dir := t.TempDir()
			m := rememberCart(t, dir)
			r, err := memtree.Wrap(m, misled("“"+bad+"”"), inPairs(3))(t.Context(), cartTest("tonight"))
			require.NoError(t, err)
			require.JSONEq(t, `{"has_defect":true}`, string(r.Judgment))
			require.NoError(t, m.Wait(t.Context()))
			culprit := ""
			for _, n := range nodes(t, m) {
				if n.CaseData != nil && strings.Contains(n.CaseData.TestCase.Prompt, bad) {
					culprit = n.ID
				}
			}
			found, verdicts := ablationsOf(t, m, dir)
			require.Equal(t, 1, verdicts)
			require.Len(t, found, 1)
			a := found[0]
			require.Equal(t, ledger.OnMemory, a.Blame)
			require.Len(t, a.Given, len(buttons))
			require.Equal(t, []string{culprit}, a.Culprits)
			require.Equal(t, r.Trial, a.Trial)
			require.LessOrEqual(t, len(a.Tried), 15)
			b, ok := effect.Blame(&a)
			require.True(t, ok)
			require.Equal(t, culprit, b.Memory)
			require.GreaterOrEqual(t, b.E, 63.9)
		})
	}
}

// A test that fails without memory too, and one that flips by itself, blame no memory. A run that
// was right, or whose truth is not known, is not run again.
func TestAblationBlamesNoMemory(t *testing.T) {
	flips := 0
	for name, c := range map[string]struct {
		run   harness.RunTest
		truth string
		blame ledger.Blame
	}{
		"hard": {run: misled(""), blame: ledger.NotOnMemory},
		"flaky": {run: func(context.Context, harness.Test) (harness.TestResult, error) {
			flips++
			return harness.TestResult{Judgment: tree.Raw(fmt.Sprintf(`{"has_defect":%v}`, flips%4 < 2))}, nil
		}, blame: ledger.OnFlaky},
		"right":   {run: misled("nowhere")},
		"unknown": {run: misled("“Remove”"), truth: "none"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			m := rememberCart(t, dir)
			test := cartTest("tonight")
			if c.truth != "" {
				test.GroundTruth = nil
			}
			_, err := memtree.Wrap(m, c.run, inPairs(3))(t.Context(), test)
			require.NoError(t, err)
			found, verdicts := ablationsOf(t, m, dir)
			require.Equal(t, 1, verdicts)
			if c.blame == "" {
				require.Empty(t, found)
				return
			}
			require.Len(t, found, 1)
			require.Equal(t, c.blame, found[0].Blame)
		})
	}
}

// Agents and judges that fail in every way during an ablation do no harm: the run is unchanged, and the finding states
// that it is unfinished.
func TestAblationSurvivesItsRuns(t *testing.T) {
	wrong := func(r harness.RunTest) harness.RunTest {
		var n atomic.Int64
		return func(ctx context.Context, c harness.Test) (harness.TestResult, error) {
			if n.Add(1) <= 2 { // the run itself, and one that passes without memory
				return misled("“Remove”")(ctx, c)
			}
			return r(ctx, c)
		}
	}
	judge := func(on int64, j harness.Judge) harness.Judge {
		var n atomic.Int64
		return func(ctx context.Context, c harness.Test, r harness.TestResult) (harness.JudgeVerdict, error) {
			if n.Add(1) < on {
				return harness.JudgeVerdict{Correct: string(r.Judgment) == `{"has_defect":false}`}, nil
			}
			return j(ctx, c, r)
		}
	}
	for name, c := range map[string]struct {
		run   harness.RunTest
		judge harness.Judge
	}{
		"error": {run: wrong(func(context.Context, harness.Test) (harness.TestResult, error) {
			return harness.TestResult{}, errors.New("no browser")
		})},
		"panic": {run: wrong(func(context.Context, harness.Test) (harness.TestResult, error) { panic("no browser") })},
		"nothing": {run: wrong(func(context.Context, harness.Test) (harness.TestResult,
			error) {
			return harness.TestResult{}, nil
		})},
		"judge error": {run: misled("“Remove”"), judge: judge(3,
			func(context.Context, harness.Test, harness.TestResult) (harness.JudgeVerdict, error) {
				return harness.JudgeVerdict{}, errors.New("no judge")
			})},
		"judge panic": {run: misled("“Remove”"), judge: judge(3,
			func(context.Context, harness.Test, harness.TestResult) (harness.JudgeVerdict, error) {
				panic("no judge")
			})},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			m := rememberCart(t, dir)
			o := inPairs(2)
			o.Judge = c.judge
			_, err := memtree.Wrap(m, c.run, o)(t.Context(), cartTest("tonight"))
			require.NoError(t, err)
			found, verdicts := ablationsOf(t, m, dir)
			require.Equal(t, 1, verdicts)
			require.Len(t, found, 1)
			require.Equal(t, ledger.Unfinished, found[0].Blame)
			require.Equal(t, ledger.WhyBrokenOff, found[0].Why)
		})
	}
}

// Once the caller's context has ended nothing more is run for him.
func TestAblationEndsWithItsContext(t *testing.T) {
	dir := t.TempDir()
	m := rememberCart(t, dir)
	ctx, cancel := context.WithCancel(t.Context())
	var n atomic.Int64
	run := func(in context.Context, c harness.Test) (harness.TestResult, error) {
		if n.Add(1) == 3 {
			cancel()
			<-in.Done()
		}
		return misled("“Remove”")(in, c)
	}
	_, err := memtree.Wrap(m, run, inPairs(3))(ctx, cartTest("tonight"))
	require.NoError(t, err)
	require.NoError(t, m.Wait(t.Context()))
	require.EqualValues(t, 3, n.Load())

	_, err = memtree.Wrap(m, misled("“Remove”"), inPairs(3))(ctx, cartTest("tonight, later"))
	require.NoError(t, err)
	found, _ := ablationsOf(t, m, dir)
	require.Len(t, found, 1)
	require.Equal(t, ledger.Unfinished, found[0].Blame)
}

// What is run is bounded, for a failure and for an hour.
func TestAblationIsBounded(t *testing.T) {
	for name, o := range map[string]harness.AblateOptions{
		"failure": {Pairs: 2, PerFailure: 5}, "hour": {Pairs: 2, PerHour: 5}, "too few": {Pairs: 2, PerFailure: 3},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			m := rememberCart(t, dir)
			var n atomic.Int64
			run := memtree.Wrap(m, func(ctx context.Context, c harness.Test) (harness.TestResult, error) {
				n.Add(1)
				return misled("“Apply coupon”")(ctx, c)
			}, &harness.WrapOptions{Ablate: o})
			_, err := run(t.Context(), cartTest("tonight"))
			require.NoError(t, err)
			found, _ := ablationsOf(t, m, dir)
			if name == "too few" {
				require.EqualValues(t, 1, n.Load())
				require.Empty(t, found)
				return
			}
			require.EqualValues(t, 6, n.Load())
			require.Len(t, found, 1)
			require.Equal(t, ledger.OnMemory, found[0].Blame)
			require.Len(t, found[0].Culprits, 4)
			require.Equal(t, ledger.WhyNoRuns, found[0].Why)
		})
	}
}

// Without a bound of its own an ablation has enough runs for as many pairs as it may have.
func TestAblationOfManyPairs(t *testing.T) {
	dir := t.TempDir()
	m := rememberCart(t, dir)
	_, err := memtree.Wrap(m, misled("“Remove”"), inPairs(16))(t.Context(), cartTest("tonight"))
	require.NoError(t, err)
	found, _ := ablationsOf(t, m, dir)
	require.Len(t, found, 1)
	require.Equal(t, ledger.OnMemory, found[0].Blame)
}

// Close does not wait for a failure that is looked into, not even for an agent that does not
// listen, and what was tried is written down.
func TestCloseInTheMiddleOfAnAblation(t *testing.T) {
	for _, listens := range []bool{true, false} {
		dir := t.TempDir()
		m := rememberCart(t, dir)
		began, end := make(chan struct{}), make(chan struct{})
		var n atomic.Int64
		run := func(ctx context.Context, c harness.Test) (harness.TestResult, error) {
			if n.Add(1) == 3 {
				close(began)
				if listens {
					<-ctx.Done()
					return harness.TestResult{}, ctx.Err()
				}
				<-end
			}
			return misled("“Remove”")(ctx, c)
		}
		_, err := memtree.Wrap(m, run, inPairs(3))(t.Context(), cartTest("tonight"))
		require.NoError(t, err)
		<-began
		start := time.Now()
		require.NoError(t, m.Close())
		require.Less(t, time.Since(start), 5*time.Second)
		close(end)
		var found []ledger.Ablation
		for _, e := range entries(t, reopen(t, dir)) {
			if e.Ablation != nil {
				found = append(found, *e.Ablation)
			}
		}
		require.Len(t, found, 1)
		require.Equal(t, ledger.Unfinished, found[0].Blame)
		require.Len(t, found[0].Tried, 1)
		require.EqualValues(t, 3, n.Load())
	}
}

// Many failures at once are looked into one after another, beside the runs.
func TestAblationsBesideManyRuns(t *testing.T) {
	dir := t.TempDir()
	m := rememberCart(t, dir)
	o := inPairs(2)
	o.Ablate.PerHour = 1000
	run := memtree.Wrap(m, misled("“Remove”"), o)
	var all sync.WaitGroup
	for g := range 12 {
		all.Go(func() {
			_, err := run(t.Context(), cartTest(fmt.Sprint("tonight-", g)))
			require.NoError(t, err)
		})
	}
	all.Wait()
	found, verdicts := ablationsOf(t, m, dir)
	require.Equal(t, 12, verdicts)
	require.Len(t, found, 12)
	for _, a := range found {
		require.Equal(t, ledger.OnMemory, a.Blame)
	}
}

// A person's decision does not wait for an ablation.
func TestForgetWaitsForNoAblation(t *testing.T) {
	m := rememberCart(t, t.TempDir())
	began, end := make(chan struct{}), make(chan struct{})
	var n atomic.Int64
	run := func(ctx context.Context, c harness.Test) (harness.TestResult, error) {
		if n.Add(1) == 3 {
			close(began)
			<-end
		}
		return misled("“Remove”")(ctx, c)
	}
	_, err := memtree.Wrap(m, run, inPairs(3))(t.Context(), cartTest("tonight"))
	require.NoError(t, err)
	<-began
	_, err = m.Curation().Forget(t.Context(), nodes(t, m)[0].ID, curation.Options{})
	require.NoError(t, err)
	close(end)
}
