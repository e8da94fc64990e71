package memtree_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/curation"
	"github.com/memtree/memtree/inbox"
	"github.com/memtree/memtree/tree"
)

// TestJudges: people who label the riskiest verdicts first do not make a judge look worse than it is, and the labels
// that are asked for narrow the interval.
func TestJudges(t *testing.T) {
	ctx := t.Context()
	m, err := memtree.Open(ctx, "", &memtree.Options{Deadline: time.Minute, InMemory: true})
	require.NoError(t, err)
	defer func() { require.NoError(t, m.Close()) }()
	rng := rand.New(rand.NewPCG(7, 7))
	run := func(i int) (memtree.Evaluation, bool) {
		hard := rng.Float64() < 0.25
		wrong, why := rng.Float64() < 0.05, "the page was compared in every field"
		if hard {
			wrong, why = rng.Float64() < 0.6, "it probably looks about right and seems plausible"
		}
		return memtree.Evaluation{ID: fmt.Sprint("r", i), Prompt: fmt.Sprint("check order ", i),
			Agent:    tree.Agent{Name: "eye"},
			Judgment: tree.Raw(`{"verdict":"pass","reason":"` + why + `"}`)}, wrong
	}
	wrongs := map[string]bool{}
	for i := range 60 {
		e, wrong := run(i)
		e.Correct = new(!wrong)
		require.NoError(t, m.Record(ctx, e))
	}
	for i := range 300 {
		e, wrong := run(100 + i)
		wrongs[e.ID] = wrong
		require.NoError(t, m.Record(ctx, e))
	}
	require.NoError(t, m.Wait(ctx))
	label := func(ids ...string) {
		for _, id := range ids {
			truth := curation.Truth{Correct: new(!wrongs[id])}
			_, err := m.Curation().Label(ctx, []string{id}, truth, curation.Options{By: "ann"})
			require.NoError(t, err)
		}
		require.NoError(t, m.Wait(ctx))
	}
	rate := func(next int) inbox.JudgeRate {
		all, err := m.Inbox().Judges(ctx, next)
		require.NoError(t, err)
		require.Len(t, all, 1)
		return all[0]
	}
	before := rate(0)
	require.Equal(t, 360, before.Verdicts)
	require.Equal(t, 60, before.Known)
	require.Nil(t, before.Failing, "a judge that never fails a test says nothing of how many fail")

	box, err := m.Inbox().List(ctx, 40)
	require.NoError(t, err)
	var riskiest []string
	for _, u := range box.Waiting {
		riskiest = append(riskiest, u.Evaluation.ID)
	}
	label(riskiest...)
	const truth = 0.25*0.6 + 0.75*0.05
	now := rate(20)
	require.Greater(t, now.Labelled.P, truth+0.05, "whom people looked at is not whom there is")
	require.Less(t, now.Estimate.Low, truth)
	require.Greater(t, now.Estimate.High, truth)
	require.Len(t, now.Next, 20)
	label(now.Next...)
	after := rate(0)
	require.Less(t, after.Estimate.High-after.Estimate.Low, now.Estimate.High-now.Estimate.Low)
	require.Equal(t, after.Estimate, after.Course[len(after.Course)-1].Estimate)
	require.Equal(t, after.Known, after.Course[len(after.Course)-1].Known)
}
