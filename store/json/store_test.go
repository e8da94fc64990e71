package jsonstore

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

func someCase(i int) tree.Node {
	types := []string{"state_detection_error", "async_timing_error", "other_error"}
	n := tree.Node{
		Type: tree.Case, Level: 1, ErrorType: types[i%len(types)], Direction: taxonomy.FalsePass, Lang: "en",
		Status: tree.Active, Revision: 1,
		Content: tree.Content{Description: "missed <the> défaut", Guidance: "look at the total & the sum",
			Confidence: .5},
		CaseData: &tree.CaseData{TestCase: tree.TestCase{CaseID: fmt.Sprint("t", i),
			Prompt: fmt.Sprintf("Check the total of order %d", i), GroundTruth: tree.Raw(`{"has_defect":true}`)},
			AgentJudgment: "pass"},
		Children:    []string{},
		Occurrences: []tree.Occurrence{{Evaluation: fmt.Sprint("ev", i), At: time.Date(2026, 1, 28, 9, 0, 0, 0, time.UTC)}},
	}
	n.ID = tree.EvidenceID(&n)
	return n
}

func someEvaluation(i int) tree.Evaluation {
	return tree.Evaluation{
		ID: fmt.Sprint("ev", i), CaseID: fmt.Sprint("t", i), Prompt: fmt.Sprintf("Check the total of order %d", i),
		Judgment: tree.Raw(`"pass"`), GroundTruth: tree.Raw(`{"has_defect":true}`),
	}
}

func add(i int) tree.Change {
	return tree.NewChange(tree.OpAdd, someCase(i), 0, "formation", "a wrong pass")
}

func TestLoop(t *testing.T) {
	ctx, dir := context.Background(), t.TempDir()
	s, err := OpenDir(ctx, dir, Options{})
	require.NoError(t, err)
	r, err := s.Accept(ctx, []tree.Evaluation{someEvaluation(1), someEvaluation(2), someEvaluation(1)})
	require.NoError(t, err)
	require.Equal(t, []store.Receipt{{Key: "ev1", Status: store.Accepted}, {Key: "ev2", Status: store.Accepted},
		{Key: "ev1", Status: store.Duplicate}}, r)
	es, err := s.Lease(ctx, 10)
	require.NoError(t, err)
	require.Equal(t, []tree.Evaluation{someEvaluation(1), someEvaluation(2)}, es)
	v, err := s.Commit(ctx, store.Batch{Changes: []tree.Change{add(1)}, Done: []string{"ev1"},
		Entries: []ledger.Entry{{Verdict: &ledger.Verdict{Evaluation: "ev1"}}}})
	require.NoError(t, err)
	require.EqualValues(t, 1, v)
	_, err = s.Commit(ctx, store.Batch{Done: []string{"ev1"}})
	require.ErrorIs(t, err, store.ErrConflict)
	require.NoError(t, s.Close())

	for range 2 {
		s, err = OpenDir(ctx, dir, Options{})
		require.NoError(t, err)
		n, err := s.Get(ctx, someCase(1).ID)
		require.NoError(t, err)
		require.Equal(t, add(1).Node, n)
		info, err := s.Info(ctx)
		require.NoError(t, err)
		require.Equal(t, 1, info.Outbox)
		require.NoError(t, s.Close())
	}
}
