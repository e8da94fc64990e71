package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/internal/golden"
)

// TestMeasure measures the two small suites that have recordings.
func TestMeasure(t *testing.T) {
	var out bytes.Buffer
	for _, lang := range []string{"en", "zh"} {
		dir := filepath.Join("..", "..", "cmd", "memtree", "testdata", "tape", lang)
		require.NoError(t, measure(t.Context(), dir, &out))
	}
	golden.Equal(t, "testdata/lessons.golden", out.String())
}

func TestMeasureRefuses(t *testing.T) {
	dir := t.TempDir()
	refused := func(want string) {
		t.Helper()
		require.ErrorContains(t, measure(t.Context(), dir, &bytes.Buffer{}), want)
	}
	write := func(name, content string) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600))
	}
	refused("runs.jsonl")
	write("runs.jsonl", `{"prompt":"p","judgment":"pass","ground_truth":"fail","case_id":"c"}`+"\n")
	refused("labels.cause")
	write("runs.jsonl", `{"prompt":"p","judgment":"pass","ground_truth":"fail","case_id":"c","labels":{"cause":"y"}}`+"\n")
	write("queries.jsonl", `{"prompt":"a","expect":"x"}`)
	refused("queries.jsonl")
}
