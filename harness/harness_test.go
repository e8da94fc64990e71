package harness

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/effect"
	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/risk"
	"github.com/memtree/memtree/tree"
)

// fake is a memory that does what its functions do; nil ones do nothing.
type fake struct {
	guide  func() (Advice, error)
	with   func(ids []string) (string, error)
	risk   func() (risk.Risk, error)
	record func(e tree.Evaluation) error
	write  func(e ledger.Entry) error

	mu       sync.Mutex
	looks    int
	recorded []tree.Evaluation
	entries  []ledger.Entry
}

func (f *fake) Guide(context.Context, *Test, *effect.Holdout) (Advice, error) {
	if f.guide == nil {
		return Advice{}, nil
	}
	return f.guide()
}

func (f *fake) GuideWith(_ context.Context, _ *Test, ids []string) (string, error) {
	return f.with(ids)
}

func (f *fake) Risk(context.Context, tree.Evaluation) (risk.Risk, error) {
	if f.risk == nil {
		return risk.Risk{}, nil
	}
	return f.risk()
}

func (f *fake) Look(context.Context, tree.Evaluation) error { f.looks++; return nil }

func (f *fake) Quoted(tree.Evaluation) (point, quote string) { return "posted", "You cannot post more" }

func (f *fake) Stopped(context.Context, CorrectOptions) (bool, error) { return false, nil }

func (f *fake) TakenBack(context.Context, string) (bool, error) { return false, nil }

func (f *fake) Record(_ context.Context, e tree.Evaluation) error {
	f.mu.Lock()
	f.recorded = append(f.recorded, e)
	f.mu.Unlock()
	if f.record == nil {
		return nil
	}
	return f.record(e)
}

func (f *fake) Write(_ context.Context, e ledger.Entry) error {
	f.mu.Lock()
	f.entries = append(f.entries, e)
	f.mu.Unlock()
	if f.write == nil {
		return nil
	}
	return f.write(e)
}

// open returns a harness of f whose workers run until the test ends.
func open(t *testing.T, f *fake) *Harness {
	t.Helper()
	closed := make(chan struct{})
	h := New(Options{
		Memory: f, Deadline: time.Minute, Now: time.Now, Logger: slog.New(slog.DiscardHandler), Closed: closed,
	})
	ctx, stop := context.WithCancel(t.Context())
	var workers sync.WaitGroup
	workers.Go(func() { h.Judge(ctx) })
	workers.Go(func() { h.Ablate(ctx) })
	t.Cleanup(func() {
		close(closed)
		h.Drain()
		stop()
		workers.Wait()
	})
	return h
}

func passes(context.Context, Test) (TestResult, error) {
	return TestResult{Judgment: tree.Raw(`"pass"`)}, nil
}

// TestMemoryBreaksNoRun: whatever fails in memory, the run has its own prompt and its result.
func TestMemoryBreaksNoRun(t *testing.T) {
	broken := errors.New("broken")
	rows := map[string]struct {
		memory *fake
		failed [3]int64 // of guidance, runs, entries
	}{
		"guidance fails":  {memory: &fake{guide: func() (Advice, error) { return Advice{Text: "half"}, broken }}},
		"guidance panics": {&fake{guide: func() (Advice, error) { panic("guide") }}, [3]int64{1}},
		"risk fails":      {memory: &fake{risk: func() (risk.Risk, error) { return risk.Risk{}, broken }}},
		"risk panics":     {memory: &fake{risk: func() (risk.Risk, error) { panic("risk") }}},
		"record fails":    {&fake{record: func(tree.Evaluation) error { return broken }}, [3]int64{0, 1}},
		"record panics":   {&fake{record: func(tree.Evaluation) error { panic("record") }}, [3]int64{0, 1}},
	}
	for name := range rows {
		t.Run(name, func(t *testing.T) {
			row := rows[name]
			h := open(t, row.memory)
			run := h.Wrap(func(ctx context.Context, c Test) (TestResult, error) {
				require.Equal(t, "Check the total", c.Prompt)
				require.Nil(t, c.GroundTruth)
				return passes(ctx, c)
			}, nil)
			r, err := run(t.Context(), Test{ID: "T1", Prompt: "Check the total", GroundTruth: tree.Raw(`"fail"`)})
			require.NoError(t, err)
			require.Equal(t, tree.Raw(`"pass"`), r.Judgment)
			require.NoError(t, h.Wait(t.Context()))
			guidance, runs, entries := h.Failures()
			require.Equal(t, row.failed, [3]int64{guidance, runs, entries})
		})
	}
}

// TestAJudgeDecides: what a judge says is recorded in place of the comparison, and a judge that fails leaves no label.
func TestAJudgeDecides(t *testing.T) {
	rows := map[string]struct {
		judge   Judge
		correct *bool
	}{
		"right": {func(context.Context, Test, TestResult) (JudgeVerdict, error) { return JudgeVerdict{Correct: true}, nil },
			new(true)},
		"wrong": {func(context.Context, Test, TestResult) (JudgeVerdict, error) {
			return JudgeVerdict{Reason: "the total"}, nil
		},
			new(false)},
		"fails": {func(context.Context, Test, TestResult) (JudgeVerdict, error) { return JudgeVerdict{}, errors.New("no") },
			nil},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			var f fake
			h := open(t, &f)
			_, err := h.Wrap(passes, &WrapOptions{Judge: row.judge})(t.Context(), Test{ID: "T1", Prompt: "Check it"})
			require.NoError(t, err)
			require.NoError(t, h.Wait(t.Context()))
			require.Len(t, f.recorded, 1)
			require.Equal(t, row.correct, f.recorded[0].Correct)
			require.Nil(t, f.recorded[0].GroundTruth)
		})
	}
}

// TestACorrectionIsWrittenFirst: the other verdict is returned only if the ledger has it, and the agent's own verdict
// is what is recorded.
func TestACorrectionIsWrittenFirst(t *testing.T) {
	doubt := func() (risk.Risk, error) { return risk.Risk{Enough: true, P: .95, Low: .9, High: .99}, nil }
	for name, row := range map[string]struct {
		write func(ledger.Entry) error
		want  string
		done  ledger.Remedy
	}{
		"written":     {nil, `"fail"`, ledger.Other},
		"not written": {func(ledger.Entry) error { return errors.New("full") }, `"pass"`, ledger.Flag},
	} {
		t.Run(name, func(t *testing.T) {
			f := fake{risk: doubt, write: row.write}
			h := open(t, &f)
			run := h.Wrap(passes, &WrapOptions{Correct: CorrectOptions{Do: ledger.Other}})
			r, err := run(t.Context(), Test{ID: "T1", Prompt: "Check it"})
			require.NoError(t, err)
			require.JSONEq(t, row.want, string(r.Judgment))
			require.Equal(t, row.done, r.Correction.Done)
			require.NoError(t, h.Wait(t.Context()))
			require.JSONEq(t, `"pass"`, string(f.recorded[0].Judgment))
		})
	}
}

// TestAFailureIsLookedInto: a run that failed with two memories is run again with each, and the ledger has who is to
// blame.
func TestAFailureIsLookedInto(t *testing.T) {
	f := fake{
		guide: func() (Advice, error) {
			return Advice{Text: "good bad", Trial: "t_1", Arm: ledger.ArmMemory, IDs: []string{"good", "bad"}}, nil
		},
		with: func(ids []string) (string, error) { return ids[0], nil },
	}
	h := open(t, &f)
	run := h.Wrap(func(_ context.Context, c Test) (TestResult, error) {
		verdict := `"pass"`
		if len(c.Prompt) > len("Check") && c.Prompt[len(c.Prompt)-3:] == "bad" {
			verdict = `"fail"`
		}
		return TestResult{Judgment: tree.Raw(verdict)}, nil
	}, &WrapOptions{Ablate: AblateOptions{Pairs: 2}})
	_, err := run(t.Context(), Test{ID: "T1", Prompt: "Check", GroundTruth: tree.Raw(`"pass"`)})
	require.NoError(t, err)
	require.NoError(t, h.Wait(t.Context()))
	require.NoError(t, h.WaitAblated(t.Context()))
	require.Len(t, f.entries, 1)
	require.Equal(t, []string{"bad"}, f.entries[0].Ablation.Culprits)
	require.Len(t, f.recorded, 1, "the runs of an ablation are not recorded")
}
