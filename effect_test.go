package memtree_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/curation"
	"github.com/memtree/memtree/effect"
	"github.com/memtree/memtree/harness"
	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/store"
	jsonstore "github.com/memtree/memtree/store/json"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// The two places of the scripted agent: at one memory helps it, at the other it leads it astray.
var (
	goodPlace = memtree.Query{Prompt: "Check that the order form shows an error when the postcode is empty",
		Scene: tree.Scene{ID: "order", Type: "form"}}
	badPlace = memtree.Query{Prompt: "Check that the total in the shopping cart is the sum of its items",
		Scene: tree.Scene{ID: "cart", Type: "list"}}
)

// missedAt is what was not noticed at each place.
var missedAt = map[string]string{
	"order": "The form was submitted without any validation message and the agent did not notice.",
	"cart":  "The agent did not add the prices up; the total was wrong.",
}

// explains is a judge that describes what a wrong run missed.
func explains(_ context.Context, c harness.Test, r harness.TestResult) (harness.JudgeVerdict, error) {
	if string(r.Judgment) == string(c.GroundTruth) {
		return harness.JudgeVerdict{Correct: true}, nil
	}
	return harness.JudgeVerdict{Direction: taxonomy.FalsePass, Reason: missedAt[c.Scene.ID]}, nil
}

// teach records a wrong verdict at both places, so that there is a memory of each.
func teach(t *testing.T, m *memtree.Memory) (good, bad string) {
	t.Helper()
	for i, q := range []memtree.Query{goodPlace, badPlace} {
		require.NoError(t, m.Record(t.Context(), memtree.Evaluation{
			RunID: "taught", CaseID: fmt.Sprint("taught ", i), At: day, Prompt: q.Prompt, Scene: q.Scene,
			Judgment: tree.Raw(`"pass"`), GroundTruth: tree.Raw(`"fail"`),
			Reason: missedAt[q.Scene.ID],
		}))
	}
	require.NoError(t, m.Wait(t.Context()))
	for _, n := range nodes(t, m) {
		if n.Scene.ID == "order" {
			good = n.ID
		} else {
			bad = n.ID
		}
	}
	require.NotEmpty(t, good)
	require.NotEmpty(t, bad)
	return good, bad
}

// scripted is an agent that is right in six runs of ten, in nine with guidance at the good place,
// and in one with guidance at the bad one.
func scripted(seed uint64) harness.RunTest {
	rng := rand.New(rand.NewPCG(seed, 0))
	return func(_ context.Context, c harness.Test) (harness.TestResult, error) {
		right := 0.6
		switch guided := strings.Contains(c.Prompt, "<memory-context"); {
		case guided && c.Scene.ID == "order":
			right = 0.9
		case guided:
			right = 0.1
		}
		if rng.Float64() < right {
			return harness.TestResult{Judgment: tree.Raw(`"fail"`)}, nil
		}
		return harness.TestResult{Judgment: tree.Raw(`"pass"`)}, nil
	}
}

// live lets a wrapped agent do n runs at a place, a minute apart.
func live(t *testing.T, m *memtree.Memory, run harness.RunTest, clock *time.Time, q memtree.Query, n int) {
	t.Helper()
	for i := range n {
		*clock = clock.Add(time.Minute)
		_, err := run(t.Context(), harness.Test{
			ID: fmt.Sprint(q.Scene.ID, " ", i%5), RunID: fmt.Sprint("r", clock.Unix()), Prompt: q.Prompt, Scene: q.Scene,
			GroundTruth: tree.Raw(`"fail"`),
		})
		require.NoError(t, err)
	}
	require.NoError(t, m.Wait(t.Context()))
}

// openAt opens a memory with a clock and a hold-out.
func openAt(t *testing.T, dir string, clock *time.Time, h effect.Holdout) *memtree.Memory {
	t.Helper()
	m, err := memtree.Open(t.Context(), dir, &memtree.Options{
		Deadline: 10 * time.Second, Holdout: &h, Now: func() time.Time { return *clock },
	})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, m.Close()) })
	return m
}

func node(t *testing.T, m *memtree.Memory, id string) tree.Node {
	t.Helper()
	n, err := m.Tree().Get(t.Context(), id)
	require.NoError(t, err)
	return n
}

// The whole way: chance holds runs out, credit distinguishes the good memory from the bad one, Evolve takes the bad
// one out of use and reports it, and the report states what is proven.
func TestEffectFindsTheMemoryThatHarms(t *testing.T) {
	clock := day
	m := openAt(t, t.TempDir(), &clock, effect.Fixed(0.3))
	good, bad := teach(t, m)
	run := memtree.Wrap(m, scripted(1), &harness.WrapOptions{Judge: explains})
	live(t, m, run, &clock, goodPlace, 120)
	live(t, m, run, &clock, badPlace, 80)

	r, err := m.Effect(t.Context())
	require.NoError(t, err)
	require.Equal(t, 200, r.Runs)
	require.InDelta(t, 60, r.None, 30, "three in ten are held out")
	require.Greater(t, r.EHarm+r.EHelp, 0.0)

	v, err := m.Evolve(t.Context(), nil)
	require.NoError(t, err)
	require.Len(t, v.Judged, 1)
	require.Equal(t, bad, v.Judged[0].ID)
	require.Contains(t, v.Judged[0].Why.EN, "harm")
	b, g := node(t, m, bad), node(t, m, good)
	require.True(t, b.HeldBack())
	require.False(t, b.Live())
	require.Less(t, b.Content.Confidence, b.Credit.Prior)
	require.True(t, g.Live())
	require.Greater(t, g.Metadata.UsageCount, 60)
	require.InDelta(t, 0.9, g.Metadata.SuccessRate, 0.1)
	require.Equal(t, g.Metadata.UsageCount, g.Counters[g.Origin.ID].Used)
	require.Greater(t, g.Credit.Confirmed, 10, "right where it had gone wrong before")

	ask, err := m.Guide(t.Context(), badPlace)
	require.NoError(t, err)
	require.True(t, ask.Abstained)
	again, err := m.Evolve(t.Context(), nil)
	require.NoError(t, err)
	require.Empty(t, again.Judged)
	require.Equal(t, b, node(t, m, bad), "nothing new, nothing changes")
}

// reasons returns why the memories that were considered are not given.
func reasons(x *memtree.Explanation) map[string]string {
	out := map[string]string{}
	for _, c := range x.Considered {
		out[c.ID] = c.Left.Reason
	}
	return out
}

// The breaker opens while runs go on, stays open over a restart, withholds all guidance, and is tried again after the
// tree has learned.
func TestBreakerStopsHarm(t *testing.T) {
	clock, dir := day, t.TempDir()
	m := openAt(t, dir, &clock, effect.Fixed(0.3))
	_, bad := teach(t, m)
	run := memtree.Wrap(m, scripted(2), &harness.WrapOptions{Judge: explains})
	live(t, m, run, &clock, badPlace, 200)
	r, err := m.Effect(t.Context())
	require.NoError(t, err)
	require.Equal(t, effect.Open, r.State)
	require.GreaterOrEqual(t, r.EHarm, 20.0)
	require.Eventually(t, func() bool { // a worker opens the breaker
		x, err := m.Explain(t.Context(), badPlace)
		return err == nil && strings.Contains(reasons(&x)[bad], "do harm")
	}, time.Minute, 10*time.Millisecond)
	require.NoError(t, m.Close())

	m = openAt(t, dir, &clock, effect.Fixed(0.3))
	g, err := m.Guide(t.Context(), badPlace)
	require.NoError(t, err)
	require.Empty(t, g.Text, "a question is not answered either")
	n := node(t, m, bad)
	require.Positive(t, n.Credit.Runs, "Close wrote its credit")

	_, err = m.Evolve(t.Context(), nil)
	require.NoError(t, err)
	r, err = m.Effect(t.Context())
	require.NoError(t, err)
	require.Equal(t, effect.HalfOpen, r.State)
}

// What is open is tried again only once something has changed: Evolve took memories out of use, a
// person did, or so much time has passed that the product may be another.
func TestBreakerWaitsForAChange(t *testing.T) {
	for name, change := range map[string]func(t *testing.T, m *memtree.Memory, bad string, clock *time.Time){
		"it has rested": func(_ *testing.T, _ *memtree.Memory, _ string, clock *time.Time) {
			*clock = clock.Add(8 * 24 * time.Hour)
		},
		"a person changed something": func(t *testing.T, m *memtree.Memory, bad string, _ *time.Time) {
			_, err := m.Curation().Forget(t.Context(), bad, curation.Options{By: "lead", Why: "it misleads"})
			require.NoError(t, err)
		},
	} {
		t.Run(name, func(t *testing.T) {
			clock := day
			m := openAt(t, t.TempDir(), &clock, effect.Fixed(0.3))
			_, bad := teach(t, m)
			_, err := m.Curation().Pin(t.Context(), bad, curation.Options{By: "lead", Why: "I know better"})
			require.NoError(t, err)
			live(t, m, memtree.Wrap(m, scripted(2), &harness.WrapOptions{Judge: explains}), &clock, badPlace, 200)
			state := func() effect.BreakerState {
				_, err := m.Evolve(t.Context(), nil)
				require.NoError(t, err)
				r, err := m.Effect(t.Context())
				require.NoError(t, err)
				return r.State
			}
			require.Equal(t, effect.Open, state(), "Evolve has nothing to change: it is pinned")
			change(t, m, bad, &clock)
			require.Equal(t, effect.HalfOpen, state())
		})
	}
}

// Chance decides about runs alone, the same way for every attempt and step.
func TestDraw(t *testing.T) {
	clock := day
	m := openAt(t, t.TempDir(), &clock, effect.Fixed(0.5))
	teach(t, m)
	arms := map[ledger.Arm]int{}
	for i := range 60 {
		q := goodPlace
		q.RunID = fmt.Sprint("run ", i)
		first, err := m.Guide(t.Context(), q)
		require.NoError(t, err)
		arms[first.Arm]++
		require.Equal(t, first.Arm == ledger.ArmHoldout, first.Text == "")
		retry, err := m.Guide(t.Context(), q)
		require.NoError(t, err)
		require.Equal(t, first.Arm, retry.Arm)
		require.NotEqual(t, first.Trial, retry.Trial)
		step := q
		step.Trial, step.Step, step.StepNumber = first.Trial, "press Order", 2
		later, err := m.Guide(t.Context(), step)
		require.NoError(t, err)
		require.Equal(t, first.Text == "", later.Text == "", "a step is in the arm of its run")
		require.Equal(t, first.Trial, later.Trial)
	}
	require.Greater(t, arms[ledger.ArmMemory], 10)
	require.Greater(t, arms[ledger.ArmHoldout], 10)
	for range 20 {
		g, err := m.Guide(t.Context(), goodPlace)
		require.NoError(t, err)
		require.NotEmpty(t, g.Text, "a question is always answered")
		require.Empty(t, g.Arm)
	}
}

// The control: as many memories, drawn at random.
func TestOtherMemories(t *testing.T) {
	clock := day
	m := openAt(t, t.TempDir(), &clock, effect.Holdout{First: 0, Later: 0, Other: 1})
	good, bad := teach(t, m)
	q := goodPlace
	q.RunID = "r"
	g, err := m.Guide(t.Context(), q)
	require.NoError(t, err)
	require.Equal(t, ledger.ArmOther, g.Arm)
	require.NotEmpty(t, g.Text)
	require.Len(t, g.Items, 1)
	require.Equal(t, bad, g.Items[0].ID)
	require.NotEqual(t, good, g.Items[0].ID)
}

// What was quarantined for its effect is given to one run in ten, so that it can clear itself, and
// to no question.
func TestQuarantinedMemoryIsProbed(t *testing.T) {
	clock, dir := day, t.TempDir()
	m := openAt(t, dir, &clock, effect.Fixed(0))
	good, _ := teach(t, m)
	require.NoError(t, m.Close())
	s, err := jsonstore.OpenDir(t.Context(), dir, jsonstore.Options{})
	require.NoError(t, err)
	n, err := s.Get(t.Context(), good)
	require.NoError(t, err)
	n.Status, n.Credit = tree.Quarantined, &tree.Credit{Runs: 6, Prior: 0.8, PHarm: 0.7,
		Held: &tree.Held{Since: day, Was: tree.Active, Why: "it is likely to harm"}}
	_, err = s.Commit(t.Context(), store.Batch{Changes: []tree.Change{
		tree.NewChange(tree.OpStatus, n, n.Revision, "effect", "it is likely to harm"),
	}})
	require.NoError(t, err)
	require.NoError(t, s.Close())

	m = openAt(t, dir, &clock, effect.Fixed(0))
	probed := func(runs string) (n int) {
		for i := range 200 {
			q := goodPlace
			q.RunID = fmt.Sprint(runs, i)
			g, err := m.Guide(t.Context(), q)
			require.NoError(t, err)
			if !g.Abstained {
				n++
				require.Equal(t, good, g.Items[0].ID)
			}
		}
		return n
	}
	require.InDelta(t, 20, probed("run "), 18)
	g, err := m.Guide(t.Context(), goodPlace)
	require.NoError(t, err)
	require.True(t, g.Abstained)

	_, err = m.Curation().Ban(t.Context(), good, curation.Options{})
	require.NoError(t, err)
	require.Zero(t, probed("banned "), "what a person said wins")
	_, err = m.Curation().Undo(t.Context(), "", curation.Options{})
	require.NoError(t, err)
	require.InDelta(t, 20, probed("undone "), 18)
}

// Odd outcomes change nothing that is right.
func TestOddOutcomes(t *testing.T) {
	clock := day
	m := openAt(t, t.TempDir(), &clock, effect.Fixed(0.5))
	good, _ := teach(t, m)
	var trials []string
	for i := range 40 {
		q := goodPlace
		q.RunID = fmt.Sprint("run ", i/2) // two agents share a run id; that chance holds out all 20 does not happen
		g, err := m.Guide(t.Context(), q)
		require.NoError(t, err)
		trials = append(trials, g.Trial)
	}
	say := func(trial, id string, at time.Time, attempt int, right bool) {
		e := memtree.Evaluation{
			ID: id, RunID: "r" + id, CaseID: "T", At: at, Attempt: attempt, Trial: trial,
			Prompt: goodPlace.Prompt, Scene: goodPlace.Scene,
			Judgment: tree.Raw(`"pass"`), GroundTruth: tree.Raw(`"fail"`),
		}
		if right {
			e.Judgment = e.GroundTruth
		}
		require.NoError(t, m.Record(t.Context(), e))
	}
	for i, trial := range trials {
		say(trial, fmt.Sprint(i), day.AddDate(1, 0, -i), 1, true) // a year late, and the clock goes back
	}
	say(trials[0], "again", day, 1, true)
	say(trials[1], "contrary", day, 1, false)
	say(trials[2], "retry", day, 2, false)
	say("t_unknown", "unknown", day, 1, true)
	require.NoError(t, m.Wait(t.Context()))
	r, err := m.Effect(t.Context())
	require.NoError(t, err)
	require.Equal(t, 40, r.Runs)
	require.InDelta(t, 1, r.With, 1e-9, "the first outcome of the first attempt counts")
	require.Less(t, r.EHarm, 2.0)
	_, err = m.Evolve(t.Context(), nil)
	require.NoError(t, err)
	n := node(t, m, good)
	require.Equal(t, r.Guided, n.Metadata.UsageCount)
	require.InDelta(t, 1, n.Metadata.SuccessRate, 1e-9)
}

// If nothing is held out, nothing is proven, and if everything is held out, nothing is given: both are reported.
func TestHoldoutOfNothingAndAll(t *testing.T) {
	for share, want := range map[float64]string{0: "nothing to compare with", 1: "no test ran both"} {
		clock := day
		m := openAt(t, t.TempDir(), &clock, effect.Schedule())
		teach(t, m)
		suite := &harness.WrapOptions{Holdout: new(effect.Fixed(share))}
		live(t, m, memtree.Wrap(m, scripted(3), suite), &clock, goodPlace, 30)
		r, err := m.Effect(t.Context())
		require.NoError(t, err)
		require.InDelta(t, 1, r.EHarm, 1e-9)
		require.InDelta(t, 1, r.EHelp, 1e-9)
		require.Contains(t, r.Verdict.EN, want)
		require.Equal(t, share == 1, r.Guided == 0)
	}
}

// A hold-out that is no share is refused, where it is given.
func TestHoldoutOfNoShare(t *testing.T) {
	_, err := memtree.Open(t.Context(), "", &memtree.Options{InMemory: true, Holdout: new(effect.Fixed(1.5))})
	require.ErrorContains(t, err, "give a share from 0 to 1")
	clock := day
	m := openAt(t, t.TempDir(), &clock, effect.Fixed(0))
	q := goodPlace
	q.RunID, q.Holdout = "r", new(effect.Fixed(math.NaN()))
	_, err = m.Guide(t.Context(), q)
	require.ErrorContains(t, err, "give a share from 0 to 1")
}
