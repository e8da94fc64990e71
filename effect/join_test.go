package effect

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

func trial(id string, arm ledger.Arm) ledger.Entry {
	t := &ledger.Trial{ID: id, At: noon, Query: "q", Arm: arm, P: 0.8, Eligible: []string{"c_1", "c_gone"}}
	if arm == ledger.ArmMemory {
		t.Injected = []ledger.Injection{{ID: "c_1", Rank: 1}}
	}
	return ledger.Entry{Seq: 7, Trial: t}
}

func outcomeOf(trial, evaluation string, attempt int, correct bool) ledger.Entry {
	return ledger.Entry{Outcome: &ledger.Outcome{
		Trial: trial, Evaluation: evaluation, Attempt: attempt, Correct: correct,
		ErrorType: "form_validation_error", Direction: taxonomy.FalsePass,
	}}
}

func join(es ...ledger.Entry) Joined {
	return Join(slices.Values(es), func(id string) (Candidate, bool) {
		return Candidate{ID: id, Type: tree.Case, ErrorType: "form_validation_error"}, id != "c_gone"
	})
}

func TestJoin(t *testing.T) {
	j := join(
		outcomeOf("t_1", "v_1", 0, false), // before its trial
		trial("t_1", ledger.ArmMemory), trial("t_2", ledger.ArmHoldout), trial("t_3", ledger.ArmMemory),
		ledger.Entry{Step: &ledger.Step{Trial: "t_1", Injected: []ledger.Injection{
			{ID: "c_1", Rank: 1, Step: 2}, {ID: "c_2", Rank: 2, Step: 2},
		}}},
		ledger.Entry{Verdict: &ledger.Verdict{Evaluation: "v_1", CaseID: "login"}},
		outcomeOf("t_2", "v_2", 1, true),
	)
	require.Len(t, j.Runs, 2)
	a, b := j.Runs[0], j.Runs[1]
	require.Equal(t, "login", a.Test)
	require.Equal(t, Memory, a.Arm)
	require.Equal(t, uint64(7), a.Seq)
	require.InDelta(t, 0.2, a.Chances.None(), 1e-12)
	require.Equal(t, Mistake{"form_validation_error", taxonomy.FalsePass}, a.Wrong)
	require.Len(t, a.Eligible, 2)
	require.Equal(t, Candidate{ID: "c_gone", Rank: 2, Type: tree.Case}, a.Eligible[1])
	require.Len(t, a.Injected, 2, "a memory given at two steps was given once")
	require.Equal(t, None, b.Arm)
	require.Equal(t, "q", b.Test, "what was asked, where nothing names the test")
	require.Empty(t, b.Injected)
	require.Equal(t, Mistake{}, b.Wrong)
	require.Equal(t, 1, j.Open)
}

// A person's outcome of a run without one is used until it is withdrawn.
func TestJoinWhatAPersonSays(t *testing.T) {
	said := func(correct, void bool) ledger.Entry {
		e := outcomeOf("t_1", "v_1", 1, correct)
		e.Outcome.By, e.Outcome.Void = "ann", void
		return e
	}
	drawn := trial("t_1", ledger.ArmMemory)
	require.Empty(t, join(drawn).Runs)
	runs := join(drawn, said(true, false)).Runs
	require.Len(t, runs, 1)
	require.True(t, runs[0].Correct)
	runs = join(drawn, said(true, false), said(false, false)).Runs
	require.Len(t, runs, 1)
	require.False(t, runs[0].Correct, "the last word counts")
	j := join(drawn, said(true, false), said(true, true))
	require.Empty(t, j.Runs)
	require.Equal(t, 1, j.Open)
	runs = join(drawn, said(true, false), said(true, true), outcomeOf("t_1", "v_1", 1, false)).Runs
	require.Len(t, runs, 0, "the person's last word is that nobody knows")
	require.Len(t, join(drawn, said(true, true), said(false, false)).Runs, 1)
}

func TestJoinOddOutcomes(t *testing.T) {
	other := trial("t_1", ledger.ArmHoldout)
	other.Trial.At = noon.Add(time.Hour)
	j := join(
		trial("t_1", ledger.ArmMemory), other, // two agents share a run
		outcomeOf("t_0", "v_0", 1, true), // an unknown trial
		outcomeOf("t_1", "v_2", 2, true), // the second attempt, before the first
		outcomeOf("t_1", "v_1", 1, false),
		outcomeOf("t_1", "v_1", 1, false), // twice
		outcomeOf("t_1", "v_9", 1, true),  // with another result
	)
	require.Equal(t, 1, j.Unknown)
	require.Equal(t, 1, j.Again)
	require.Equal(t, 1, j.Contrary)
	require.Equal(t, 1, j.Retries)
	require.Equal(t, 1, j.Flipped)
	require.Zero(t, j.Open)
	require.Len(t, j.Runs, 2)
	require.Equal(t, Memory, j.Runs[0].Arm, "the first draw counts")
	counted := sorted(j.Runs)
	require.Len(t, counted, 1)
	require.False(t, counted[0].Correct, "the first attempt counts, and what was said of it first")
}

// TestQuestionsAreNoRuns: a request without a run is counted only if an outcome follows.
func TestQuestionsAreNoRuns(t *testing.T) {
	question := func(id string, p float64, run bool) ledger.Entry {
		e := trial(id, ledger.ArmMemory)
		e.Trial.P, e.Trial.Run = p, run
		return e
	}
	entries := []ledger.Entry{
		question("t_typed", 1, false), question("t_while_open", 0, false), question("t_followed", 1, false),
		question("t_run", 1, true), question("t_drawn_before_this_was_written", 0.8, false),
		outcomeOf("t_followed", "v_1", 1, true),
	}
	j := join(entries...)
	require.Equal(t, 2, j.Questions)
	require.Len(t, j.Asked, 3)
	require.Equal(t, Outcomes{Known: 1, Open: 2}, j.Outcomes)
	require.Equal(t, 1, j.Drawn, "chance decides about runs alone")
	r := NewReport(&j, Watch(&j), Weigh(j.Runs).Fit(noon))
	require.Equal(t, []int{3, 1, 2}, []int{r.Asked, r.Runs, r.Questions})

	stats, err := StatsOf(func(yield func(ledger.Entry, error) bool) {
		for _, e := range entries {
			if !yield(e, nil) {
				return
			}
		}
	})
	require.NoError(t, err)
	require.Equal(t, Trials{Asked: 3, Found: 3, Guided: 3, Outcomes: j.Outcomes, Questions: 2}, stats.Trials)
}
