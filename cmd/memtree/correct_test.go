package main

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/effect"
	"github.com/memtree/memtree/formation"
	"github.com/memtree/memtree/harness"
	"github.com/memtree/memtree/ingest"
	"github.com/memtree/memtree/internal/cli/access"
	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/tree"
)

// TestCorrectionKeepsWhatReplayPromises runs a recorded stream through an agent under Wrap that returns the recorded
// verdicts, with correction at the default bound: accuracy before and after equals that of replay.
func TestCorrectionKeepsWhatReplayPromises(t *testing.T) {
	for _, name := range []string{"webjudge", "judgebench"} {
		t.Run(name, func(t *testing.T) {
			root := cmp.Or(os.Getenv("MEMTREE_SHARED"), filepath.Join("..", "..", "..", "shared"))
			path := filepath.Join(root, "data", "evaluations", name+".jsonl")
			f, err := os.Open(path) //nolint:gosec // a folder the tester names
			if err != nil {
				t.Skipf("the recorded streams are not here (MEMTREE_SHARED names their folder): %v", err)
			}
			defer f.Close()
			var stream []tree.Evaluation
			for e, err := range ingest.Read(name, f) {
				require.NoError(t, err)
				stream = append(stream, e)
			}
			a, _ := inTest()
			a.Quiet = true
			rep, _, err := measure(t.Context(), a, stream, &replayOptions{
				items: 3, bound: ledger.CorrectAbove, floor: 0.2, seed: 1,
				word: wordings[0], embed: embedders[0]})
			require.NoError(t, err)
			promised := rep.Correction
			done, before, after := wrapStream(t, stream)
			t.Logf("promised %d right, %d broken of %d, %.3f to %.3f; under Wrap %d, %d of %d, %.3f to %.3f, "+
				"put right %.2f (%.2f-%.2f)",
				promised.Right, promised.Broken, promised.Flipped, promised.AccuracyBefore, promised.AccuracyAfter,
				done.Mended, done.Broken, done.N, before, after,
				float64(done.Mended)/float64(done.Mended+done.Broken), done.Low, done.High)
			require.InDelta(t, promised.AccuracyBefore, before, 1e-9)
			gain := after - before
			require.GreaterOrEqual(t, gain, promised.Low)
			require.LessOrEqual(t, gain, promised.High)
			require.InDelta(t, promised.AccuracyAfter, after, 0.005)
			require.LessOrEqual(t, 10*done.Broken, done.Mended)
			require.False(t, done.Stopped)
		})
	}
}

// wrapStream runs a stream through Wrap in time order, and records each truth right after its run.
func wrapStream(t *testing.T, stream []tree.Evaluation) (done effect.Remedied, before, after float64) {
	t.Helper()
	var now time.Time
	m, err := memtree.Open(t.Context(), "", &memtree.Options{
		InMemory: true, Deadline: access.Patient, Now: func() time.Time { return now },
	})
	require.NoError(t, err)
	defer func() { require.NoError(t, m.Close()) }()
	var e *tree.Evaluation
	agent := func(context.Context, harness.Test) (harness.TestResult, error) {
		return harness.TestResult{Judgment: e.Judgment, Observation: e.Observation}, nil
	}
	judge := func(context.Context, harness.Test, harness.TestResult) (harness.JudgeVerdict, error) {
		v := formation.Detect(e)
		if !v.Labelled {
			return harness.JudgeVerdict{}, errors.New("nobody knows")
		}
		return harness.JudgeVerdict{Correct: v.Correct, Direction: v.Direction, Reason: e.Reason}, nil
	}
	run := memtree.Wrap(m, agent, &harness.WrapOptions{Judge: judge, Correct: harness.CorrectOptions{Do: ledger.Other}})
	slices.SortStableFunc(stream, func(a, b tree.Evaluation) int { return a.At.Compare(b.At) })
	n, right := 0, 0
	for i := range stream {
		e, now = &stream[i], stream[i].At
		_, err := run(t.Context(), harness.Test{
			ID: e.CaseID, RunID: cmp.Or(e.RunID, e.ID), Attempt: e.Attempt, Prompt: e.Prompt, Scene: e.Scene, Scope: e.Scope,
			GroundTruth: e.GroundTruth, Agent: e.Agent,
		})
		require.NoError(t, err)
		require.NoError(t, m.Wait(t.Context()))
		if v := formation.Detect(e); v.Labelled {
			n++
			if v.Correct {
				right++
			}
		}
	}
	require.NoError(t, m.Wait(t.Context()))
	all := effect.NewCorrections(ledger.CorrectAbove)
	for entry, err := range m.Tree().Ledger(t.Context(), 0) {
		require.NoError(t, err)
		all.Note(&entry)
	}
	done = all.Remedied()[2]
	share := func(k int) float64 { return float64(k) / float64(n) }
	return done, share(right), share(right + done.Mended - done.Broken)
}
