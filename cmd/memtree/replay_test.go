package main

import (
	"bytes"
	"context"
	"slices"
	"testing"
	"time"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/fixtures"
	"github.com/memtree/memtree/ingest"
	"github.com/memtree/memtree/replay"
	jsonstore "github.com/memtree/memtree/store/json"
	"github.com/memtree/memtree/tree"
)

// tapped keeps the answers of a memory that is measured.
type tapped struct {
	*rememberer
	answers []replay.Answer
}

func (t *tapped) Ask(ctx context.Context, e *tree.Evaluation) (replay.Answer, error) {
	a, err := t.rememberer.Ask(ctx, e)
	t.answers = append(t.answers, a)
	return a, err
}

func answers(t *testing.T, stream []tree.Evaluation) []replay.Answer {
	t.Helper()
	s, err := jsonstore.Open(t.Context(), afero.NewMemMapFs(), "replay", jsonstore.Options{})
	require.NoError(t, err)
	r := &tapped{rememberer: &rememberer{}}
	r.mem, err = memtree.Open(t.Context(), "", &memtree.Options{Store: s, Deadline: patient, Now: func() time.Time { return r.now }})
	require.NoError(t, err)
	_, err = replay.Run(t.Context(), stream, replay.Options{Judge: judged}, r)
	require.NoError(t, err)
	require.NoError(t, r.mem.Close())
	return r.answers
}

// What is answered about a run does not change with what comes after it, or
// with what the run itself came to.
func TestReplayDoesNotLeak(t *testing.T) {
	b, err := fixtures.Files.ReadFile("tau.jsonl")
	require.NoError(t, err)
	var stream []tree.Evaluation
	for e, err := range ingest.Read("tau.jsonl", bytes.NewReader(b)) {
		require.NoError(t, err)
		stream = append(stream, e)
	}
	const some = 60
	slices.SortStableFunc(stream, func(x, y tree.Evaluation) int { return x.At.Compare(y.At) })
	all := answers(t, stream)
	require.Equal(t, all[:some], answers(t, stream[:some]), "the future was known")

	other := slices.Clone(stream[:some])
	last := &other[some-1]
	wrong := false
	last.Correct, last.Direction, last.GroundTruth = &wrong, "false_fail", tree.Raw(`"something else"`)
	last.Reason = "told only afterwards"
	require.Equal(t, all[:some], answers(t, other), "the truth of a run was known before it")
	require.True(t, slices.ContainsFunc(all, func(a replay.Answer) bool { return a.Guided }))
}
