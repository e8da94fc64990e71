package main

import (
	"bytes"
	"context"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/effect"
	"github.com/memtree/memtree/fixtures"
	"github.com/memtree/memtree/ingest"
	"github.com/memtree/memtree/retrieval"
	"github.com/memtree/memtree/tree"
)

// tapped stores the answers of a measured memory.
type tapped struct {
	effect.ReplaySubject
	answers []effect.ReplayAnswer
}

func (t *tapped) Ask(ctx context.Context, e *tree.Evaluation) (effect.ReplayAnswer, error) {
	a, err := t.ReplaySubject.Ask(ctx, e)
	t.answers = append(t.answers, a)
	return a, err
}

// answers returns those of a memory with cases only, then of one that evolves.
func answers(t *testing.T, stream []tree.Evaluation) [2][]effect.ReplayAnswer {
	t.Helper()
	return limited(t, stream, retrieval.Limits{})
}

func limited(t *testing.T, stream []tree.Evaluation, l retrieval.Limits) [2][]effect.ReplayAnswer {
	t.Helper()
	r, v := &memorySubject{limits: l}, &evolvingSubject{memorySubject: memorySubject{limits: l}}
	alone, evolves := &tapped{ReplaySubject: r}, &tapped{ReplaySubject: v}
	for _, m := range []*memorySubject{r, &v.memorySubject} {
		require.NoError(t, m.open(t.Context()))
		defer func() { require.NoError(t, m.mem.Close()) }()
	}
	_, err := effect.Replay(t.Context(), stream, effect.ReplayOptions{Judge: judged}, alone, evolves)
	require.NoError(t, err)
	return [2][]effect.ReplayAnswer{alone.answers, evolves.answers}
}

// history returns the shipped history of tool agents, in order of time.
func history(t *testing.T) []tree.Evaluation {
	t.Helper()
	b, err := fixtures.Files.ReadFile("tau.jsonl")
	require.NoError(t, err)
	var stream []tree.Evaluation
	for e, err := range ingest.Read("tau.jsonl", bytes.NewReader(b)) {
		require.NoError(t, err)
		stream = append(stream, e)
	}
	slices.SortStableFunc(stream, func(x, y tree.Evaluation) int { return x.At.Compare(y.At) })
	return stream
}

// TestReplayDoesNotLeak: the answer for a run does not depend on later runs, or on the outcome of the run itself.
func TestReplayDoesNotLeak(t *testing.T) {
	stream := history(t)
	const some = 120
	all := answers(t, stream)
	require.NotEqual(t, all[0][:some], all[1][:some], "else it did not evolve")
	all[0], all[1] = all[0][:some], all[1][:some]
	require.Equal(t, all, answers(t, stream[:some]), "the future was known")

	other := slices.Clone(stream[:some])
	last := &other[some-1]
	wrong := false
	last.Correct, last.Direction, last.GroundTruth = &wrong, "false_fail", tree.Raw(`"something else"`)
	last.Reason = "told only afterwards"
	require.Equal(t, all, answers(t, other), "the truth of a run was known before it")
	require.True(t, slices.ContainsFunc(all[0], func(a effect.ReplayAnswer) bool { return a.Guided }))
}

func TestReplayIsBounded(t *testing.T) {
	stream := history(t)[:120]
	given := func(o replayOptions) (most, all [2]int) {
		for k, list := range limited(t, stream, o.limits()) {
			for _, a := range list {
				most[k] = max(most[k], len(a.Items))
				all[k] += len(a.Items)
			}
		}
		return most, all
	}
	most, usual := given(replayOptions{items: 3, floor: 0.2})
	require.Equal(t, [2]int{2, 2}, most)
	most, _ = given(replayOptions{items: 1, floor: 0})
	require.Equal(t, [2]int{1, 1}, most)
	_, strict := given(replayOptions{items: 3, floor: 1})
	for k := range strict {
		require.Less(t, strict[k], usual[k])
	}
}
