package main

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/find"
	"github.com/memtree/memtree/internal/cli/say"
	"github.com/memtree/memtree/store"
)

// TestTheFirstRows: a list of a few rows, of which alone the texts are read, is the beginning of the list of all.
func TestTheFirstRows(t *testing.T) {
	dir, runs := filepath.Join(t.TempDir(), "store"), filepath.Join(t.TempDir(), "runs.jsonl")
	wrongRuns(t, runs, 60)
	silently(t, "init", "--store", dir)
	silently(t, "record", runs, "--store", dir)
	silently(t, "evolve", "--store", dir)
	m, err := memtree.Open(t.Context(), dir, &memtree.Options{ReadOnly: true})
	require.NoError(t, err)
	defer func() { require.NoError(t, m.Close()) }()
	for _, f := range []store.Filter{{}, {Level: 2}, {ErrorType: "other_error"}} {
		for _, q := range []find.Query{{}, {Words: "cart"}, {Run: "no such"}, {Since: "2026-01-01"}} {
			all, err := survey(t.Context(), &say.Voice{Lang: "en"}, m, f, &q, 0)
			require.NoError(t, err)
			require.Len(t, all.leaves, all.found)
			for _, limit := range []int{1, 7, 1000} {
				some, err := survey(t.Context(), &say.Voice{Lang: "en"}, m, f, &q, limit)
				require.NoError(t, err)
				what := fmt.Sprint(f, q, limit)
				require.Equal(t, all.leaves[:min(limit, len(all.leaves))], some.leaves, what)
				some.leaves = all.leaves
				require.Equal(t, all, some, what)
			}
		}
	}
}
