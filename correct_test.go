package memtree_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/effect"
	"github.com/memtree/memtree/harness"
	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/tree"
)

// learned opens a memory that has learned how the hasty judge is wrong.
func learned(t *testing.T, dir string) *memtree.Memory {
	t.Helper()
	m := open(t, dir, nil)
	_, err := m.RecordAll(t.Context(), hasty(120))
	require.NoError(t, err)
	require.NoError(t, m.Wait(t.Context()))
	return m
}

// hastyTest is a test that the hasty judge fails; what is true is given.
func hastyTest(i int, truth string) harness.Test {
	e := unjudged()
	c := harness.Test{ID: fmt.Sprint("late-", i), RunID: fmt.Sprint("tonight-", i), Prompt: e.Prompt, Scene: e.Scene}
	if truth != "" {
		c.GroundTruth = tree.Raw(`{"verdict":"` + truth + `"}`)
	}
	return c
}

func judgeHastily(context.Context, harness.Test) (harness.TestResult, error) {
	return harness.TestResult{Judgment: unjudged().Judgment}, nil
}

func taking(r ledger.Remedy) *harness.WrapOptions {
	return &harness.WrapOptions{Correct: harness.CorrectOptions{Do: r}}
}

// ledgerOf closes a memory and returns the entries of its ledger.
func ledgerOf(t *testing.T, m *memtree.Memory, dir string) []ledger.Entry {
	t.Helper()
	require.NoError(t, m.Wait(t.Context()))
	require.NoError(t, m.Close())
	return entries(t, reopen(t, dir))
}

// The other verdict is used, reported in the result, and written down; the agent's own verdict is recorded, and risk
// and cases are based on it.
func TestWrapTakesTheOtherVerdict(t *testing.T) {
	dir := t.TempDir()
	m := learned(t, dir)
	r, err := memtree.Wrap(m, judgeHastily, taking(ledger.Other))(t.Context(), hastyTest(1, "pass"))
	require.NoError(t, err)
	require.JSONEq(t, `{"verdict":"pass"}`, string(r.Judgment))
	require.JSONEq(t, string(unjudged().Judgment), string(r.First.Judgment), "the agent's own can be taken again")
	require.Equal(t, ledger.Other, r.Correction.Done)
	require.InDelta(t, r.Risk.P, r.Correction.P, 1e-12)
	require.NotEmpty(t, r.Correction.Signals)

	var own *ledger.Verdict
	all := ledgerOf(t, m, dir)
	kept := effect.NewCorrections(ledger.CorrectAbove)
	for i := range all {
		kept.Note(&all[i])
		if v := all[i].Verdict; v != nil && v.CaseID == "late-1" {
			require.Nil(t, own, "one verdict, not two")
			own = v
		}
	}
	require.False(t, own.Correct, "it is the agent's own")
	require.True(t, own.Mends)
	require.NotEmpty(t, own.Node, "a case came of it")
	require.NotEmpty(t, own.Features)
	got := kept.Remedied()[2]
	require.Equal(t, []int{1, 1, 1, 0}, []int{got.N, got.Known, got.Mended, got.Broken})
}

// A flag, which is the default, changes nothing. What has no other verdict, and what is below the
// bound, is left as it is.
func TestWrapFlags(t *testing.T) {
	dir := t.TempDir()
	m := learned(t, dir)
	r, err := memtree.Wrap(m, judgeHastily, nil)(t.Context(), hastyTest(1, ""))
	require.NoError(t, err)
	require.JSONEq(t, string(unjudged().Judgment), string(r.Judgment))
	require.Nil(t, r.First)
	require.Equal(t, ledger.Flag, r.Correction.Done)
	require.False(t, r.Correction.Changed)

	above := harness.WrapOptions{Correct: harness.CorrectOptions{Above: 0.9999, Do: ledger.Other}}
	r, err = memtree.Wrap(m, judgeHastily, &above)(t.Context(), hastyTest(2, ""))
	require.NoError(t, err)
	require.Nil(t, r.Correction)

	odd := func(context.Context, harness.Test) (harness.TestResult, error) {
		const said = `{"verdict":"fail","result":{"passed":false},"reason":"The price is not shown on the page"}`
		return harness.TestResult{Judgment: tree.Raw(said)}, nil
	}
	r, err = memtree.Wrap(m, odd, taking(ledger.Other))(t.Context(), hastyTest(3, ""))
	require.NoError(t, err)
	if r.Correction != nil {
		require.Equal(t, ledger.WhyNoOther, r.Correction.Why)
		require.False(t, r.Correction.Changed)
	}
	bad := &harness.WrapOptions{Correct: harness.CorrectOptions{Above: 7, Do: "guess"}}
	r, err = memtree.Wrap(m, judgeHastily, bad)(t.Context(), hastyTest(4, ""))
	require.NoError(t, err)
	require.Equal(t, ledger.Flag, r.Correction.Done, "wrong options flag")
}

// The other verdict is taken from the bound on, also where the interval of the risk begins below it: as replay counts
// it, see effect.Reverse.
func TestCorrectFromTheBoundOn(t *testing.T) {
	m := learned(t, t.TempDir())
	r, err := m.Risk(t.Context(), unjudged())
	require.NoError(t, err)
	require.Less(t, r.Low, r.P)
	for above, want := range map[float64]bool{(r.Low + r.P) / 2: true, r.P: true, r.P + 1e-9: false} {
		c, err := m.Correct(t.Context(), unjudged(), harness.CorrectOptions{Above: above, Do: ledger.Other})
		require.NoError(t, err)
		require.Equal(t, want, c != nil && c.Changed, "from %v on", above)
	}
}

// Where past errors do not predict, nothing is done, however the bound is set.
func TestWrapCorrectsNothingWithoutEvidence(t *testing.T) {
	m := open(t, t.TempDir(), nil)
	o := harness.WrapOptions{Correct: harness.CorrectOptions{Above: 1e-9, Do: ledger.Other}}
	r, err := memtree.Wrap(m, judgeHastily, &o)(t.Context(), hastyTest(1, ""))
	require.NoError(t, err)
	require.Nil(t, r.Correction)
	require.JSONEq(t, string(unjudged().Judgment), string(r.Judgment))
}

// The prompt of the second run has the reasons for the doubt. It is attempt 2 of the same trial, and risk learns
// nothing from it.
func TestWrapRerunsWithReasons(t *testing.T) {
	dir := t.TempDir()
	m := learned(t, dir)
	var prompts []string
	agent := func(_ context.Context, c harness.Test) (harness.TestResult, error) {
		prompts = append(prompts, c.Prompt)
		if len(prompts) > 1 {
			return harness.TestResult{Judgment: tree.Raw(`{"verdict":"pass","reason":"The price is there now"}`)}, nil
		}
		return judgeHastily(context.Background(), c)
	}
	r, err := memtree.Wrap(m, agent, taking(ledger.Rerun))(t.Context(), hastyTest(1, "pass"))
	require.NoError(t, err)
	require.Len(t, prompts, 2)
	require.NotContains(t, prompts[0], "second look")
	require.Contains(t, prompts[1], "[A second look.")
	require.Equal(t, 1, strings.Count(prompts[1], "<memory-context>"))
	require.True(t, strings.HasPrefix(prompts[1], unjudged().Prompt))
	require.Equal(t, r.Trial, r.First.Trial)

	all := ledgerOf(t, m, dir)
	joined := effect.Join(slices.Values(all), func(string) (effect.Candidate, bool) { return effect.Candidate{}, false })
	require.Equal(t, []int{1, 1}, []int{joined.Retries, joined.Flipped})
	kept := effect.NewCorrections(ledger.CorrectAbove)
	for i := range all {
		kept.Note(&all[i])
		if v := all[i].Verdict; v != nil && v.CaseID == "late-1" {
			require.Equal(t, v.Attempt <= 1, v.Features != "", "attempt %d", v.Attempt)
		}
	}
	got := kept.Remedied()[1]
	require.Equal(t, []int{1, 1, 1, 1, 0}, []int{got.N, got.Changed, got.Known, got.Mended, got.Broken})
}

// A second run that fails in any way leaves the first verdict, and a judge that does harms nothing.
func TestWrapRerunFails(t *testing.T) {
	dir := t.TempDir()
	m := learned(t, dir)
	ctx, cancel := context.WithCancel(t.Context())
	i := 0
	for name, second := range map[string]harness.RunTest{
		"panics": func(context.Context, harness.Test) (harness.TestResult, error) { panic("the browser is gone") },
		"fails": func(context.Context, harness.Test) (harness.TestResult, error) {
			return harness.TestResult{}, errors.New("the browser is gone")
		},
		"is told to stop": func(ctx context.Context, _ harness.Test) (harness.TestResult, error) {
			cancel()
			<-ctx.Done()
			return harness.TestResult{}, ctx.Err()
		},
	} {
		t.Run(name, func(t *testing.T) {
			in, n := t.Context(), 0
			if name == "is told to stop" {
				in = ctx
			}
			agent := func(ctx context.Context, c harness.Test) (harness.TestResult, error) {
				if n++; n > 1 {
					return second(ctx, c)
				}
				return judgeHastily(ctx, c)
			}
			o := taking(ledger.Rerun)
			o.Judge = func(context.Context, harness.Test, harness.TestResult) (harness.JudgeVerdict, error) {
				panic("no judge")
			}
			i++
			r, err := memtree.Wrap(m, agent, o)(in, hastyTest(i, ""))
			require.NoError(t, err)
			require.Equal(t, ledger.WhyRunFailed, r.Correction.Why)
			require.JSONEq(t, string(unjudged().Judgment), string(r.Judgment))
			require.Nil(t, r.First)
		})
	}
	written := 0
	for _, e := range ledgerOf(t, m, dir) {
		if e.Correction != nil {
			written++
		}
	}
	require.Equal(t, i, written)
}

// The judge was replaced by a better one: its predicted risk is no longer right, and corrections break right verdicts.
// When the labels come, late, corrections stop by themselves, and report that. A person who has seen to it can have
// them begin again.
func TestWrapStopsCorrecting(t *testing.T) {
	dir := t.TempDir()
	m := learned(t, dir)
	o := &harness.WrapOptions{Correct: harness.CorrectOptions{Above: 1e-9, Do: ledger.Other}}
	run := memtree.Wrap(m, judgeHastily, o)
	for i := range 15 {
		r, err := run(t.Context(), hastyTest(i, ""))
		require.NoError(t, err)
		require.Equal(t, ledger.Other, r.Correction.Done, "nobody knows better yet")
	}
	for i := range 15 {
		c := hastyTest(i, "fail")
		require.NoError(t, m.Record(t.Context(), memtree.Evaluation{RunID: c.RunID, CaseID: c.ID, Scene: c.Scene,
			Prompt: c.Prompt, Judgment: unjudged().Judgment, GroundTruth: c.GroundTruth}))
	}
	require.NoError(t, m.Wait(t.Context()))
	r, err := run(t.Context(), hastyTest(99, ""))
	require.NoError(t, err)
	require.NotNil(t, r.Correction)
	require.Equal(t, ledger.Flag, r.Correction.Done)
	require.Equal(t, ledger.WhyStopped, r.Correction.Why)
	require.JSONEq(t, string(unjudged().Judgment), string(r.Judgment))

	anew := harness.CorrectOptions{Above: 1e-9, Do: ledger.Other, Since: day.Add(time.Hour)}
	c, err := m.Correct(t.Context(), unjudged(), anew)
	require.NoError(t, err)
	require.Equal(t, ledger.Other, c.Done)

	kept := effect.NewCorrections(1e-9)
	for _, e := range ledgerOf(t, m, dir) {
		kept.Note(&e)
	}
	got := kept.Remedied()[2]
	require.True(t, got.Stopped)
	require.Equal(t, []int{16, 15, 0, 15}, []int{got.N, got.Known, got.Mended, got.Broken})
}

// A memory that is open for reading, or closed, corrects nothing in a run; a direct call returns what it would do, and
// writes nothing.
func TestCorrectionsAreWrittenOrNotMade(t *testing.T) {
	dir := t.TempDir()
	m := learned(t, dir)
	require.NoError(t, m.Close())
	only := open(t, dir, &memtree.Options{ReadOnly: true})
	r, err := memtree.Wrap(only, judgeHastily, taking(ledger.Other))(t.Context(), hastyTest(1, ""))
	require.NoError(t, err)
	require.Equal(t, ledger.WhyUnkept, r.Correction.Why)
	require.JSONEq(t, string(unjudged().Judgment), string(r.Judgment))
	c, err := only.Correct(t.Context(), unjudged(), harness.CorrectOptions{Do: ledger.Other})
	require.NoError(t, err)
	require.Equal(t, ledger.Other, c.Done)
	require.JSONEq(t, `{"verdict":"pass"}`, string(c.Now))
	for _, o := range []harness.CorrectOptions{{Above: -1}, {Above: 2}, {Do: "guess"}, {Do: ledger.Rerun}} {
		var wrong *tree.FieldError
		_, err := only.Correct(t.Context(), unjudged(), o)
		require.ErrorAs(t, err, &wrong)
	}
	require.NoError(t, only.Close())
	r, err = memtree.Wrap(only, judgeHastily, taking(ledger.Other))(t.Context(), hastyTest(2, ""))
	require.NoError(t, err)
	require.Nil(t, r.Correction)
}

// Many runs at once, with a Close in the middle: every verdict that was changed is in the ledger.
func TestCorrectionsAtOnceAndClosed(t *testing.T) {
	dir := t.TempDir()
	m := learned(t, dir)
	run := memtree.Wrap(m, judgeHastily, taking(ledger.Other))
	var mu sync.Mutex
	var changed []string
	var all sync.WaitGroup
	for g := range 8 {
		all.Go(func() {
			for i := range 25 {
				r, err := run(context.Background(), hastyTest(100*g+i, "pass"))
				if err == nil && r.Correction != nil && r.Correction.Changed {
					mu.Lock()
					changed = append(changed, r.Correction.Evaluation)
					mu.Unlock()
				}
			}
		})
	}
	time.Sleep(20 * time.Millisecond)
	require.NoError(t, m.Close())
	all.Wait()
	written := map[string]bool{}
	for _, e := range entries(t, reopen(t, dir)) {
		if e.Correction != nil {
			written[e.Correction.Evaluation] = true
		}
	}
	for _, id := range changed {
		require.True(t, written[id])
	}
	t.Log("corrected before the end:", len(changed))
}
