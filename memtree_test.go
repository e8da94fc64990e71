package memtree_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/effect"
	"github.com/memtree/memtree/enhance"
	"github.com/memtree/memtree/harness"
	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/store"
	jsonstore "github.com/memtree/memtree/store/json"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		_ = os.RemoveAll(builtIn)
		os.Exit(code)
	}))
}

var day = time.Date(2026, 1, 28, 9, 0, 0, 0, time.UTC)

func open(t *testing.T, dir string, o *memtree.Options) *memtree.Memory {
	t.Helper()
	if o == nil {
		o = &memtree.Options{}
	}
	o.Now = func() time.Time { return day }
	if o.Holdout == nil {
		o.Holdout = new(effect.Fixed(0)) // no chance
	}
	if o.Deadline == 0 {
		o.Deadline = 10 * time.Second // a slow machine must not change what is given
	}
	m, err := memtree.Open(t.Context(), dir, o)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, m.Close()) })
	return m
}

func missed(i int) memtree.Evaluation {
	return memtree.Evaluation{
		RunID: "r", CaseID: fmt.Sprintf("CASE_%d", i), Attempt: 1, At: day.Add(time.Duration(i) * time.Minute),
		Scene:       tree.Scene{ID: "S1", Type: "form", Route: "/orders/" + fmt.Sprint(i)},
		Prompt:      "Check that the order form shows an error when the postcode is empty",
		Judgment:    tree.Raw(`{"verdict":"pass"}`),
		GroundTruth: tree.Raw(`{"verdict":"fail"}`),
		Reason:      "The form was submitted without any validation message and the agent did not notice.",
	}
}

var ask = memtree.Query{
	Prompt: "Check that the order form shows an error when the postcode is empty",
	Scene:  tree.Scene{ID: "S1", Type: "form", Route: "/orders/77"},
}

func nodes(t *testing.T, m *memtree.Memory) []tree.Node {
	t.Helper()
	var all []tree.Node
	for n, err := range m.Tree().Scan(t.Context(), store.Filter{}) {
		require.NoError(t, err)
		all = append(all, n)
	}
	return all
}

func entries(t *testing.T, s store.Store) []ledger.Entry {
	t.Helper()
	var all []ledger.Entry
	for e, err := range s.Ledger(t.Context(), 0) {
		require.NoError(t, err)
		all = append(all, e)
	}
	return all
}

func TestLoop(t *testing.T) {
	dir := t.TempDir()
	m := open(t, dir, nil)
	g, err := m.Guide(t.Context(), ask)
	require.NoError(t, err)
	require.True(t, g.Abstained, "an empty memory has nothing to say")
	require.Equal(t, "my prompt", g.Enhance("my prompt"))

	require.NoError(t, m.Record(t.Context(), missed(1)))
	require.NoError(t, m.Wait(t.Context()))
	all := nodes(t, m)
	require.Len(t, all, 1)
	require.Equal(t, taxonomy.FalsePass, all[0].Direction)

	g, err = m.Guide(t.Context(), ask)
	require.NoError(t, err)
	require.False(t, g.Abstained)
	require.Equal(t, all[0].ID, g.Items[0].ID)
	require.True(t, strings.HasPrefix(g.Enhance(ask.Prompt), ask.Prompt), "the original comes first, unchanged")
	require.NotEmpty(t, g.Trial)
	again, err := m.Guide(t.Context(), ask)
	require.NoError(t, err)
	require.Equal(t, g.Text, again.Text)
	require.Equal(t, g.Hash, again.Hash)
	require.NotEqual(t, g.Trial, again.Trial, "each run is a trial of its own")

	require.NoError(t, m.Record(t.Context(), missed(1)), "recording twice is fine")
	require.NoError(t, m.Wait(t.Context()))
	require.Len(t, nodes(t, m), 1)
	other := missed(1)
	other.Reason = "something else"
	require.ErrorIs(t, m.Record(t.Context(), other), store.ErrContradiction)

	require.NoError(t, m.Close())
	require.NoError(t, m.Close(), "closing twice is fine")
	_, err = m.Guide(t.Context(), ask)
	require.ErrorIs(t, err, store.ErrClosed)

	m = open(t, dir, nil)
	back, err := m.Guide(t.Context(), ask)
	require.NoError(t, err)
	require.Equal(t, g.Text, back.Text, "the same memory says the same after a restart")
}

func TestRightVerdictsNeverBecomeCases(t *testing.T) {
	m := open(t, t.TempDir(), nil)
	right, unlabelled := missed(1), missed(2)
	right.GroundTruth = right.Judgment
	unlabelled.GroundTruth, unlabelled.Reason = nil, ""
	over := missed(3)
	over.Judgment, over.GroundTruth = tree.Raw(`"fail"`), tree.Raw(`"pass"`)
	receipts, err := m.RecordAll(t.Context(), []memtree.Evaluation{right, unlabelled, over})
	require.NoError(t, err)
	require.Len(t, receipts, 3)
	require.NoError(t, m.Wait(t.Context()))
	all := nodes(t, m)
	require.Len(t, all, 1)
	require.Equal(t, taxonomy.FalseFail, all[0].Direction)
}

func TestRecordRefusesWhatItCannotUse(t *testing.T) {
	m := open(t, t.TempDir(), nil)
	bad := missed(2)
	bad.Prompt = ""
	_, err := m.RecordAll(t.Context(), []memtree.Evaluation{missed(1), bad})
	require.ErrorContains(t, err, "[1].prompt is missing")
	s, err := m.Tree().Info(t.Context())
	require.NoError(t, err)
	require.Zero(t, s.Evaluations, "all or none")
}

func TestRecordRefusesContradictions(t *testing.T) {
	m := open(t, t.TempDir(), nil)
	yes, no := true, false
	right, same, way := missed(1), missed(2), missed(3)
	right.Correct = &yes
	same.Correct, same.GroundTruth = &no, same.Judgment
	way.Direction = taxonomy.FalseFail
	for want, e := range map[string]memtree.Evaluation{
		"record: correct is true although judgment reads as pass and ground_truth as fail; ":                         right,
		"record: correct is false although judgment and ground_truth both read as pass and differ in nothing else; ": same,
		"record: direction is false_fail although judgment reads as pass and ground_truth as fail, " +
			"which is false_pass; mend the one that ": way,
	} {
		err := m.Record(t.Context(), e)
		require.ErrorContains(t, err, want)
		var f *tree.FieldError
		require.ErrorAs(t, err, &f)
	}
	_, err := m.RecordAll(t.Context(), []memtree.Evaluation{missed(4), right})
	require.ErrorContains(t, err, "[1].correct is true although")
	s, err := m.Tree().Info(t.Context())
	require.NoError(t, err)
	require.Zero(t, s.Evaluations, "all or none")
}

// TestOldContradictionsAreFormed: the outbox of a store may hold contradictions that an older
// Record accepted.
func TestOldContradictionsAreFormed(t *testing.T) {
	dir := t.TempDir()
	s, err := jsonstore.OpenDir(t.Context(), dir, jsonstore.Options{})
	require.NoError(t, err)
	old := missed(1)
	old.Direction = taxonomy.FalseFail
	_, err = s.Accept(t.Context(), []memtree.Evaluation{old})
	require.NoError(t, err)
	require.NoError(t, s.Close())

	m := open(t, dir, nil)
	require.NoError(t, m.Wait(t.Context()))
	all := nodes(t, m)
	require.Len(t, all, 1)
	require.Equal(t, taxonomy.FalseFail, all[0].Direction, "it counts as given")
}

func TestTheOutcomeJoinsItsTrial(t *testing.T) {
	dir := t.TempDir()
	m := open(t, dir, nil)
	require.NoError(t, m.Record(t.Context(), missed(1)))
	require.NoError(t, m.Wait(t.Context()))
	g, err := m.Guide(t.Context(), ask)
	require.NoError(t, err)
	step := ask
	step.Trial, step.Step, step.StepNumber = g.Trial, "leave the postcode empty and press Order", 2
	_, err = m.Guide(t.Context(), step)
	require.NoError(t, err)
	e := missed(2)
	e.Judgment, e.Trial = e.GroundTruth, g.Trial
	require.NoError(t, m.Record(t.Context(), e))
	require.NoError(t, m.Wait(t.Context()))
	require.NoError(t, m.Close())

	var trials, steps, outcomes, verdicts int
	for _, x := range entries(t, reopen(t, dir)) {
		switch {
		case x.Trial != nil:
			trials++
			require.Equal(t, g.Trial, x.Trial.ID)
			require.Equal(t, g.Items[0].ID, x.Trial.Injected[0].ID)
			require.Equal(t, g.Hash, x.Trial.Guidance)
		case x.Step != nil:
			steps++
			require.Equal(t, g.Trial, x.Step.Trial)
			require.Equal(t, 2, x.Step.Injected[0].Step)
		case x.Outcome != nil:
			outcomes++
			require.True(t, x.Outcome.Correct)
		case x.Verdict != nil:
			verdicts++
		}
	}
	require.Equal(t, []int{1, 1, 1, 2}, []int{trials, steps, outcomes, verdicts})
}

func TestSecretsAreNotWritten(t *testing.T) {
	dir := t.TempDir()
	m := open(t, dir, nil)
	e := missed(1)
	secret := "ghp_" + strings.Repeat("a1B2", 9)
	e.Prompt += " with token " + secret
	e.Judgment = tree.Raw(`{"verdict":"pass","header":"Authorization: Bearer ` + secret + `"}`)
	require.NoError(t, m.Record(t.Context(), e))
	require.NoError(t, m.Wait(t.Context()))
	require.NoError(t, m.Close())
	require.NoError(t, filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		require.NotContains(t, string(b), secret, path)
		return err
	}))
}

// The result must not depend on how evaluations are divided into batches.
func TestBatchesDoNotShow(t *testing.T) {
	form := func(batch int) string {
		m := open(t, t.TempDir(), nil)
		var es []memtree.Evaluation
		for i := range 40 {
			e := missed(i)
			if i%3 == 0 {
				e.CaseID, e.Scene.Route = "CASE_0", "/orders/1" // the same evidence, another run
				e.RunID = fmt.Sprint("r", i)
			}
			es = append(es, e)
		}
		for len(es) > 0 {
			n := min(batch, len(es))
			_, err := m.RecordAll(t.Context(), es[:n])
			require.NoError(t, err)
			require.NoError(t, m.Wait(t.Context()))
			es = es[n:]
		}
		all := nodes(t, m)
		for i := range all {
			all[i].Origin, all[i].Revision, all[i].LastChange = tree.Origin{}, 0, ""
		}
		b, err := json.MarshalIndent(all, "", " ")
		require.NoError(t, err)
		return string(b)
	}
	require.Equal(t, form(1), form(40))
}

func TestReadOnly(t *testing.T) {
	dir := t.TempDir()
	_, err := memtree.Open(t.Context(), filepath.Join(dir, "none"), &memtree.Options{ReadOnly: true})
	require.Error(t, err)
	m := open(t, dir, nil)
	require.NoError(t, m.Record(t.Context(), missed(1)))
	require.NoError(t, m.Wait(t.Context()))

	_, err = memtree.Open(t.Context(), dir, nil)
	var locked *store.LockedError
	require.ErrorAs(t, err, &locked)
	require.Equal(t, os.Getpid(), locked.PID)

	r := open(t, dir, &memtree.Options{ReadOnly: true})
	g, err := r.Guide(t.Context(), ask)
	require.NoError(t, err)
	require.False(t, g.Abstained, "reads beside a live writer")
	require.Empty(t, g.Trial)
	require.ErrorIs(t, r.Record(t.Context(), missed(2)), store.ErrReadOnly)
}

func TestWrap(t *testing.T) {
	dir := t.TempDir()
	m := open(t, dir, nil)
	require.NoError(t, m.Record(t.Context(), missed(1)))
	require.NoError(t, m.Wait(t.Context()))
	var seen []harness.Test
	run := func(_ context.Context, c harness.Test) (harness.TestResult, error) {
		seen = append(seen, c)
		return harness.TestResult{Judgment: tree.Raw(`{"verdict":"pass"}`)}, nil
	}
	c := harness.Test{
		ID: "CASE_9", RunID: "r9", Prompt: ask.Prompt, Context: "the shop", Scene: ask.Scene,
		GroundTruth: tree.Raw(`{"verdict":"fail"}`),
	}
	r, err := memtree.Wrap(m, run, nil)(t.Context(), c)
	require.NoError(t, err)
	require.NotEmpty(t, r.Trial)
	require.True(t, strings.HasPrefix(seen[0].Prompt, c.Prompt+"\n"), "guidance follows the prompt")
	require.Nil(t, seen[0].GroundTruth, "the agent never sees the truth")

	c.RunID = "r10"
	_, err = memtree.Wrap(m, run, &harness.WrapOptions{Placement: enhance.Separate})(t.Context(), c)
	require.NoError(t, err)
	require.Equal(t, c.Prompt, seen[1].Prompt)
	require.True(t, strings.HasPrefix(seen[1].Context, "the shop\n"))

	var judged harness.Test
	judge := func(_ context.Context, c harness.Test, _ harness.TestResult) (harness.JudgeVerdict, error) {
		judged = c
		return harness.JudgeVerdict{Correct: true}, nil
	}
	c.RunID = "r11"
	_, err = memtree.Wrap(m, run, &harness.WrapOptions{Judge: judge})(t.Context(), c)
	require.NoError(t, err)
	require.NoError(t, m.Close())
	require.Equal(t, c.Prompt, judged.Prompt, "a judge is not shown the enhanced prompt")
	m = open(t, dir, nil) // what Close left in the outbox is formed now
	require.NoError(t, m.Wait(t.Context()))
	require.NoError(t, m.Close())

	var correct, wrong int
	for _, x := range entries(t, reopen(t, dir)) {
		if x.Outcome != nil {
			if x.Outcome.Correct {
				correct++
			} else {
				wrong++
			}
		}
	}
	require.Equal(t, []int{1, 2}, []int{correct, wrong})
}

// TestWrapTellsRunsApart: the same answer to the same case is another run, whether the caller
// names the run or Wrap does.
func TestWrapTellsRunsApart(t *testing.T) {
	dir := t.TempDir()
	m := open(t, dir, nil)
	var runs []string
	run := memtree.Wrap(m, func(_ context.Context, c harness.Test) (harness.TestResult, error) {
		runs = append(runs, c.RunID)
		return harness.TestResult{Judgment: tree.Raw(`{"verdict":"pass"}`)}, nil
	}, nil)
	c := harness.Test{ID: "CASE_9", Prompt: ask.Prompt, Scene: ask.Scene, GroundTruth: tree.Raw(`{"verdict":"fail"}`)}
	for range 3 {
		_, err := run(t.Context(), c)
		require.NoError(t, err)
	}
	require.Len(t, runs, 3)
	require.NotEqual(t, runs[0], runs[1], "at one time")
	require.NoError(t, m.Close())
	m = open(t, dir, nil)
	require.NoError(t, m.Wait(t.Context()))
	all := nodes(t, m)
	require.Len(t, all, 1, "one mistake")
	require.Len(t, all[0].Occurrences, 3, "made three times")
}

func TestRecordTellsNightsApart(t *testing.T) {
	m := open(t, t.TempDir(), nil)
	nameless := func(at time.Time, trial string) memtree.Evaluation {
		e := missed(1)
		e.RunID, e.At, e.Trial = "", at, trial
		return e
	}
	for range 2 { // again, and nothing changes
		for _, e := range []memtree.Evaluation{
			nameless(day, ""), nameless(day.AddDate(0, 0, 1), ""), nameless(day.AddDate(0, 0, 1), "t_1"),
			nameless(time.Time{}, "t_2"), nameless(time.Time{}, ""),
		} {
			require.NoError(t, m.Record(t.Context(), e))
		}
	}
	require.NoError(t, m.Wait(t.Context()))
	all := nodes(t, m)
	require.Len(t, all, 1)
	require.Len(t, all[0].Occurrences, 5)
	r, err := m.Risk(t.Context(), nameless(day, ""))
	require.NoError(t, err)
	require.True(t, r.Learned, "its truth is known")
}

// faulty is a store whose reads fail, hang or panic.
type faulty struct {
	store.Store
	get func(context.Context) error
}

func (f faulty) Get(ctx context.Context, id string) (tree.Node, error) {
	if err := f.get(ctx); err != nil {
		return tree.Node{}, err
	}
	return f.Store.Get(ctx, id)
}

func TestWrapSurvivesItsMemory(t *testing.T) {
	for name, get := range map[string]func(context.Context) error{
		"fails":  func(context.Context) error { return errors.New("the disk is gone") },
		"hangs":  func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() },
		"panics": func(context.Context) error { panic("bug") },
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			m := open(t, dir, nil)
			require.NoError(t, m.Record(t.Context(), missed(1)))
			require.NoError(t, m.Wait(t.Context()))
			require.NoError(t, m.Close())

			m = open(t, "", &memtree.Options{Store: faulty{reopen(t, dir), get}, Deadline: 30 * time.Millisecond})
			run := func(_ context.Context, c harness.Test) (harness.TestResult, error) {
				require.Equal(t, ask.Prompt, c.Prompt, "the prompt is as it would have been")
				return harness.TestResult{Judgment: tree.Raw(`"pass"`)}, nil
			}
			r, err := memtree.Wrap(m, run, nil)(t.Context(), harness.Test{ID: "x", Prompt: ask.Prompt, Scene: ask.Scene})
			require.NoError(t, err)
			require.JSONEq(t, `"pass"`, string(r.Judgment))
			require.EqualValues(t, 1, m.Health().GuideFailures)
		})
	}
}

func TestWrapReturnsTheRunsOwnError(t *testing.T) {
	m := open(t, t.TempDir(), nil)
	broken := errors.New("browser crashed")
	_, err := memtree.Wrap(m, func(context.Context, harness.Test) (harness.TestResult, error) {
		return harness.TestResult{}, broken
	}, nil)(t.Context(), harness.Test{ID: "x", Prompt: "p"})
	require.ErrorIs(t, err, broken)
}

func TestGuideBesideWriters(t *testing.T) {
	m := open(t, t.TempDir(), nil)
	var wg sync.WaitGroup
	for w := range 4 {
		wg.Go(func() {
			for i := range 25 {
				e := missed(i)
				e.RunID = fmt.Sprint("writer", w)
				if err := m.Record(context.Background(), e); err != nil {
					t.Error(err)
				}
				if _, err := m.Guide(context.Background(), ask); err != nil && !errors.Is(err, context.DeadlineExceeded) {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	require.NoError(t, m.Wait(t.Context()))
	s, err := m.Tree().Info(t.Context())
	require.NoError(t, err)
	require.Equal(t, 100, s.Evaluations)
	runs := 0
	for _, n := range nodes(t, m) {
		runs += len(n.Occurrences)
	}
	require.Equal(t, 100, runs, "every wrong run is an occurrence of exactly one case")
	_, err = m.Verify(t.Context(), func(problem error) { t.Error(problem) })
	require.NoError(t, err)
}
