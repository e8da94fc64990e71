package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/ingest"
	"github.com/memtree/memtree/internal/golden"
	jsonstore "github.com/memtree/memtree/store/json"
	"github.com/memtree/memtree/tree"
)

const twoRuns = `{"id":"r1","case_id":"cart-1","prompt":"Check that the cart total is right",` +
	`"judgment":"pass","ground_truth":"fail","reason":"It did not add up the items."}` + "\n" +
	`{"id":"r2","case_id":"cart-2","prompt":"Check the language of the cart",` +
	`"judgment":"pass","ground_truth":"pass"}` + "\n"

// TestWhileRunsWait: recorded runs that are not formed yet are no memories: every command that shows or uses memories
// reports that, and none claims that nothing was recorded.
func TestWhileRunsWait(t *testing.T) {
	for _, lang := range []string{"en", "zh"} {
		store := filepath.Join(t.TempDir(), "store")
		runs := filepath.Join(t.TempDir(), "runs.jsonl")
		require.NoError(t, os.WriteFile(runs, []byte(twoRuns), 0o600))
		code, _, errs := try(t, "", "init", "--store", store)
		require.Zero(t, code, errs)
		leave(t, store)
		var said bytes.Buffer
		for _, args := range [][]string{
			{"tree"}, {"guide", "--read-only", "--prompt", "Check that the cart total is right"},
			{"explain", "--prompt", "Check the cart"},
			{"evolve", "--dry-run"}, {"evolve", "--explain"}, {"triage", runs},
		} {
			code, out, errs := try(t, "", append(args, "--store", store, "--lang", lang)...)
			require.Zero(t, code, errs)
			requireNarrow(t, out)
			said.WriteString("$ memtree " + strings.Join(args[:min(2, len(args))], " ") + "\n" +
				strings.ReplaceAll(out+errs, runs, "runs.jsonl") + "\n")
		}
		golden.Equal(t, "testdata/unformed."+lang+".golden", strings.ReplaceAll(said.String(), runs, "runs.jsonl"))
	}
}

// leave puts two runs into the outbox of a store and forms nothing.
func leave(t *testing.T, store string) {
	t.Helper()
	s, err := jsonstore.OpenDir(t.Context(), store, jsonstore.Options{})
	require.NoError(t, err)
	var es []tree.Evaluation
	for e, err := range ingest.Read("runs.jsonl", strings.NewReader(twoRuns)) {
		require.NoError(t, err)
		es = append(es, e)
	}
	_, err = s.Accept(t.Context(), es)
	require.NoError(t, err)
	require.NoError(t, s.Close())
}

// TestEvolveInterruptedAtOnce: interrupted before it has a plan, evolve does not count error types that it does not
// know.
func TestEvolveInterruptedAtOnce(t *testing.T) {
	a, _ := inTest()
	require.ErrorContains(t, interrupted(a.Voice, context.Canceled, 0, 0),
		"before the first error type was looked at; nothing was learned and nothing is lost")
	require.ErrorContains(t, interrupted(a.Voice, context.Canceled, 2, 5), "interrupted after 2 of 5 error types and "+
		"directions")
}
